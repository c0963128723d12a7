/** The time within which what falls due at once is to be started, in milliseconds. */
const BURST_MS = 45_000
/** The shortest and the longest time between two starts of turns, in milliseconds. */
const MIN_INTERVAL_MS = 20
const MAX_INTERVAL_MS = 100

/**
 * Creates the pace of one process: as slow as the time allows, so that the turns of people keep theirs. Servers of one
 * database count the same schedules, so that each alone would be in time.
 */
export function createPace() {
  let interval = MAX_INTERVAL_MS
  let next = 0
  return {
    /** Sets the pace so that `waiting` schedules, the first of which is `late` milliseconds late, start in time. */
    set(waiting: number, late: number): void {
      interval = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, (BURST_MS - late) / waiting))
    },
    /** Returns the time until the next turn may be started, in milliseconds, and takes its slot. */
    take(): number {
      const now = performance.now()
      const start = Math.max(now, next)
      next = start + interval
      return start - now
    },
    /** Returns a slot that was not used. */
    giveBack(): void {
      next -= interval
    },
  }
}
