import { setTimeout as pause } from 'node:timers/promises'
import { createPlaces, type Places } from '#kernel'

/** How fast one provider is called by this process: so many calls at a time, and none while it asks for rest. */
export interface Pace {
  /** Waits for one of `limit` places, of which an account has only its share; returns what frees it. */
  enter(limit: number, account_id: string, signal?: AbortSignal): Promise<() => void>
  /** Lets no call begin for so many milliseconds. */
  rest(ms: number): void
  /** Waits for the end of the rest. */
  rested(signal?: AbortSignal): Promise<void>
}

/** The part of a rest that is added to it by chance, so that those who wait do not all begin at once. */
const JITTER = 0.2

/** Up to so many places, one account may have them all. */
const FEW_PLACES = 16

/** Returns the most places of one account, so that its calls, which may never end, leave others some. */
const shareOf = (places: number) => (places > FEW_PLACES ? Math.floor((places * 3) / 4) : places)

/** Makes the pace of one provider. */
export function createPace(): Pace {
  let restUntil = 0
  let jitter = 0
  const leftOver = () => restUntil - performance.now()
  const all = createPlaces()
  const accounts = new Map<string, { places: Places; calls: number }>()

  const enterOwn = async (limit: number, account_id: string, signal?: AbortSignal) => {
    const account = accounts.get(account_id) ?? { places: createPlaces(), calls: 0 }
    accounts.set(account_id, account)
    account.calls += 1
    const forget = () => {
      account.calls -= 1
      if (account.calls === 0) accounts.delete(account_id)
    }
    try {
      const leave = await account.places.enter(shareOf(limit), signal)
      return () => {
        leave()
        forget()
      }
    } catch (error) {
      forget()
      throw error
    }
  }

  return {
    async enter(limit, account_id, signal) {
      const leaveOwn = await enterOwn(limit, account_id, signal)
      try {
        const leave = await all.enter(limit, signal)
        return () => {
          leave()
          leaveOwn()
        }
      } catch (error) {
        leaveOwn()
        throw error
      }
    },
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
