import { once } from 'node:events'
import { url } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import type { Logger } from '../log.ts'
import { type ForeignFolder, folderIn } from './isolation.ts'

/** Milliseconds between two signs of life of the event loop. */
const BEAT_MS = 250

/**
 * Logs which third-party plugin blocks the event loop for more than a second. A thread watches the loop and reads the
 * running code through the inspector.
 */
export function watchStalls(folders: readonly ForeignFolder[], log: Logger): { stop(): Promise<void> } {
  const beats = new SharedArrayBuffer(8)
  const signs = new Int32Array(beats)
  const show = () => {
    // A look at the running code would resume a breakpoint.
    Atomics.store(signs, 1, Number(url() !== undefined))
    Atomics.add(signs, 0, 1)
  }
  show()
  const beat = setInterval(show, BEAT_MS).unref()
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
