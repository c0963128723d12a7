import { setTimeout as pause } from 'node:timers/promises'
import { AppError, createKeyedQueue, isDuplicateKey } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { createBusyError } from './rate-limits.ts'
import type { Refunds } from './refunds.ts'

/** The longest that one attempt keeps a name; a process that dies leaves it for this long. */
const LEASE_MS = 10_000
const LEASE_POLL_MS = 25
const MAX_WAITING = 250
/** Failures are forgotten after this time without a new one, or after the lockout time if that is longer. */
const MEMORY_SECONDS = 86_400

/** The way in which an attempt is counted. */
export interface AttemptOptions {
  /** False if a success leaves the count as it is, because it proves a part of what a sign-in needs. */
  clears?: boolean
}

/** Counts failed logins per account name and locks the name after too many. */
export type AccountLockout = ReturnType<typeof createAccountLockout>

/** Creates the lockout, which applies to all processes on one database. */
export function createAccountLockout({
  collections: { login_attempts },
  clock,
  ids,
  config,
  refunds,
}: { refunds: Refunds } & Pick<Cradle, 'collections' | 'clock' | 'ids' | 'config'>) {
  const { login_max_attempts, login_lockout_seconds } = config
  const queue = createKeyedQueue({ maxWaiting: MAX_WAITING, toRefusal: createBusyError })
  const memoryMs = Math.max(MEMORY_SECONDS, login_lockout_seconds) * 1000

  /** Takes the lease and counts the attempt as failed in one write, so that a crash never hides a guess. */
  const tryAcquire = async (name: string, lease: string, now: number): Promise<boolean> => {
    const count = {
      $cond: [
        { $gt: [{ $ifNull: ['$locked_until', 0] }, 0] },
        1,
        { $add: [{ $ifNull: ['$failures', 0] }, 1] },
      ],
    }
    const lock = {
      $cond: [{ $gte: ['$failures', login_max_attempts] }, now + login_lockout_seconds * 1000, 0],
    }
    try {
      await login_attempts.updateOne(
        { _id: name, lease_until: { $lte: now }, locked_until: { $lte: now } },
        [
          {
            $set: {
              failures: count,
              lease,
              lease_until: now + LEASE_MS,
              delete_at: new Date(now + memoryMs),
            },
          },
          { $set: { locked_until: lock } },
        ],
        { upsert: true },
      )
      return true
    } catch (error) {
      // The upsert collides with a document that is leased or locked.
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  const acquire = async (name: string): Promise<string> => {
    const lease = ids.make()
    for (;;) {
      const now = clock.now()
      if (await tryAcquire(name, lease, now)) return lease
      const attempts = await login_attempts.findOne({ _id: name })
      if (!attempts) continue
      // The lock is provisional while an attempt is being evaluated, because that attempt may still succeed.
      if (attempts.lease_until <= now && attempts.locked_until > now)
        throw createLockError(attempts.locked_until, now)
      await pause(LEASE_POLL_MS)
    }
  }

  const evaluate = async <Value>(
    name: string,
    check: () => Promise<Value | undefined>,
    { clears = true }: AttemptOptions,
  ): Promise<Value | undefined> => {
    const lease = await acquire(name)
    const mine = { _id: name, lease }
    // The lease shows if it has been taken back already.
    const uncount = () =>
      login_attempts.updateOne(
        { ...mine, lease_until: { $gt: 0 } },
        { $inc: { failures: -1 }, $set: { locked_until: 0, lease_until: 0 } },
      )
    let value: Value | undefined
    try {
      value = await check()
    } catch (error) {
      // Nothing was checked, so the attempt does not count.
      await refunds.make(uncount)
      throw error
    }
    if (value === undefined) await login_attempts.updateOne(mine, { $set: { lease_until: 0 } })
    else await refunds.make(clears ? () => login_attempts.deleteOne(mine) : uncount)
    return value
  }

  return {
    /**
     * Runs `check`, one call at a time per name. If it resolves to undefined, that is a failure; any other value
     * clears the count. Throws LOGIN_LOCKED, without running it, while the name is locked; LOGIN_BUSY if too many wait.
     */
    attempt<Value>(
      username: string,
      check: () => Promise<Value | undefined>,
      options: AttemptOptions = {},
    ): Promise<Value | undefined> {
      const name = username.toLowerCase()
      return queue.run(name, () => evaluate(name, check, options))
    },

    /** Returns the remaining seconds of each lock on these names; names that are not locked are left out. */
    async listLocks(usernames: readonly string[]): Promise<Map<string, number>> {
      const now = clock.now()
      const locked = { _id: { $in: [...usernames] }, lease_until: { $lte: now }, locked_until: { $gt: now } }
      const lockedAttempts = await login_attempts.find(locked).toArray()
      return new Map(
        lockedAttempts.map(({ _id, locked_until }) => [_id, Math.ceil((locked_until - now) / 1000)]),
      )
    },

    /** Clears the failures of a name and ends its lock. */
    async clear(username: string): Promise<void> {
      await login_attempts.deleteOne({ _id: username.toLowerCase() })
    },
  }
}

/** Creates the error for an attempt before a lock ends; both times are Unix milliseconds. */
function createLockError(end: number, now: number): AppError {
  const retry_after_seconds = Math.max(1, Math.ceil((end - now) / 1000))
  const minutes = Math.ceil(retry_after_seconds / 60)
  return new AppError('LOGIN_LOCKED', { retry_after_seconds, minutes, locked_until: Math.ceil(end / 1000) })
}
