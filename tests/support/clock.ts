import type { Clock } from '../../kernel/clock.ts'

/** A clock that a test can put forward, by seconds; in between it goes with the system's, or as `time` says. */
export function createTestClock(time = Date.now): Clock & { advance(seconds: number): void } {
  let ahead = 0
  const now = () => time() + ahead * 1000
  return {
    now,
    seconds: () => Math.floor(now() / 1000),
    advance(seconds) {
      ahead += seconds
    },
  }
}

/** A test clock that stands still in between, at `time` in Unix milliseconds. */
export const createStillClock = (time = Date.now()) => createTestClock(() => time)
