import { createDeadline, createSemaphore } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { Processes } from './processes.ts'
import { type ProgramEnd, type ProgramOrder, runProgram } from './program.ts'

/** The programs that agents run in this server process. */
export type Programs = ReturnType<typeof createPrograms>

/** Creates the record of running programs. */
export function createPrograms({
  config: { max_seconds, max_processes },
  processes: { start },
}: {
  config: Pick<Cradle['config'], 'max_seconds' | 'max_processes'>
  processes: Pick<Processes, 'start'>
}) {
  const permits = createSemaphore()
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()

  return {
    max_seconds,
    /** Runs a program once a slot is free; rejects with the signal's reason if it is aborted. */
    run(order: ProgramOrder, signal: AbortSignal): Promise<ProgramEnd> {
      const until = createDeadline([signal, closing.signal])
      const run = permits
        .run(max_processes, until.signal, () => runProgram(order, { signal: until.signal, start }))
        .finally(until.release)
      running.add(run)
      return run.finally(() => running.delete(run))
    },
    /** Kills all running programs, with everything that they started, and starts no others. */
    async close(): Promise<void> {
      closing.abort(new Error('the server is shutting down'))
      await Promise.allSettled(running)
    },
  }
}
