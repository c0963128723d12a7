import { randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'

/** Makes identifiers: an optional prefix and a ULID, so that they sort by the time they were made. */
export interface Ids {
  make(prefix?: string): string
}

/** Identifiers that rise strictly within this process, also within one millisecond. */
export function createIds(): Ids {
  const next = monotonicFactory(createRandom())
  return { make: (prefix = '') => prefix + next() }
}

/** Random fractions of one byte each, as ulid wants them; drawn in bulk, as a draw costs more than an id. */
function createRandom(): () => number {
  const pool = new Uint8Array(1024)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += 1
    return pool[used - 1]! / 256
  }
}
