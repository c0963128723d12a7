import { randomFillSync } from 'node:crypto'

/** Makes identifiers: an optional prefix and a ULID, so that they sort by the time they were made. */
export interface Ids {
  make(prefix?: string): string
}

/** The digits of a ULID: ten of the time in milliseconds, then sixteen random ones. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_DIGITS = 10
const LENGTH = 26
const BASE = DIGITS.length

/** Creates identifiers that rise strictly within this process, also within one millisecond. */
export function createIds(): Ids {
  const digits = new Uint8Array(LENGTH)
  let time = 0

  /** Begins a millisecond. */
  const begin = (now: number) => {
    time = now
    randomFillSync(digits, TIME_DIGITS)
    for (let at = TIME_DIGITS; at < LENGTH; at += 1) digits[at]! %= BASE
    for (let at = TIME_DIGITS - 1, value = now; at >= 0; at -= 1, value = Math.floor(value / BASE))
      digits[at] = value % BASE
  }

  return {
    make(prefix = '') {
      const now = Date.now()
      if (now > time) begin(now)
      else {
        // Adds one to the last id, also if the clock was set back.
        let at = LENGTH - 1
        for (; digits[at] === BASE - 1; at -= 1) digits[at] = 0
        digits[at]! += 1
      }
      let id = prefix
      for (const digit of digits) id += DIGITS[digit]
      return id
    },
  }
}
