import { createHash } from 'node:crypto'
import { BSON, type Collection, type Db, type Document } from 'mongodb'
import type { Blueprint } from '#plugin-api'
import { isPassing } from './format.ts'

/** Documents that are read or written at once. */
const BATCH = 1000

/** The number and the hash of documents, in the order of their ids. */
export interface Extent {
  count: number
  hash: string
}

/**
 * Lists the collections of a database that are copied. Collections of plugins that others depend on come last, and the
 * collections of a plugin in the reverse of their declaration: what a document refers to exists and is read later.
 */
export async function listCopied(db: Db, { plugins }: Blueprint): Promise<string[]> {
  const collections = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray()
  const names = collections.map(({ name }) => name).filter((name) => !isPassing(name))
  const declared = plugins.flatMap(({ declarations }) => [...declarations.collections.keys()]).reverse()
  return [
    ...names.filter((name) => !declared.includes(name)),
    ...declared.filter((name) => names.includes(name)),
  ]
}

/** Reads a collection in the order of its ids as BSON, without changing a byte. */
export async function* readRaw(collection: Collection): AsyncGenerator<Buffer[]> {
  const cursor = collection.find({}, { raw: true, batchSize: BATCH, noCursorTimeout: false }).sort({ _id: 1 })
  try {
    for (let next = cursor.hasNext(); await next; ) {
      const batch = cursor.readBufferedDocuments() as unknown as Buffer[]
      // The database reads on while these are written.
      next = cursor.hasNext()
      next.catch(() => undefined)
      yield batch
    }
  } finally {
    await cursor.close()
  }
}

/** Decodes a document so that encoding it again keeps the types of its numbers. */
export const decode = (raw: Buffer): Document =>
  BSON.deserialize(raw, { promoteValues: false, promoteBuffers: false, bsonRegExp: true })

/** The lengths of the types of ids that are read without decoding their documents: numbers, dates, object ids. */
const LENGTHS: Partial<Record<number, number>> = { 1: 8, 7: 12, 9: 8, 16: 4, 18: 8 }
const STRING = 0x02
/** The length of a document, the type of its first element, and the name `_id`. */
const ID_AT = 4 + 1 + 4

/** Returns the element `_id` of a document, which the database stores first, as text with one character for each byte. */
export function readId(raw: Buffer): string {
  const type = raw[4]!
  const length = type === STRING ? 4 + raw.readInt32LE(ID_AT) : LENGTHS[type]
  if (length !== undefined) return raw.toString('latin1', 4, ID_AT + length)
  const document = Buffer.from(BSON.serialize({ _id: decode(raw)._id }))
  return document.toString('latin1', 4, document.length - 1)
}

/** Returns a document that has nothing but this id. */
export function toIdDocument(id: string): Buffer {
  const document = Buffer.alloc(4 + id.length + 1)
  document.writeInt32LE(document.length)
  document.write(id, 4, 'latin1')
  return document
}

/** Writes documents to a collection, and counts and hashes what it writes. */
export function createLoader(collection: Collection) {
  const hash = createHash('sha256')
  let count = 0
  return {
    async add(raw: readonly Buffer[]): Promise<void> {
      for (let at = 0; at < raw.length; at += BATCH) {
        const documents = raw.slice(at, at + BATCH).map(decode)
        for (const document of documents) hash.update(BSON.serialize(document))
        // The journal is waited for once, at the end.
        await collection.insertMany(documents, { ordered: true, writeConcern: { w: 1, journal: false } })
        count += documents.length
      }
    },
    extent: (): Extent => ({ count, hash: hash.digest('hex') }),
  }
}

/** Reads a collection again, to compare it with what was written. */
export async function measure(collection: Collection): Promise<Extent> {
  const hash = createHash('sha256')
  let count = 0
  for await (const batch of readRaw(collection)) {
    for (const raw of batch) hash.update(raw)
    count += batch.length
  }
  return { count, hash: hash.digest('hex') }
}

/** Drops the collections of a database that has no documents; returns the name of a collection that has some. */
export async function clearEmpty(db: Db): Promise<string | undefined> {
  const collections = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray()
  const names = collections.map(({ name }) => name).filter((name) => !name.startsWith('system.'))
  for (const name of names) if (!isPassing(name) && (await db.collection(name).findOne({}))) return name
  for (const name of names) await db.dropCollection(name)
  return undefined
}

/** Waits until everything that was written is in the journal. */
export async function flushJournal(db: Db): Promise<void> {
  await db.collection<{ _id: string }>('leases').deleteOne({ _id: 'backup' })
  const mark = db.collection<{ _id: string; holder: string; until: number }>('leases')
  await mark.insertOne({ _id: 'backup', holder: 'backup', until: 0 })
  await mark.deleteOne({ _id: 'backup' })
}
