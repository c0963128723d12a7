import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { Worker } from 'node:worker_threads'

// `node confined-main.js MODULE MEMORY_MIB`: performs tasks with a module for the server that started this process, and watches it
// from the main thread, which the module cannot keep busy.

// The name of the compiled file.
const WORKER = new URL('./confined-worker.js', import.meta.url)

const WATCH_MS = 20
/** The descriptor of the answers. */
const OUTPUT = 1
/** The part of the memory that the heap may take. */
const HEAP_PART = 3 / 4
/** Less than V8 would reserve, which counts against the limit of the system. */
const CODE_MIB = 32
/** Turns of people go before documents. */
const NICENESS = 10

const [, , module, memory_mib] = process.argv

/** Ends this process at once, also while a library does not return; the server takes it for a lack of memory. */
const kill = () => process.kill(process.pid, 'SIGKILL')

// Threads inherit the priority of the thread that starts them.
setPriority(NICENESS)
const worker = new Worker(WORKER, {
  workerData: { module, output: OUTPUT },
  stdout: true,
  stderr: true,
  resourceLimits: {
    maxOldGenerationSizeMb: Number(memory_mib) * HEAP_PART,
    maxYoungGenerationSizeMb: 12,
    codeRangeSizeMb: CODE_MIB,
  },
})
// Output of libraries must not be mixed with the answers.
worker.stdout.resume()
worker.stderr.pipe(process.stderr)
worker.once('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') kill()
  throw error
})
worker.once('exit', () => process.exit(1))

setInterval(() => {
  if (process.memoryUsage.rss() > Number(memory_mib) * 1024 * 1024) kill()
}, WATCH_MS)

// The end of the input is the end of the server.
createInterface({ input: process.stdin })
  .on('line', (task) => worker.postMessage(JSON.parse(task)))
  .on('close', kill)
