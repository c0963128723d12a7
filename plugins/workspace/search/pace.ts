import { setImmediate } from 'node:timers/promises'

/** How long work may go on at a stretch before others have their turn, in milliseconds. */
const STRETCH_MS = 5

/** Shares the event loop and knows when work has to end. */
export interface Pace {
  /** Lets others work if it is time to; throws the signal's reason. */
  rest(): Promise<void>
  /** Whether the time is up, or the work no longer wanted. */
  isOver(): boolean
}

/** Makes the pace of work that may take this many milliseconds. */
export function createPace(
  milliseconds: number,
  { signal, isStopped = () => false }: { signal?: AbortSignal; isStopped?: () => boolean },
): Pace {
  const end = performance.now() + milliseconds
  let rested = performance.now()
  return {
    isOver: () => performance.now() >= end || isStopped(),
    async rest() {
      if (performance.now() - rested >= STRETCH_MS) {
        await setImmediate()
        rested = performance.now()
      }
      signal?.throwIfAborted()
    },
  }
}
