import type { Test } from 'tap'
import type { BenchSettings } from '../../plugin-api/testing/agent-bench.ts'
import type { TestFunction } from '../../plugin-api/testing/test-function.ts'
import { createDatabaseUrl } from './test-engine.ts'

/** Makes a suite of the testing kit run as tests of this file, with a database on the engine of this process. */
export const kitOptions = (
  t: Test,
): Required<Pick<BenchSettings, 'databaseUrl'>> & { test: TestFunction } => ({
  test: (name, run) => t.test(name, run),
  databaseUrl: () => createDatabaseUrl(t),
})

/** The same options for a kind that comes with the server. */
export const builtIn = (t: Test) => ({ ...kitOptions(t), plugins: [] })
