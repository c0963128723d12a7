/** The only source of time, which tests replace. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Unix seconds, whole. */
  seconds(): number
}

/** The clock of the system. */
export const systemClock: Clock = {
  now: () => Date.now(),
  seconds: () => Math.floor(Date.now() / 1000),
}
