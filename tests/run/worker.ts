import { createHook } from 'node:async_hooks'
import type { Base, TAP } from '@tapjs/core'
import { createMeter } from './costs.ts'
import test, { root, runFile, type Test } from './file-test.ts'
import { openQueue } from './queue.ts'

/** The instructions from `main` to a process that runs test files. */
export interface Assignment {
  id: string
  /** The folder of the queue. */
  queue: string
  files: string[]
  /** The time limit for one file, in milliseconds. */
  limit: number
  /** The folder to which processes that the tests start report their costs, in a profiled run. */
  reports?: string
}

/** The time for what the last file has left open to close. */
const LEFT_OPEN_MS = 60_000

/**
 * Disables tap's tracing of asynchronous steps, which finds the test that threw outside of its promise but costs a tenth
 * of the processor time of all tests. Such an error counts against the running file instead; no file can run after it.
 */
function disableAsyncTracing(root: TAP, running: () => Test): { hasThrown(): boolean } {
  // While a hook of AsyncLocalStorage remains, Node.js would go on to track the end of each promise; it looks anew
  // whether that is needed only when a hook is enabled.
  const reconsider = createHook({ init() {} })
  const untrace = (test: Base) => {
    test.hookDomain.destroy()
    reconsider.enable().disable()
    test.on('subtestAdd', (added) => untrace(added as Base))
  }
  // Tap would do this with its first line of output, and only then start to trace errors outside of all tests.
  root.pipe(process.stdout)
  root.hook.emitDestroy()
  untrace(root)
  let hasThrown = false
  process.on('uncaughtException', (error) => {
    hasThrown = true
    running().threw(error)
  })
  return { hasThrown: () => hasThrown }
}

// `node worker.js`, with an assignment as JSON in TEST_ASSIGNMENT: runs files from the queue, one after another.

const { id, queue: folder, files, limit, reports }: Assignment = JSON.parse(process.env.TEST_ASSIGNMENT!)
const queue = openQueue(folder, files)
const { hasThrown } = disableAsyncTracing(root, () => test)

for (let file = queue.take(id); file; file = queue.take(id)) {
  // Restarts the time limit for each file; `main` receives the new limit and ends this process when it is over.
  root.setTimeout(limit)
  const meter = createMeter(reports)
  const startedAt = performance.now()
  await runFile(file, new URL(`../${file}.test.js`, import.meta.url))
  // Tests of this file may still run and would count as the next file's; `main` continues in another process.
  if (hasThrown()) process.exit(1)
  // Tap ends all tests when the event loop is empty while a test still waits.
  if (root.ended) break
  queue.finish({ file, wall: performance.now() - startedAt, ...meter.take() })
}

setTimeout(() => {
  process.stderr.write(
    `${id} has ended, but was kept open by ${process.getActiveResourcesInfo().join(', ')}\n`,
  )
  process.exit(1)
}, LEFT_OPEN_MS).unref()
