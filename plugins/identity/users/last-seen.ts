import { untilTick } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { UserDocument } from './types.ts'

/** Seconds between two stored requests of an account. */
const PRECISION_SECONDS = 300
/** The period in which requests are collected for one write, in milliseconds. */
const FLUSH_MS = 2000

/** Creates the record of when each account was last used. */
export function createLastSeen({
  collections: { users },
  clock,
  log,
}: Pick<Cradle, 'collections' | 'clock' | 'log'>) {
  const pending = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const requests = [...pending]
    pending.clear()
    if (requests.length === 0) return
    try {
      await users.bulkWrite(
        requests.map(([_id, last_seen_at]) => ({
          updateOne: {
            // Another process, or a copy in memory that was read before the last write, may be behind.
            filter: { _id, last_seen_at: { $lte: last_seen_at - PRECISION_SECONDS } },
            update: { $set: { last_seen_at } },
          },
        })),
        { ordered: false },
      )
    } catch (error) {
      log.warn({ error }, 'the times of the last requests of accounts were not stored')
    }
  }

  return {
    /** Notes a request of an account; stored within seconds, unless the stored time is younger than five minutes. */
    noteSeen({ _id, last_seen_at }: Pick<UserDocument, '_id' | 'last_seen_at'>): void {
      const now = clock.seconds()
      if (now - last_seen_at < PRECISION_SECONDS || pending.has(_id)) return
      pending.set(_id, now)
      timer ??= setTimeout(() => void flush(), untilTick(FLUSH_MS)).unref()
    },

    /** Stores the time of a sign-in. */
    async noteSignIn(_id: string): Promise<void> {
      const now = clock.seconds()
      await users.updateOne({ _id }, { $set: { last_login_at: now, last_seen_at: now } })
    },

    /** Stores what was noted and is not stored yet. */
    flushSeen: flush,
  }
}
