import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import { AppError } from '#plugin-api'

/** The most entries of an archive. */
const MAX_ENTRIES = 100_000
/** The most bytes that an entry may unpack to for each of its own, from a size on: JSON of people shrinks far less. */
const MAX_RATIO = 200
const CHECKED_FROM_BYTES = 32 * 1024 * 1024
/** The most bytes of all JSON of an archive, relative to the most of the archive itself. */
const MAX_GROWTH = 10
/** The most bytes of one file that a conversation refers to. */
export const MAX_ASSET_BYTES: number = 25 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024

const FILE_TYPE = 0o170000
const LINK = 0o120000

/** One JSON file of an archive. */
export interface JsonFile {
  name: string
  /** Unpacked. */
  bytes: number
  open(): Promise<Readable>
}

/** An export as it was uploaded: a ZIP archive, or one JSON file. */
export interface Archive {
  files: readonly JsonFile[]
  /** Reads another file of the archive by one of these names or ids; undefined if there is none. */
  readAsset(names: readonly string[]): Promise<{ name: string; bytes: Buffer } | undefined>
  close(): void
}

const refuse = (code: 'ARCHIVE_DAMAGED' | 'ARCHIVE_EXCESSIVE' | 'ARCHIVE_ENCRYPTED', cause?: unknown) =>
  new AppError(code, {}, { cause })

/** Opens an archive of at most `max_bytes`. Throws ARCHIVE_MISSING, ARCHIVE_DAMAGED, ARCHIVE_EXCESSIVE, ARCHIVE_ENCRYPTED. */
export async function openArchive(
  path: string,
  { size, max_bytes }: { size: number; max_bytes: number },
): Promise<Archive> {
  if (!(await isZip(path)))
    return {
      files: [
        { name: '', bytes: size, open: async () => createReadStream(path, { highWaterMark: CHUNK_BYTES }) },
      ],
      readAsset: async () => undefined,
      close: () => undefined,
    }
  const zip = await explaining(() => openPromise(path, { autoClose: false, decodeStrings: false }))
  try {
    return await listFiles(zip, max_bytes * MAX_GROWTH)
  } catch (error) {
    zip.close()
    throw error
  }
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    // A backup has no archives.
    throw error.code === 'ENOENT' ? new AppError('ARCHIVE_MISSING', {}, { cause: error }) : error
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    // An archive begins with an entry, or with its end if it is empty.
    return bytesRead === 4 && ['504b0304', '504b0506'].includes(buffer.toString('hex'))
  } finally {
    await file.close()
  }
}

async function listFiles(zip: ZipFile, max_bytes: number): Promise<Archive> {
  if (zip.entryCount > MAX_ENTRIES) throw refuse('ARCHIVE_EXCESSIVE')
  const files: JsonFile[] = []
  const assets = new Map<string, Entry>()
  let total = 0
  await explaining(async () => {
    for await (const entry of zip.eachEntry()) {
      const name = readName(entry)
      const isLink = ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK
      if (name.endsWith('/') || isLink || name.includes('__MACOSX/')) continue
      if (entry.isEncrypted()) throw refuse('ARCHIVE_ENCRYPTED')
      const { uncompressedSize: bytes, compressedSize } = entry
      if (!name.toLowerCase().endsWith('.json')) {
        for (const key of listKeys(name)) if (!assets.has(key)) assets.set(key, entry)
        continue
      }
      total += bytes
      const isBomb = bytes > CHECKED_FROM_BYTES && bytes > compressedSize * MAX_RATIO
      if (isBomb || total > max_bytes) throw refuse('ARCHIVE_EXCESSIVE')
      files.push({ name, bytes, open: () => explaining(() => zip.openReadStreamPromise(entry)) })
    }
  })
  return {
    files,
    async readAsset(names) {
      const entry = names.map((name) => assets.get(name)).find((match) => match !== undefined)
      if (!entry || entry.uncompressedSize > MAX_ASSET_BYTES) return undefined
      const parts: Buffer[] = []
      await explaining(async () => {
        for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer)
      })
      return { name: baseOf(readName(entry)), bytes: Buffer.concat(parts) }
    },
    close: () => zip.close(),
  }
}

/** Returns the keys of a file in conversations: its name, and the id at the beginning of a name of ChatGPT. */
function listKeys(path: string): string[] {
  const name = baseOf(path)
  const [id] = /^file[-_][A-Za-z0-9]+/.exec(name) ?? []
  return id === undefined ? [name] : [name, id]
}

const baseOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** Decodes a name as UTF-8 if it is valid UTF-8, as some programs write UTF-8 without setting the flag. */
function readName({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  const flag = isUtf8(fileNameRaw) ? generalPurposeBitFlag | 0x800 : generalPurposeBitFlag
  return getFileNameLowLevel(flag, fileNameRaw, extraFields, false)
}

/** Runs work on an archive; its errors that come from the archive are ARCHIVE_DAMAGED. */
export async function explaining<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw isOfArchive(error) ? refuse('ARCHIVE_DAMAGED', error) : error
  }
}

/** True for an error of yauzl or zlib, which has no code of the system. */
function isOfArchive(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return (error as Error).constructor === Error && (code === undefined || code.startsWith('Z_'))
}
