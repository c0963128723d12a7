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

/**
 * Returns the milliseconds until the next multiple of a period that is at least a tenth of it away, as timers may fire
 * early. What wakes up at the same multiples wakes up together, which costs an idle server less.
 */
export function untilTick(period_ms: number): number {
  const left = period_ms - (performance.now() % period_ms)
  return left < period_ms / 10 ? left + period_ms : left
}
