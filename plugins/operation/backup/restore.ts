import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { TarHeader } from 'modern-tar'
import type { Db } from 'mongodb'
import { ConfigError } from '#plugin-api'
import { readArchive, readWhole } from './archive-reader.ts'
import { createLoader, decode, flushJournal, measure } from './collections.ts'
import { type ArchiveEnd, SEALED_FILES } from './format.ts'
import { type HomeWriter, openHomeWriter } from './home-writer.ts'
import { openFile } from './sealing.ts'
import { assertSame, type VerifiedArchive } from './verification.ts'

/** The outcome of a restore. */
export interface Restored {
  end: ArchiveEnd
  /** True if the configuration named a database, which it does not any more. */
  hadDatabaseUrl: boolean
}

/**
 * Reads a verified archive into an empty home and an empty database, and compares the stored documents with the
 * written ones. Throws one sentence for a fault; the caller removes the files and documents that were written by then.
 */
export async function readBackup(request: RestoreRequest): Promise<Restored> {
  const homeWriter = await openHomeWriter(request.home)
  try {
    return await readEntries(request, homeWriter)
  } finally {
    await homeWriter.close()
  }
}

interface RestoreRequest {
  /** Opens the archive. */
  openInput(): Readable
  home: string
  db: Db
  archive: VerifiedArchive
}

async function readEntries(
  { openInput, home, db, archive }: RestoreRequest,
  homeWriter: HomeWriter,
): Promise<Restored> {
  let end: ArchiveEnd | undefined
  const sealed = new Map<string, Buffer>()
  const loaders = new Map<string, ReturnType<typeof createLoader>>()
  const removed = new Map<string, Buffer[]>()
  let files = 0

  const readEntry = async (header: TarHeader, content: AsyncIterable<Buffer>) => {
    const { name } = header
    const [, kind, path = ''] = /^(\w+)\/(.+?)\/?$/s.exec(name) ?? []
    if (kind === 'sealed') {
      const sealedName = SEALED_FILES.find((file) => file === path)
      if (sealedName) sealed.set(sealedName, openFile(archive.key, sealedName, await readWhole(content)))
    } else if (kind === 'home') {
      if (header.type === 'symlink') homeWriter.addLink(path, header.linkname!)
      else if (header.type === 'directory') await homeWriter.addFolder(path, header)
      else {
        await homeWriter.addFile(path, header, content)
        files += 1
      }
    } else if (kind === 'database') {
      const collection = path.slice(0, path.lastIndexOf('/'))
      const loader = loaders.get(collection) ?? createLoader(db.collection(collection))
      loaders.set(collection, loader)
      await loader.add(splitDocuments(await readWhole(content)))
    } else if (kind === 'removed')
      removed.set(path.replace(/\.bson$/, ''), splitDocuments(await readWhole(content)))
    else if (name === 'end.json') end = JSON.parse(`${await readWhole(content)}`) as ArchiveEnd
  }
  assertSame(await readArchive(openInput(), readEntry), archive.hash)
  if (!end || !sealed.has('secret.key')) throw new ConfigError('the archive is incomplete')
  if (files !== end.files) throw new ConfigError(`the archive has ${files} files instead of ${end.files}`)

  for (const [name, expected] of Object.entries(end.collections)) {
    const written = loaders.get(name)?.extent() ?? { count: 0, hash: '' }
    const stored = expected > 0 ? await measure(db.collection(name)) : written
    if (written.count !== expected || stored.count !== expected || stored.hash !== written.hash)
      throw new ConfigError(`the collection "${name}" does not match the archive`)
  }
  for (const [name, ids] of removed)
    for (let at = 0; at < ids.length; at += 1000)
      await db
        .collection(name)
        .deleteMany({ _id: { $in: ids.slice(at, at + 1000).map((id) => decode(id)._id) } })
  await flushJournal(db)
  await homeWriter.finish()
  const hadDatabaseUrl = await writeSealed(home, sealed)
  return { end, hadDatabaseUrl }
}

/** Writes the decrypted files, the key last: without it, no server starts on a partial restore. */
async function writeSealed(home: string, sealed: ReadonlyMap<string, Buffer>): Promise<boolean> {
  let hadDatabaseUrl = false
  for (const name of SEALED_FILES.toReversed()) {
    let content = sealed.get(name)
    if (!content) continue
    if (name === 'config.json') {
      const config = JSON.parse(`${content}`) as { database?: { url?: string } }
      // A copy must not write to the database of the server that it is a copy of.
      hadDatabaseUrl = config.database?.url !== undefined
      if (hadDatabaseUrl) delete config.database
      content = Buffer.from(`${JSON.stringify(config, null, 2)}\n`)
    }
    await writeFile(join(home, name), content, { mode: 0o600, flush: true })
  }
  return hadDatabaseUrl
}

/** Splits a part into its documents, each of which begins with its length. */
function splitDocuments(part: Buffer): Buffer[] {
  const documents: Buffer[] = []
  for (let at = 0; at < part.length; ) {
    const length = part.readInt32LE(at)
    if (length < 5 || at + length > part.length) throw new ConfigError('the archive is damaged: a document')
    documents.push(part.subarray(at, at + length))
    at += length
  }
  return documents
}
