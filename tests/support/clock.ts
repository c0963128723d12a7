import type { Clock } from '../../kernel/clock.ts'

/** A clock that goes with the system's and that a test can put forward, by seconds. */
export function createTestClock(): Clock & { advance(seconds: number): void } {
  let ahead = 0
  const now = () => Date.now() + ahead * 1000
  return {
    now,
    seconds: () => Math.floor(now() / 1000),
    advance(seconds) {
      ahead += seconds
    },
  }
}
