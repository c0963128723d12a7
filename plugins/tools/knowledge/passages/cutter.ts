import { stat } from 'node:fs/promises'
import { AppError, ConfinementError, createConfinedPool } from '#plugin-api'
import type { CutBatch, CuttingTask } from './cutting-worker.ts'

// The name of the compiled file.
const WORKER = new URL('./cutting-worker.js', import.meta.url)

/** The most resident memory of a process. */
const MEMORY_MIB = 512
/** The time for a text of any size, and more for each MiB, in milliseconds. */
const TIME_MS = 45_000
const TIME_PER_MIB_MS = 10_000
const MAX_MS = 30 * 60_000
const MIB = 1024 * 1024
/** Texts up to this size leave nothing behind, so that an account's next text can be cut by the same process. */
const SMALL_BYTES = 256 * 1024

/** Cuts stored texts into passages, in processes that are bounded in time and memory. */
export type Cutter = ReturnType<typeof createCutter>

/** Creates the cutter. */
export function createCutter() {
  const pool = createConfinedPool(WORKER, { memory_mib: MEMORY_MIB, max_ms: MAX_MS })

  return {
    /** Yields the passages of a stored text of an account. Throws DOCUMENT_TOO_LARGE or DOCUMENT_TIMEOUT. */
    async *cut(user_id: string, task: CuttingTask, signal: AbortSignal): AsyncGenerator<CutBatch> {
      const { size } = await stat(task.path)
      const time_ms = Math.min(MAX_MS, TIME_MS + (size / MIB) * TIME_PER_MIB_MS)
      const program = pool.take(user_id)
      let isReusable = false
      try {
        for await (const batch of program.ask(task, time_ms, signal) as AsyncGenerator<CutBatch>) {
          isReusable = batch.progress === 1 && size <= SMALL_BYTES
          yield batch
          if (batch.progress === 1) return
        }
      } catch (cause) {
        if (!(cause instanceof ConfinementError)) throw cause
        throw new AppError(cause.reason === 'time' ? 'DOCUMENT_TIMEOUT' : 'DOCUMENT_TOO_LARGE', {}, { cause })
      } finally {
        if (isReusable) await pool.keep(user_id, program)
        else await program.end()
      }
    },

    end: () => pool.end(),
  }
}
