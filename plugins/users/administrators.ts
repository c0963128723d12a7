import { setTimeout as pause } from 'node:timers/promises'
import { AppError, isDuplicateKey } from '#kernel'
import type { Cradle } from './manifest.ts'

/** How long a process keeps others away at most, also when it dies meanwhile. */
const LEASE_MS = 30_000
const POLL_MS = 20

/** What may take an account from among the enabled administrators. */
const LOCK = 'administrators'

/** Sees to it that there is always an enabled administrator, who can undo whatever else is done to accounts. */
export function createAdministrators({
  collections: { users, user_locks },
  clock,
  ids,
}: Pick<Cradle, 'collections' | 'clock' | 'ids'>) {
  const tryLock = async (lease: string): Promise<boolean> => {
    const now = clock.now()
    try {
      await user_locks.updateOne(
        { _id: LOCK, until: { $lte: now } },
        { $set: { lease, until: now + LEASE_MS } },
        { upsert: true },
      )
      return true
    } catch (error) {
      // The upsert collides with the lock of the change that is under way.
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  return {
    /**
     * Runs a change that may take this account from among the enabled administrators, one at a time on all
     * processes. Throws LAST_ADMINISTRATOR without running it where no other one is left.
     */
    async outlive<Value>(user_id: string, change: () => Promise<Value>): Promise<Value> {
      const lease = ids.make()
      while (!(await tryLock(lease))) await pause(POLL_MS)
      try {
        const left = await users
          .find({ role: 'admin', enabled: true }, { projection: { _id: 1 } })
          .limit(2)
          .toArray()
        if (left.length === 1 && left[0]!._id === user_id) throw new AppError('LAST_ADMINISTRATOR')
        return await change()
      } finally {
        await user_locks.updateOne({ _id: LOCK, lease }, { $set: { until: 0 } })
      }
    },
  }
}
