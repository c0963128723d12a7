/** The time within which what falls due at once is to be started, in milliseconds. */
const BURST_MS = 45_000
/** The shortest and the longest time between two starts of turns, in milliseconds. */
const MIN_INTERVAL_MS = 20
const MAX_INTERVAL_MS = 100

/** The pace at which a server starts what is due. */
export interface Pace {
  /** Sets the pace so that `waiting` schedules, the first of which is `late` milliseconds late, start in time. */
  set(waiting: number, late: number): void
  /** Returns the time until the next turn may be started, in milliseconds, and takes its slot. */
  take(): number
  /** Returns a slot that was not used. */
  giveBack(): void
}

/**
 * Creates the pace of one process: as slow as the time allows, so that the turns of people keep theirs. Servers of one
 * database count the same schedules, so that each alone would be in time.
 */
export function createPace(): Pace {
  let interval = MAX_INTERVAL_MS
  let next = 0
  return {
    set(waiting, late) {
      interval = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, (BURST_MS - late) / waiting))
    },
    take() {
      const now = performance.now()
      const start = Math.max(now, next)
      next = start + interval
      return start - now
    },
    giveBack() {
      next -= interval
    },
  }
}
