import { constants } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import { AppError } from '#plugin-api'
import { ignoreCodes } from './files/file-failure.ts'
import { walkFolder } from './files/folder-walk.ts'
import { inFolder, openFileIn, openFolder, type Place } from './files/workspace-path.ts'

const MAX_FILES = 10_000
const MAX_BYTES = 2 * 1024 ** 3

/** Codes for a file that has changed since it was listed. */
const CHANGED = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO', 'EACCES', 'EPERM']

/**
 * Packs the files of a folder, without links, into a zip archive that is created while it is read. Throws
 * ARCHIVE_TOO_LARGE before any file is read.
 */
export async function packFolder(location: Place): Promise<AsyncGenerator<Uint8Array>> {
  await inFolder(location, async (top) => {
    const budget = createBudget()
    for await (const { folder, name, kind } of walkFolder(top, { recursive: true }))
      if (kind === 'file') budget.take((await ignoreCodes(['ENOENT'], lstat(folder.entry(name))))?.size ?? 0)
  })
  return writeZip(readFiles(location))
}

async function* readFiles(location: Place): AsyncGenerator<PackedFile> {
  const top = await openFolder(location)
  try {
    const budget = createBudget()
    for await (const { folder, name, kind, parts } of walkFolder(top, { recursive: true })) {
      if (kind === 'directory') continue
      const opened = await ignoreCodes(CHANGED, openFileIn(folder, name, constants.O_RDONLY))
      if (!opened) continue
      const { file, stats } = opened
      try {
        const size = Number(stats.size)
        budget.take(size)
        // Some programs unpack a backslash as a slash.
        const path = parts.join('/').replaceAll('\\', '_')
        const bytes = file.createReadStream({ start: 0, end: Math.max(0, size - 1), autoClose: false })
        yield { path, modified: stats.mtime, bytes }
      } finally {
        await file.close()
      }
    }
  } finally {
    await top.close()
  }
}

/** Creates the counter of the files and bytes of an archive. */
function createBudget() {
  let files = 0
  let bytes = 0
  return {
    take(size: number): void {
      files += 1
      bytes += size
      if (files > MAX_FILES || bytes > MAX_BYTES)
        throw new AppError('ARCHIVE_TOO_LARGE', { max_files: MAX_FILES, max_bytes: MAX_BYTES })
    },
  }
}

/** A file for an archive; `path` is relative with slashes, `bytes` are read once. */
interface PackedFile {
  path: string
  modified: Date
  bytes: AsyncIterable<Uint8Array>
}

const UTF8_AND_DESCRIPTOR = 0x0808
const DEFLATE = 8
const VERSION = 20
const REGULAR_FILE = 0o100644

/**
 * Yields a zip archive in pieces, at the pace of its reader. Sizes and checksums follow each file, as they are not
 * known before (APPNOTE.TXT 4.3). The headers limit an archive to 65,534 files and 4 GiB.
 */
async function* writeZip(files: AsyncIterable<PackedFile>): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = []
  let offset = 0
  let count = 0
  for await (const { path, modified, bytes } of files) {
    const name = Buffer.from(path)
    const properties = Buffer.concat([u16(VERSION, UTF8_AND_DESCRIPTOR, DEFLATE), toDosTime(modified)])
    const start = offset
    const header = Buffer.concat([u32(0x04034b50), properties, u32(0, 0, 0), u16(name.length, 0), name])
    yield header
    offset += header.length

    const sums = { crc: 0, packed: 0, size: 0 }
    const deflate = createDeflateRaw()
    const packing = pipeline(Readable.from(addUp(bytes, sums)), deflate)
    // The loop below throws the same error.
    packing.catch(() => undefined)
    for await (const piece of deflate as AsyncIterable<Buffer>) {
      sums.packed += piece.length
      yield piece
    }
    const sizes = u32(sums.crc, sums.packed, sums.size)
    yield Buffer.concat([u32(0x08074b50), sizes])
    offset += sums.packed + 4 + sizes.length

    const position = Buffer.concat([u16(name.length, 0, 0, 0, 0), u32(REGULAR_FILE * 0x10000, start)])
    directory.push(
      Buffer.concat([u32(0x02014b50), u16((3 << 8) | VERSION), properties, sizes, position, name]),
    )
    count++
  }
  const formatName = Buffer.concat(directory)
  yield formatName
  yield Buffer.concat([u32(0x06054b50), u16(0, 0, count, count), u32(formatName.length, offset), u16(0)])
}

/** Passes bytes through and updates their checksum and size. */
async function* addUp(bytes: AsyncIterable<Uint8Array>, sums: { crc: number; size: number }) {
  for await (const piece of bytes) {
    sums.crc = crc32(piece, sums.crc)
    sums.size += piece.length
    yield piece
  }
}

/** Converts a time to the MS-DOS format, which counts in steps of two seconds from 1980. */
function toDosTime(date: Date): Buffer {
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  const year = Math.max(0, date.getUTCFullYear() - 1980)
  return u16(time, (year << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate())
}

const u16 = (...values: number[]) => toBytes(values, 2)
const u32 = (...values: number[]) => toBytes(values, 4)

function toBytes(values: number[], width: 2 | 4): Buffer {
  const bytes = Buffer.alloc(values.length * width)
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, index * width, width)
  return bytes
}
