import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { isCompoundFile, isEncryptedFile } from './compound-file.ts'
import { ReadingFailure } from './reading-failure.ts'
import { trimArchive } from './trim-archive.ts'

/** The most bytes that all files of an archive may have, unpacked. */
const MAX_BYTES = 300 * 1024 * 1024
/** The most bytes of all files that are read, unless the format sets a lower limit. */
const MAX_READ_BYTES = 128 * 1024 * 1024
const MAX_ENTRIES = 20_000

/** The files of an Office document that contain its text, by their names. */
export type Archive = ReadonlyMap<string, Buffer>

/**
 * Unpacks an Office document, all of it, so that its size is known before anything else reads it; returns the files
 * that are `wanted`, at most `mostRead` bytes. Throws DOCUMENT_ENCRYPTED, DOCUMENT_DAMAGED or DOCUMENT_TOO_LARGE.
 */
export async function unpack(
  bytes: Buffer,
  isWantedName: (name: string) => boolean,
  mostRead = MAX_READ_BYTES,
): Promise<Archive> {
  if (isCompoundFile(bytes))
    throw new ReadingFailure(isEncryptedFile(bytes) ? 'DOCUMENT_ENCRYPTED' : 'DOCUMENT_DAMAGED')
  const files = new Map<string, Buffer>()
  try {
    const archive = await open(trimArchive(bytes))
    if (archive.entryCount > MAX_ENTRIES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
    let total = 0
    let read = 0
    const room = (size: number) => {
      total += size
      if (total > MAX_BYTES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
    }
    for await (const entry of list(archive)) {
      if (entry.isEncrypted()) throw new ReadingFailure('DOCUMENT_ENCRYPTED')
      // The announced size is a lower bound: an entry that unpacks to more is refused as damaged.
      if (total + entry.uncompressedSize > MAX_BYTES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      const name = toPartName(entry.fileNameRaw)
      const isWanted = isWantedName(name)
      if (isWanted) read += entry.uncompressedSize
      if (read > mostRead) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      const content = isWanted ? Buffer.alloc(entry.uncompressedSize) : undefined
      await inflate(archive, entry, { content, room })
      if (content) files.set(name, content)
    }
  } catch (cause) {
    if (cause instanceof ReadingFailure) throw cause
    throw new ReadingFailure('DOCUMENT_DAMAGED', { cause })
  }
  return files
}

const open = (bytes: Buffer) =>
  new Promise<ZipFile>((resolve, reject) => {
    // Nothing is written under these names, so they need not be safe.
    const options = { lazyEntries: true, decodeStrings: false }
    fromBuffer(bytes, options, (error, archive) => (error ? reject(error) : resolve(archive)))
  })

/** Returns the name of a file as relations write it; some programs begin with a slash, or write backslashes. */
const toPartName = (name: Buffer): string => name.toString('utf8').replaceAll('\\', '/').replace(/^\/+/, '')

async function* list(archive: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | undefined>((resolve, reject) => {
      archive.removeAllListeners()
      archive
        .once('entry', resolve)
        .once('end', () => resolve(undefined))
        .on('error', reject)
        .readEntry()
    })
    if (!entry) return
    yield entry
  }
}

/** Unpacks a file to its end, into `content` if its bytes are wanted. */
async function inflate(
  archive: ZipFile,
  entry: Entry,
  { content, room }: { content: Buffer | undefined; room: (size: number) => void },
): Promise<void> {
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    archive.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)))
  })
  let length = 0
  for await (const chunk of stream) {
    room((chunk as Buffer).length)
    if (content) length += (chunk as Buffer).copy(content, length)
  }
}
