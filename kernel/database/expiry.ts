import type { Db, IndexDescription } from 'mongodb'
import type { Clock } from '../clock.ts'
import type { Job } from '../contract/job.ts'

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
      expireAfterSeconds === undefined
        ? []
        : [{ namespace: `${db.databaseName}.${name}`, field: Object.keys(key)[0]!, expireAfterSeconds }],
    ),
  )
  return {
    name: 'database.expiry',
    every_seconds: 60,
    async run() {
      const removals = expiring.map(({ namespace, field, expireAfterSeconds }) => ({
        name: 'deleteMany' as const,
        namespace,
        filter: { [field]: { $lt: new Date(clock.now() - expireAfterSeconds * 1000) } },
      }))
      if (removals.length > 0) await db.client.bulkWrite(removals, { ordered: false })
    },
  }
}
