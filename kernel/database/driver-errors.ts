/** True if a write was refused because a document with the same unique key exists. */
export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 11000
}

/** True if a bulk write failed only because its documents exist already. */
export function isOnlyDuplicates(error: unknown): boolean {
  if (!isDriverError(error, ['MongoBulkWriteError'])) return false
  const failed = [(error as { writeErrors: unknown }).writeErrors].flat()
  return failed.length > 0 && failed.every(isDuplicateKey)
}

/** Codes of MongoDB: the user may not run this command; the user is unknown, or the password is wrong. */
const REFUSED_CODES: unknown[] = [13, 18]

/** True if a MongoDB server refused the user. */
export const isRefused = (error: unknown): boolean =>
  isDriverError(error, ['MongoServerError']) && REFUSED_CODES.includes((error as { code?: unknown }).code)

/** True if an operation failed only because the database cannot be reached: a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  // Several plugins were asked, and none failed for another reason.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnavailable)
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

/**
 * True if an error is of one of these classes of the database driver, by name: commands without a database would load
 * the driver for it, which takes a tenth of a second.
 */
function isDriverError(error: unknown, names: readonly string[]): boolean {
  let kind: unknown = (error as object | null | undefined)?.constructor
  while (typeof kind === 'function') {
    if (names.includes(kind.name)) return true
    kind = Object.getPrototypeOf(kind)
  }
  return false
}

/** The codes of the system for a disk that is full, and for a quota that is used up; MongoDB's code for the former. */
const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT', 14_031])

/** True if something failed because there is no space left to write. */
export function isStorageFull(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1)
    if (FULL.has((cause as NodeJS.ErrnoException).code)) return true
  return false
}
