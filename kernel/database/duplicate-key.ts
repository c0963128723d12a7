import { isDriverError } from './driver-error.ts'

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
