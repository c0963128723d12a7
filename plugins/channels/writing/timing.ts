import { setTimeout as pause } from 'node:timers/promises'

/** The clock of this package; tests pass their own. */
export interface Timing {
  /** Returns Unix milliseconds. */
  now(): number
  /** Resolves after this many milliseconds, or as soon as the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** The system's time. */
export const systemTiming: Timing = {
  now: () => Date.now(),
  // Rejects only when aborted.
  wait: (milliseconds, signal) => pause(milliseconds, undefined, { signal }).catch(() => undefined),
}
