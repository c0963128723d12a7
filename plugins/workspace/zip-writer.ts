import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'

/** A file to be put into an archive; `path` has slashes and no leading one, `bytes` are read once. */
export interface PackedFile {
  path: string
  modified: Date
  bytes: AsyncIterable<Uint8Array>
}

const UTF8_AND_DESCRIPTOR = 0x0808
const DEFLATE = 8
const VERSION = 20
const REGULAR_FILE = 0o100644

/**
 * Writes a zip archive piece by piece, as its reader takes it. Sizes and sums follow each file, as they are not known
 * before (APPNOTE.TXT 4.3). The form of the headers bounds an archive to 65,534 files and 4 GiB.
 */
export async function* writeZip(files: AsyncIterable<PackedFile>): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = []
  let offset = 0
  let count = 0
  for await (const { path, modified, bytes } of files) {
    const name = Buffer.from(path)
    const facts = Buffer.concat([u16(VERSION, UTF8_AND_DESCRIPTOR, DEFLATE), dosTime(modified)])
    const start = offset
    const header = Buffer.concat([u32(0x04034b50), facts, u32(0, 0, 0), u16(name.length, 0), name])
    yield header
    offset += header.length

    const sums = { crc: 0, packed: 0, size: 0 }
    const deflate = createDeflateRaw()
    const packing = pipeline(Readable.from(summed(bytes, sums)), deflate)
    // It is thrown by the reading of what is packed, too.
    packing.catch(() => undefined)
    for await (const piece of deflate as AsyncIterable<Buffer>) {
      sums.packed += piece.length
      yield piece
    }
    const known = u32(sums.crc, sums.packed, sums.size)
    yield Buffer.concat([u32(0x08074b50), known])
    offset += sums.packed + 4 + known.length

    const place = Buffer.concat([u16(name.length, 0, 0, 0, 0), u32(REGULAR_FILE * 0x10000, start)])
    directory.push(Buffer.concat([u32(0x02014b50), u16((3 << 8) | VERSION), facts, known, place, name]))
    count++
  }
  const listed = Buffer.concat(directory)
  yield listed
  yield Buffer.concat([u32(0x06054b50), u16(0, 0, count, count), u32(listed.length, offset), u16(0)])
}

/** Passes bytes on and adds them up. */
async function* summed(bytes: AsyncIterable<Uint8Array>, sums: { crc: number; size: number }) {
  for await (const piece of bytes) {
    sums.crc = crc32(piece, sums.crc)
    sums.size += piece.length
    yield piece
  }
}

/** Two seconds are the smallest step of the format, and 1980 its first year. */
function dosTime(date: Date): Buffer {
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  const year = Math.max(0, date.getUTCFullYear() - 1980)
  return u16(time, (year << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate())
}

const u16 = (...values: number[]) => numbers(values, 2)
const u32 = (...values: number[]) => numbers(values, 4)

function numbers(values: number[], width: 2 | 4): Buffer {
  const bytes = Buffer.alloc(values.length * width)
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, index * width, width)
  return bytes
}
