import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import { AppError } from '#plugin-api'
import { createInvalid, createPathCheck } from './skill-rules.ts'

/** The most entries of an archive, including folders and ignored entries. */
const MAX_ENTRIES = 10_000

const STORED = 0
const DEFLATED = 8
const FILE_TYPE = 0o170000
const REGULAR = 0o100000
const FOLDER = 0o040000

/** An entry of an archive that is not a folder. `bytes` is the size that the archive states. */
export interface ArchivedFile {
  names: string[]
  bytes: number
  isExecutable: boolean
  /** Throws SKILL_ARCHIVE_INVALID unless the entry is a plain file with a plain path. */
  assertPlain(): void
  /** Yields the content in chunks; throws SKILL_ARCHIVE_INVALID as soon as it contradicts the archive's headers. */
  read(): AsyncGenerator<Buffer>
}

/**
 * Runs work on the files of a zip archive, without the entries that macOS adds. The caller must refuse each file that it
 * uses and that is not plain: archives of repositories have links and odd names that do not belong to a skill.
 */
export async function readArchive<Result>(
  path: string,
  work: (files: ArchivedFile[]) => Promise<Result>,
): Promise<Result> {
  const zip = await explaining(null, () => openPromise(path, { autoClose: false, decodeStrings: false }))
  try {
    return await work(await listFiles(zip))
  } finally {
    zip.close()
  }
}

async function listFiles(zip: ZipFile): Promise<ArchivedFile[]> {
  if (zip.entryCount > MAX_ENTRIES) throw createInvalid(`it has more than ${MAX_ENTRIES} entries`)
  const check = createPathCheck()
  const files: { entry: Entry; path: string; names: string[]; refusal?: AppError | undefined }[] = []
  await explaining(null, async () => {
    for await (const entry of zip.eachEntry()) {
      const path = readPath(entry)
      const isFolder = path.endsWith('/')
      if (isFolder) {
        assertPlain(entry, path, isFolder)
        check(path, isFolder)
        continue
      }
      const names = path.split('/')
      const refusal = findRefusal(() => check(path, isFolder))
      if (names[0] === '__MACOSX' || names.at(-1) === '.DS_Store') continue
      files.push({ entry, path, names, refusal })
    }
  })
  await assertNoOverlap(zip, files)
  return files.map(({ entry, path, names, refusal }) => ({
    names,
    bytes: entry.uncompressedSize,
    isExecutable: ((entry.externalFileAttributes >>> 16) & 0o100) > 0,
    assertPlain() {
      if (refusal) throw refusal
      assertPlain(entry, path, false)
    },
    read: () => readEntry(zip, entry, path),
  }))
}

function findRefusal(check: () => unknown): AppError | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/**
 * Decodes names as UTF-8 if they are valid UTF-8, as some programs write UTF-8 without setting the flag. Programs of
 * Windows separate names by backslashes.
 */
function readPath({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  const flag = isUtf8(fileNameRaw) ? generalPurposeBitFlag | 0x800 : generalPurposeBitFlag
  return getFileNameLowLevel(flag, fileNameRaw, extraFields, false)
}

function assertPlain(entry: Entry, path: string, isFolder: boolean): void {
  if (entry.isEncrypted()) throw createInvalid('an entry is encrypted', path)
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR))
    throw createInvalid('an entry is a link or a special file', path)
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    throw createInvalid(`an entry is compressed by an unknown method (${entry.compressionMethod})`, path)
  if (isFolder && entry.uncompressedSize > 0) throw createInvalid('a folder has content', path)
}

/** Refuses entries that share bytes of the archive, as in zip bombs. */
async function assertNoOverlap(zip: ZipFile, files: { entry: Entry; path: string }[]): Promise<void> {
  let end = 0
  const byOffset = files.toSorted(
    (a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader,
  )
  for (const { entry, path } of byOffset) {
    if (entry.relativeOffsetOfLocalHeader < end) throw createInvalid('entries overlap', path)
    const { fileDataStart } = await explaining(path, () =>
      zip.readLocalFileHeaderPromise(entry, { minimal: true }),
    )
    end = fileDataStart + entry.compressedSize
  }
}

async function* readEntry(zip: ZipFile, entry: Entry, path: string): AsyncGenerator<Buffer> {
  const stream = await explaining(path, () => zip.openReadStreamPromise(entry))
  let bytes = 0
  let sum = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > entry.uncompressedSize) throw createInvalid('an entry is larger than stated', path)
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw toRefusal(error, path)
  } finally {
    stream.destroy()
  }
  if (bytes < entry.uncompressedSize) throw createInvalid('an entry is smaller than stated', path)
  if (sum !== entry.crc32) throw createInvalid('an entry is damaged', path)
}

async function explaining<Result>(path: string | null, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toRefusal(error, path)
  }
}

/** Converts errors of yauzl and zlib, which have no code of the system, to SKILL_ARCHIVE_INVALID. */
function toRefusal(error: unknown, path: string | null): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const isOfArchive = (error as Error).constructor === Error && (code === undefined || code.startsWith('Z_'))
  return isOfArchive
    ? createInvalid(`the archive cannot be read (${message})`, path, { cause: error })
    : error
}
