import { setImmediate as turn } from 'node:timers/promises'
import type { Timing } from '../../../../plugins/reach/channels/writing/calls.ts'

/** A clock that advances only when a test advances it. */
export interface VirtualTime extends Timing {
  /** Advances from wait to wait until the work has settled. */
  runUntil(work: Promise<unknown>): Promise<void>
  /** Advances to a moment. */
  runTo(moment: number): Promise<void>
  /** Number of pending waits. */
  readonly waiting: number
}

/** Creates a clock that begins at a million milliseconds. */
export function createVirtualTime(): VirtualTime {
  let now = 1_000_000
  const timers = new Set<{ at: number; ring: () => void }>()

  /** Runs everything that is ready, before the clock advances. */
  const settle = async () => {
    for (let round = 0; round < 4; round += 1) await turn()
  }
  const next = () => [...timers].sort((one, other) => one.at - other.at)[0]
  const pass = (at: number) => {
    now = Math.max(now, at)
    for (const timer of [...timers].filter((each) => each.at <= now)) timer.ring()
  }

  return {
    now: () => now,
    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const ring = () => {
          timers.delete(timer)
          signal.removeEventListener('abort', ring)
          resolve()
        }
        const timer = { at: now + milliseconds, ring }
        timers.add(timer)
        signal.addEventListener('abort', ring, { once: true })
      }),
    async runUntil(work) {
      let isSettled = false
      const end = () => {
        isSettled = true
      }
      work.then(end, end)
      for (;;) {
        await settle()
        if (isSettled) return
        const timer = next()
        if (!timer) throw new Error('The work has not ended, and no wait is pending.')
        pass(timer.at)
      }
    },
    async runTo(moment) {
      for (;;) {
        await settle()
        const timer = next()
        if (!timer || timer.at > moment) return pass(moment)
        pass(timer.at)
      }
    },
    get waiting() {
      return timers.size
    },
  }
}
