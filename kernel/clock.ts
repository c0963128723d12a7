/** The only source of time; tests put their own in. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Unix seconds, whole. */
  seconds(): number
}

/** The system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  seconds: () => Math.floor(Date.now() / 1000),
}
