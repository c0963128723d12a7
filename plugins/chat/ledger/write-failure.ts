import { MongoBulkWriteError } from 'mongodb'
import { isUnavailable } from '#kernel'

const DUPLICATE_KEY = 11000
/** ShutdownInProgress, InterruptedAtShutdown, InterruptedDueToReplStateChange, NotWritablePrimary, PrimarySteppedDown. */
const SHUTDOWN_CODES = new Set([91, 11600, 11602, 10107, 189])

/** Whether trying again can help: the database is away, restarting or stepping down. */
export const isPassing = (error: unknown): boolean =>
  isUnavailable(error) ||
  (error as { hasErrorLabel?(label: string): boolean }).hasErrorLabel?.('RetryableWriteError') === true ||
  SHUTDOWN_CODES.has((error as { code?: number }).code ?? 0)

/** Whether a write failed only as what it was to write stands there already. */
export const isOnlyDuplicates = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError &&
  [error.writeErrors].flat().every(({ code }) => code === DUPLICATE_KEY) &&
  [error.writeErrors].flat().length > 0
