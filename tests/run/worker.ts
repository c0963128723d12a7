import t from 'tap'
import { createMeter } from './costs.ts'
import { runFile } from './file-test.ts'
import { openQueue } from './queue.ts'

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

// `node worker.js <assignment as JSON>`: runs files from the queue, one after another, until there are no more.

const { id, queue: folder, files, limit, reports }: Assignment = JSON.parse(process.env.TEST_ASSIGNMENT!)
const queue = openQueue(folder, files)

for (let file = queue.take(id); file; file = queue.take(id)) {
  // Counted anew for each file; the process that started this one is told, and ends it when the time is over.
  t.setTimeout(limit)
  const meter = createMeter(reports)
  const before = performance.now()
  await runFile(file, new URL(`../${file}.test.js`, import.meta.url))
  queue.finish({ file, wall: performance.now() - before, ...meter.take() })
}
