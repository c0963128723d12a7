import type { Semaphore } from '#toolbox'

/** The most calls of a turn that work at the same time: more would delay the turns of others. */
const MAX_WORKING = 4

/** Creates the slot of a call, which the call has not entered; the calls of a turn share the permits. */
export function createCallSlot(permits: Semaphore, signal: AbortSignal) {
  let free: (() => void) | undefined
  const self = {
    /** Waits for a slot; rejects when the call is aborted. */
    async enter(): Promise<void> {
      free = await permits.acquire(MAX_WORKING, signal)
    },
    leave(): void {
      free?.()
      free = undefined
    },
    /** Waits for something without a slot. */
    async outside<Value>(wait: () => Promise<Value>): Promise<Value> {
      self.leave()
      try {
        return await wait()
      } finally {
        await self.enter()
      }
    },
  }
  return self
}
