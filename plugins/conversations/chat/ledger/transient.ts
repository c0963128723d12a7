import { setTimeout as pause } from 'node:timers/promises'
import { isUnavailable } from '#plugin-api'

/** The wait before a step is repeated, in milliseconds. */
const RETRY_MS = 100

/** ShutdownInProgress, InterruptedAtShutdown, InterruptedDueToReplStateChange, NotWritablePrimary, PrimarySteppedDown. */
const SHUTDOWN_CODES = new Set([91, 11600, 11602, 10107, 189])

/** True if a retry can help: the database is unavailable, restarting or stepping down, or could not replicate a write. */
export function isTransient(error: unknown): boolean {
  const { cause, writeConcernErrors } = error as { cause?: unknown; writeConcernErrors?: readonly unknown[] }
  return (
    isUnavailable(error) ||
    (writeConcernErrors !== undefined && writeConcernErrors.length > 0) ||
    (error as { hasErrorLabel?(label: string): boolean }).hasErrorLabel?.('RetryableWriteError') === true ||
    SHUTDOWN_CODES.has((error as { code?: number }).code ?? 0) ||
    (cause !== undefined && isTransient(cause))
  )
}

/**
 * Repeats a step, which must be safe to repeat, until the database has answered it: an attempt without an answer may have
 * been carried out. Throws the last failure once the signal is aborted.
 */
export async function untilAnswered<Answer>(
  step: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  for (;;)
    try {
      return await step()
    } catch (error) {
      if (!isTransient(error)) throw error
      await pause(RETRY_MS, undefined, { signal }).catch(() => {
        throw error
      })
    }
}
