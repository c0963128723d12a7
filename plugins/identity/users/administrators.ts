import { setTimeout as pause } from 'node:timers/promises'
import { AppError, isDuplicateKey } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** The longest that one process keeps the lock; a process that dies leaves it for this long. */
const LEASE_MS = 30_000
const POLL_MS = 20

/** The name of the lock on changes that demote, disable or delete an account. */
const LOCK = 'administrators'

/** Keeps at least one administrator enabled, who can undo everything else that is done to accounts. */
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
      // The upsert collides with the lock of the change that is in progress.
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  return {
    /**
     * Runs a change that may demote, disable or delete this account, one change at a time across all processes.
     * Throws LAST_ADMINISTRATOR, without running the change, if no other enabled administrator exists.
     */
    async ensureAnotherAdminRemains<Value>(user_id: string, change: () => Promise<Value>): Promise<Value> {
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
