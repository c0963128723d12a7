import { isUnavailable } from '#kernel'

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
