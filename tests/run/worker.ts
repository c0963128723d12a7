import t from 'tap'
import { createMeter } from './costs.ts'
import test, { runFile } from './file-test.ts'
import { openQueue } from './queue.ts'
import { catchWithoutTracing } from './tracing.ts'

/** What `main` tells a process that runs test files. */
export interface Assignment {
  id: string
  /** The folder of the queue. */
  queue: string
  files: string[]
  /** How long one file may take, in milliseconds. */
  limit: number
  /** The folder in which processes that the tests start report what they cost, in a profiled run. */
  reports?: string
}

// `node worker.js`, with an assignment as JSON in TEST_ASSIGNMENT: runs files from the queue, one after another.

const { id, queue: folder, files, limit, reports }: Assignment = JSON.parse(process.env.TEST_ASSIGNMENT!)
const queue = openQueue(folder, files)
const { hasThrown } = catchWithoutTracing(t, () => test)

for (let file = queue.take(id); file; file = queue.take(id)) {
  // Counted anew for each file; the process that started this one is told, and ends it when the time is over.
  t.setTimeout(limit)
  const meter = createMeter(reports)
  const before = performance.now()
  await runFile(file, new URL(`../${file}.test.js`, import.meta.url))
  // Its tests may still run, and would be taken for the next file's; main goes on in another process.
  if (hasThrown()) process.exit(1)
  // Tap ends all tests when nothing is left that could go on with the one that is waited for.
  if (t.ended) break
  queue.finish({ file, wall: performance.now() - before, ...meter.take() })
}
