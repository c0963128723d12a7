import type { BenchSettings } from '../../plugin-api/testing/agent-bench.ts'
import type { TestContext, TestFunction } from '../../plugin-api/testing/test-function.ts'
import type { Test } from '../run/file-test.ts'
import { isLong, onlyLong } from '../run/tier.ts'
import { createDatabaseUrl } from './test-engine.ts'

/** Makes a suite of the testing kit run as tests of this file, with a database on the engine of this process. */
export const kitOptions = (
  t: Test,
): Required<Pick<BenchSettings, 'databaseUrl'>> & { test: TestFunction } => ({
  test: (name, run) => t.test(name, run),
  databaseUrl: () => createDatabaseUrl(t),
})

/** The case that every channel kind runs in `npm test`. */
const ALWAYS = /^a message is answered/
/** Of the other cases each kind runs one of so many in `npm test`, and other kinds other ones. */
const ONE_OF = 4

/** The same options for a kind that comes with the server. */
export const builtIn = (t: Test) => ({ ...kitOptions(t), plugins: [] })

/** The same options for a channel kind; in `npm test` it runs some of the cases. */
export const channelOptions = (t: Test) => ({
  ...kitOptions(t),
  test: ((suite, run) =>
    t.test(suite, (outer) => {
      let index = suite.length
      const test: TestFunction = (name, run) => {
        index += 1
        const isRun = isLong || ALWAYS.test(name) || index % ONE_OF === 0
        return outer.test(name, { skip: !isRun && onlyLong }, run)
      }
      const context: TestContext & { parent: Test } = {
        after: (cleanUp) => outer.teardown(cleanUp),
        test,
        parent: outer,
      }
      return run(context)
    })) satisfies TestFunction,
})

/** The same options for a channel kind that comes with the server. */
export const builtInChannel = (t: Test) => ({ ...channelOptions(t), plugins: [] })
