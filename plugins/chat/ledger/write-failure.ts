import { isUnavailable } from '#kernel'

/** ShutdownInProgress, InterruptedAtShutdown, InterruptedDueToReplStateChange, NotWritablePrimary, PrimarySteppedDown. */
const SHUTDOWN_CODES = new Set([91, 11600, 11602, 10107, 189])

/** Whether trying again can help: the database is away, restarting or stepping down. */
export const isPassing = (error: unknown): boolean =>
  isUnavailable(error) ||
  (error as { hasErrorLabel?(label: string): boolean }).hasErrorLabel?.('RetryableWriteError') === true ||
  SHUTDOWN_CODES.has((error as { code?: number }).code ?? 0)
