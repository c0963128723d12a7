import type { Failure } from './failure.ts'
import type { Timing } from './timing.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Attempts end this long after the first failure. */
const GIVE_UP_MS = 60 * MINUTE
const FIRST_PAUSE_MS = SECOND
const MAX_PAUSE_MS = MINUTE
/** The longest pause that a platform may ask for. */
const MAX_RETRY_AFTER_MS = 10 * MINUTE

const TRANSIENT = ['rate_limited', 'unreachable', 'timeout', 'unknown']

/** True if the same call may succeed later. */
export const isTransient = ({ reason }: Failure) => TRANSIENT.includes(reason)

/** Back-off for a call that fails. */
export interface BackOff {
  /** Returns the pause before the next attempt, in milliseconds; undefined if no attempt should follow. */
  pauseAfter(failure: Failure): number | undefined
  /** Resets the back-off after a successful call. */
  reset(): void
}

/** Creates the back-off for a sequence of calls. */
export function createBackOff({
  timing,
  random,
}: {
  timing: Pick<Timing, 'now'>
  random: () => number
}): BackOff {
  let failures = 0
  let since = 0
  return {
    pauseAfter(failure) {
      if (!isTransient(failure)) return undefined
      const { reason, retry_after_ms } = failure
      failures += 1
      if (failures === 1) since = timing.now()
      const longest = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 16))
      // Jitter, so that calls that failed together are not repeated together.
      const pause =
        reason === 'rate_limited' && retry_after_ms !== undefined
          ? Math.min(MAX_RETRY_AFTER_MS, Math.max(FIRST_PAUSE_MS, retry_after_ms) * (1 + random() / 10))
          : longest * (0.5 + random() / 2)
      return timing.now() + pause - since > GIVE_UP_MS ? undefined : Math.ceil(pause)
    },
    reset() {
      failures = 0
    },
  }
}
