import { createDeadline, createPlaces, type Places } from '#kernel'
import { RunnerFailure } from './errors.ts'

/** The places for runners: so many in all, and at most half of them for one account. */
export interface RunPlaces {
  /** Waits for a place, at most so long; gives what frees it. Throws a RunnerFailure, or the signal's reason. */
  enter(user_id: string, signal: AbortSignal): Promise<() => void>
}

/** Makes places that nobody has taken yet. */
export function createRunPlaces({
  max_processes,
  max_seconds,
}: {
  max_processes: number
  max_seconds: number
}): RunPlaces {
  const all = createPlaces()
  const accounts = new Map<string, { places: Places; uses: number }>()
  const most = Math.max(1, Math.floor(max_processes / 2))

  return {
    async enter(user_id, signal) {
      const account = accounts.get(user_id) ?? { places: createPlaces(), uses: 0 }
      accounts.set(user_id, account)
      account.uses += 1
      const tooLate = () =>
        new RunnerFailure(`found no place within ${max_seconds} s, as others run; try again later`)
      const deadline = createDeadline([signal], { milliseconds: max_seconds * 1000, reason: tooLate })
      const left: (() => void)[] = [
        () => {
          account.uses -= 1
          if (account.uses === 0) accounts.delete(user_id)
        },
      ]
      const leave = () => {
        for (const go of left.splice(0)) go()
      }
      try {
        left.push(await account.places.enter(most, deadline.signal))
        left.push(await all.enter(max_processes, deadline.signal))
        return leave
      } catch (error) {
        leave()
        throw error
      } finally {
        deadline.release()
      }
    },
  }
}
