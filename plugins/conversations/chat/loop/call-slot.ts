import type { Semaphore } from '#toolbox'

/** The most calls of a turn that work at the same time: more would delay the turns of others. */
const MAX_WORKING = 4

/** The right of a call to work, which it does not need while it waits for a person or a delegated task. */
export interface CallSlot {
  /** Waits for a slot; rejects when the call is aborted. */
  enter(): Promise<void>
  leave(): void
  /** Waits for something without a slot. */
  outside<Value>(wait: () => Promise<Value>): Promise<Value>
}

/** Creates the slot of a call among those of its turn; the call has not entered it. */
export function createCallSlot(permits: Semaphore, signal: AbortSignal): CallSlot {
  let free: (() => void) | undefined
  const self: CallSlot = {
    async enter() {
      free = await permits.acquire(MAX_WORKING, signal)
    },
    leave() {
      free?.()
      free = undefined
    },
    async outside(wait) {
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
