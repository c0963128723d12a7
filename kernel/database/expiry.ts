import type { Db, IndexDescription } from 'mongodb'
import type { Clock } from '../clock.ts'
import type { Job } from '../plugin/jobs.ts'

/**
 * Makes the job that removes what has expired by the TTL indexes of these collections, as a MongoDB server does by
 * itself; the embedded engine keeps such indexes but never acts on them.
 */
export function createExpiryJob(
  db: Db,
  collections: Iterable<[string, { indexes: IndexDescription[] }]>,
  clock: Clock,
): Job {
  const expiring = [...collections].flatMap(([name, { indexes }]) =>
    indexes.flatMap(({ key, expireAfterSeconds }) =>
      expireAfterSeconds === undefined ? [] : [{ name, field: Object.keys(key)[0]!, expireAfterSeconds }],
    ),
  )
  return {
    name: 'database.expiry',
    every_seconds: 60,
    async run() {
      for (const { name, field, expireAfterSeconds } of expiring) {
        const end = new Date(clock.now() - expireAfterSeconds * 1000)
        await db.collection(name).deleteMany({ [field]: { $lt: end } })
      }
    },
  }
}
