import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

// The thread in which a confined program performs its tasks; an error ends the program.

/** The pause while the server has not taken the answers before, in milliseconds. */
const FULL_MS = 5

const { module, output } = workerData as { module: string; output: number }
const { perform } = (await import(module)) as { perform(task: unknown): AsyncIterable<unknown> }
const pause = new Int32Array(new SharedArrayBuffer(4))

function write(answer: unknown): void {
  const line = Buffer.from(`${JSON.stringify(answer)}\n`)
  for (let start = 0; start < line.length; ) {
    try {
      start += writeSync(output, line, start)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(pause, 0, 0, FULL_MS)
    }
  }
}

parentPort!.on('message', async (task) => {
  for await (const answer of perform(task)) write(answer)
})
write('ready')
