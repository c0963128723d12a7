import type { Clock } from '../../kernel/clock.ts'

/** Creates a clock that runs like `time` (Unix milliseconds, by default the system's) plus the seconds advanced. */
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

/** Creates a test clock that only moves when it is advanced, and starts at `time` in Unix milliseconds. */
export const createFrozenClock = (time = Date.now()) => createTestClock(() => time)
