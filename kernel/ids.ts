import { monotonicFactory } from 'ulid'

/** Makes identifiers: an optional prefix and a ULID, so that they sort by the time they were made. */
export interface Ids {
  make(prefix?: string): string
}

/** Identifiers that rise strictly within this process, also within one millisecond. */
export function createIds(): Ids {
  const next = monotonicFactory()
  return { make: (prefix = '') => prefix + next() }
}
