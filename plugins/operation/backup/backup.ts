import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { Db } from 'mongodb'
import { type Blueprint, ConfigError } from '#plugin-api'
import { type ArchiveWriter, createArchiveWriter } from './archive-writer.ts'
import { listCopied, readId, readRaw, toIdDocument } from './collections.ts'
import { type ArchiveEnd, type ArchiveHead, FORMAT, SEALED_FILES } from './format.ts'
import { createHomeFiles } from './home-files.ts'
import { deriveKey, newDerivation, sealFile } from './sealing.ts'

/** The size of an entry with documents. */
const PART_BYTES = 8 * 1024 * 1024
/** Collections with more documents are not searched for those that were deleted while the backup ran. */
const MOST_COMPARED = 100_000
/** File systems may round times down. */
const CLOCK_GRAIN_MS = 2000

/**
 * Writes an archive of a server that may be running. Files are read before the database, and those that changed
 * meanwhile again after it, so that what documents refer to is in the archive. Last come the ids of documents that
 * were deleted meanwhile; plugins that others depend on come first.
 */
export async function writeBackup({
  blueprint,
  db,
  isEmbedded,
  passphrase,
  output,
  now,
}: {
  blueprint: Blueprint
  db: Db
  isEmbedded: boolean
  passphrase: string
  output: Writable
  /** Unix milliseconds. */
  now: number
}): Promise<ArchiveEnd> {
  const { home, version } = blueprint
  const encryption = newDerivation()
  const key = await deriveKey(passphrase, encryption)
  const archive = createArchiveWriter(output, { key })
  try {
    const versions = await db.collection<{ _id: string; version: number }>('data_versions').find().toArray()
    const head: ArchiveHead = {
      format: FORMAT,
      version,
      created_at: Math.floor(now / 1000),
      database: isEmbedded ? 'embedded' : 'server',
      data_versions: Object.fromEntries(versions.map(({ _id, version }) => [_id, version])),
      encryption,
    }
    await archive.addFile('backup.json', toJson(head))
    const secretKey = readFile(home, 'secret.key')
    if (!secretKey)
      throw new ConfigError(`${join(home, 'secret.key')} is missing: this is not the home of a server`)
    for (const name of SEALED_FILES) {
      const content = name === 'secret.key' ? secretKey : readFile(home, name)
      if (content) await archive.addFile(`sealed/${name}`, sealFile(key, name, content))
    }

    const homeFiles = createHomeFiles(home, archive)
    await homeFiles.addAll()
    const names = await listCopied(db, blueprint)
    const collections: ArchiveEnd['collections'] = {}
    const readIds = new Map<string, Set<string>>()
    for (const name of names) {
      const ids =
        (await db.collection(name).estimatedDocumentCount()) <= MOST_COMPARED ? new Set<string>() : undefined
      if (ids) readIds.set(name, ids)
      collections[name] = await addCollection(db, name, archive, ids)
    }
    await homeFiles.addAll({ since: now - CLOCK_GRAIN_MS })
    for (const name of names.toReversed()) {
      const ids = readIds.get(name)
      if (ids && ids.size > 0) await addRemoved(db, name, ids, archive)
    }
    if (!readFile(home, 'secret.key')?.equals(secretKey))
      throw new ConfigError('secret.key was replaced during the backup: run it again')

    const end: ArchiveEnd = { ...homeFiles.report, collections }
    await archive.addFile('end.json', toJson(end))
    await archive.finish()
    return end
  } catch (error) {
    archive.abort(error as Error)
    throw error
  }
}

const toJson = (value: unknown) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

function readFile(home: string, name: string): Buffer | undefined {
  const path = join(home, name)
  return existsSync(path) ? readFileSync(path) : undefined
}

/** Adds the documents of a collection in parts, and notes their ids; returns their number. */
async function addCollection(
  db: Db,
  name: string,
  archive: ArchiveWriter,
  ids: Set<string> | undefined,
): Promise<number> {
  let waiting: Buffer[] = []
  let [bytes, parts, count] = [0, 0, 0]
  const flush = async () => {
    parts += 1
    const entry = {
      name: `database/${name}/${String(parts).padStart(6, '0')}.bson`,
      size: bytes,
      mode: 0o600,
    }
    await archive.add(entry, [Buffer.concat(waiting, bytes)])
    waiting = []
    bytes = 0
  }
  for await (const batch of readRaw(db.collection(name))) {
    for (const raw of batch) {
      ids?.add(readId(raw))
      waiting.push(raw)
      bytes += raw.length
      if (bytes >= PART_BYTES) await flush()
    }
    count += batch.length
  }
  if (bytes > 0) await flush()
  return count
}

/** Adds the ids of documents that were deleted since they were read. */
async function addRemoved(db: Db, name: string, ids: Set<string>, archive: ArchiveWriter): Promise<void> {
  const cursor = db.collection(name).find({}, { raw: true, projection: { _id: 1 }, batchSize: 5000 })
  while (await cursor.hasNext())
    for (const raw of cursor.readBufferedDocuments() as unknown as Buffer[]) ids.delete(readId(raw))
  if (ids.size === 0) return
  const content = Buffer.concat([...ids].map(toIdDocument))
  await archive.addFile(`removed/${name}.bson`, content)
}
