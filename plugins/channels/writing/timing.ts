import { setTimeout as pause } from 'node:timers/promises'

/** The time that the writing side goes by; tests put their own in. */
export interface Timing {
  /** Unix milliseconds. */
  now(): number
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** The system's time. */
export const systemTiming: Timing = {
  now: () => Date.now(),
  // It rejects for no other reason than the signal.
  wait: (milliseconds, signal) => pause(milliseconds, undefined, { signal }).catch(() => undefined),
}
