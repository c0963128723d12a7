import { isDriverError } from './driver-error.ts'

/** Whether an operation failed only because the database cannot be reached: trying again later can help. */
export function isUnavailable(error: unknown): boolean {
  // The error of a bulk write holds the one that kept it from being sent or answered.
  const cause = isDriverError(error, ['MongoBulkWriteError'])
    ? (error as { errorResponse?: unknown }).errorResponse
    : error
  return (
    isDriverError(cause, ['MongoNetworkError', 'MongoServerSelectionError']) ||
    // What a socket says whose other end has just died is passed on by the driver as it is.
    (cause as NodeJS.ErrnoException | null | undefined)?.code === 'EPIPE'
  )
}
