import { isDriverError } from './driver-error.ts'

/** True if an operation failed only because the database cannot be reached: a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  // The error of a bulk write holds the one that kept it from being sent or answered.
  const cause = isDriverError(error, ['MongoBulkWriteError'])
    ? (error as { errorResponse?: unknown }).errorResponse
    : error
  return (
    isDriverError(cause, ['MongoNetworkError', 'MongoServerSelectionError']) ||
    // The driver passes on the error of a socket whose other end has just died as it is.
    (cause as NodeJS.ErrnoException | null | undefined)?.code === 'EPIPE'
  )
}
