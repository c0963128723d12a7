import { createHash } from 'node:crypto'
import type { CollectionInfo, Db, IndexDescription } from 'mongodb'

/** The state for which a collection's indexes were last made. `_id` is the collection's name. */
interface IndexRecord {
  _id: string
  /** Changes with the declared indexes, and when the collection is dropped and made anew. */
  fingerprint: string
}

/**
 * Creates the indexes of these collections, all collections at once. Skips indexes that were created from the same
 * declarations, so that a start sends two queries instead of one for each collection.
 */
export async function ensureIndexes(
  db: Db,
  declared: Iterable<[string, { indexes: IndexDescription[] }]>,
): Promise<void> {
  const indexed = [...declared].filter(([, { indexes }]) => indexes.length > 0)
  if (indexed.length === 0) return
  const records = db.collection<IndexRecord>('collection_indexes')
  const [madeIndexes, existingIds] = await Promise.all([records.find().toArray(), listIds(db)])
  const madeFingerprints = new Map(madeIndexes.map(({ _id, fingerprint }) => [_id, fingerprint]))
  const changed = indexed.filter(([name, { indexes }]) => {
    const id = existingIds.get(name)
    return !id || madeFingerprints.get(name) !== fingerprintOf(id, indexes)
  })
  if (changed.length === 0) return
  await Promise.all(changed.map(([name, { indexes }]) => db.collection(name).createIndexes(indexes)))
  const ids = await listIds(db)
  await records.bulkWrite(
    changed.map(([name, { indexes }]) => ({
      updateOne: {
        filter: { _id: name },
        update: { $set: { fingerprint: fingerprintOf(ids.get(name)!, indexes) } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

const fingerprintOf = (id: string, indexes: IndexDescription[]): string =>
  createHash('sha256')
    .update(`${id} ${JSON.stringify(indexes)}`)
    .digest('hex')

/** The id that the database gave each collection when it was made, by the collection's name. */
async function listIds(db: Db): Promise<Map<string, string>> {
  const collections = (await db.listCollections().toArray()) as CollectionInfo[]
  return new Map(collections.map(({ name, info }) => [name, String(info?.uuid)]))
}
