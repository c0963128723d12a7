import { setTimeout as pause } from 'node:timers/promises'
import { createPlaces, type Places } from '#kernel'

/** How fast one provider is called by this process: so many calls at a time, and none while it asks for rest. */
export interface Pace extends Places {
  /** Lets no call begin for so many milliseconds. */
  rest(ms: number): void
  /** Waits for the end of the rest. */
  rested(signal?: AbortSignal): Promise<void>
}

/** The part of a rest that is added to it by chance, so that those who wait do not all begin at once. */
const JITTER = 0.2

/** Makes the pace of one provider. */
export function createPace(): Pace {
  let restUntil = 0
  let jitter = 0
  const leftOver = () => restUntil - performance.now()

  return {
    ...createPlaces(),
    rest(ms) {
      restUntil = Math.max(restUntil, performance.now() + ms)
      jitter = ms * JITTER
    },
    async rested(signal) {
      for (let left = leftOver(); left > 0; left = leftOver())
        await pause(left + Math.random() * jitter, undefined, { signal })
    },
  }
}
