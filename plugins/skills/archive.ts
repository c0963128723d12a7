import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import { createPathCheck, invalid } from './file-paths.ts'

/** How many entries an archive may have, folders and those that are passed over included. */
const MAX_ENTRIES = 10_000

const STORED = 0
const DEFLATED = 8
const FILE_TYPE = 0o170000
const REGULAR = 0o100000
const FOLDER = 0o040000

/** A file in an archive, all about it checked but what is in it. `bytes` is what the archive says. */
export interface ArchivedFile {
  names: string[]
  bytes: number
  isExecutable: boolean
  /** Gives the content in pieces; throws SKILL_ARCHIVE_INVALID as soon as it is not what the archive says. */
  read(): AsyncGenerator<Buffer>
}

/**
 * Runs work on the files of a zip archive, without what macOS adds to archives. Throws SKILL_ARCHIVE_INVALID for all
 * that a plain archive of plain files does not hold.
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
  if (zip.entryCount > MAX_ENTRIES) throw invalid(`it has more than ${MAX_ENTRIES} entries`)
  const check = createPathCheck()
  const files: { entry: Entry; path: string; names: string[] }[] = []
  await explaining(null, async () => {
    for await (const entry of zip.eachEntry()) {
      const path = pathOf(entry)
      const isFolder = path.endsWith('/')
      assertPlain(entry, path, isFolder)
      const names = check(path, isFolder)
      if (isFolder || names[0] === '__MACOSX' || names.at(-1) === '.DS_Store') continue
      files.push({ entry, path, names })
    }
  })
  await assertApart(zip, files)
  return files.map(({ entry, path, names }) => ({
    names,
    bytes: entry.uncompressedSize,
    isExecutable: ((entry.externalFileAttributes >>> 16) & 0o100) > 0,
    read: () => readEntry(zip, entry, path),
  }))
}

/** Names are UTF-8 wherever they can be, as not all who write so also say so. */
function pathOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  const flag = isUtf8(fileNameRaw) ? generalPurposeBitFlag | 0x800 : generalPurposeBitFlag
  return getFileNameLowLevel(flag, fileNameRaw, extraFields, true)
}

function assertPlain(entry: Entry, path: string, isFolder: boolean): void {
  if (entry.isEncrypted()) throw invalid('an entry is encrypted', path)
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR))
    throw invalid('an entry is a link or a special file', path)
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    throw invalid(`an entry is compressed by an unknown method (${entry.compressionMethod})`, path)
  if (isFolder && entry.uncompressedSize > 0) throw invalid('a folder has content', path)
}

/** Entries that share bytes of the archive make much out of little. */
async function assertApart(zip: ZipFile, files: { entry: Entry; path: string }[]): Promise<void> {
  let end = 0
  const byPlace = files.toSorted(
    (a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader,
  )
  for (const { entry, path } of byPlace) {
    if (entry.relativeOffsetOfLocalHeader < end) throw invalid('entries overlap', path)
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
      if (bytes > entry.uncompressedSize) throw invalid('an entry is larger than it says', path)
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw explain(error, path)
  } finally {
    stream.destroy()
  }
  if (bytes < entry.uncompressedSize) throw invalid('an entry is smaller than it says', path)
  if (sum !== entry.crc32) throw invalid('an entry is damaged', path)
}

async function explaining<Result>(path: string | null, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw explain(error, path)
  }
}

/** What yauzl and zlib say of an archive has no code of the system. */
function explain(error: unknown, path: string | null): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const isOfArchive = (error as Error).constructor === Error && (code === undefined || code.startsWith('Z_'))
  return isOfArchive ? invalid(`the archive cannot be read (${message})`, path, { cause: error }) : error
}
