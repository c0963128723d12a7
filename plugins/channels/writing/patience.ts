import type { Failure } from './failure.ts'
import type { Timing } from './timing.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** How long to go on with something that fails, from the first failure on. */
const LIMIT_MS = 60 * MINUTE
const FIRST_PAUSE_MS = SECOND
const LONGEST_PAUSE_MS = MINUTE
const LONGEST_LIMIT_PAUSE_MS = 10 * MINUTE

const HELPED_BY_TIME = ['rate_limited', 'unreachable', 'timeout', 'unknown']

/** Whether the same call may succeed later. */
export const isHelpedByTime = ({ reason }: Failure) => HELPED_BY_TIME.includes(reason)

/** How long to go on with a call that fails. */
export interface Patience {
  /** How long to wait before the next attempt, in milliseconds; undefined where none would help. */
  pauseAfter(failure: Failure): number | undefined
  /** A call has succeeded. */
  renew(): void
}

/** Makes the patience for calls of which one is made at a time. */
export function createPatience({
  timing,
  random,
}: {
  timing: Pick<Timing, 'now'>
  random: () => number
}): Patience {
  let failures = 0
  let since = 0
  return {
    pauseAfter(failure) {
      if (!isHelpedByTime(failure)) return undefined
      const { reason, retry_after_ms } = failure
      failures += 1
      if (failures === 1) since = timing.now()
      const backOff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 16))
      // Spread out, so that those who failed together do not come back together.
      const pause =
        reason === 'rate_limited' && retry_after_ms !== undefined
          ? Math.min(LONGEST_LIMIT_PAUSE_MS, Math.max(FIRST_PAUSE_MS, retry_after_ms) * (1 + random() / 10))
          : backOff * (0.5 + random() / 2)
      return timing.now() + pause - since > LIMIT_MS ? undefined : Math.ceil(pause)
    },
    renew() {
      failures = 0
    },
  }
}
