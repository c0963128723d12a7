import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type ForeignFolder, folderIn } from './isolation.ts'
import type { Logger } from './log.ts'

/** How often the event loop says that it runs, in milliseconds. */
const BEAT_MS = 250

/**
 * Logs which plugin from outside keeps the event loop to itself for more than a second. A thread watches it and looks,
 * by the inspector, at what is being run.
 */
export function watchStalls(folders: readonly ForeignFolder[], log: Logger): { stop(): Promise<void> } {
  const beats = new SharedArrayBuffer(4)
  const beat = setInterval(() => Atomics.add(new Int32Array(beats), 0, 1), BEAT_MS).unref()
  const worker = new Worker(new URL('./stall-thread.js', import.meta.url), { workerData: beats })
  worker.on('message', (urls: string[]) => {
    const plugin = folderIn(urls, folders)
    if (plugin !== undefined) log.warn({ plugin }, 'a plugin blocks the event loop for more than a second')
  })
  worker.unref()
  return {
    async stop() {
      clearInterval(beat)
      worker.ref()
      worker.postMessage('stop')
      await once(worker, 'exit')
    },
  }
}
