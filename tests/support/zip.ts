import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of an archive; all fields but name and content serve to build invalid archives. */
export interface ZipEntry {
  name: string | Buffer
  content?: string | Buffer
  /** The method in the headers: 8 deflates, any other value stores. */
  method?: number
  /** The Unix mode including the type; without it the archive claims to come from another system. */
  mode?: number
  /** Added to the flags; the flag of UTF-8 is set if the name is a string. */
  flags?: number
  /** Writes sizes and checksum after the data instead of in the header. */
  descriptor?: boolean
  /** False values for the headers. */
  claim?: { size?: number; crc?: number }
  /** The index of the entry whose local header this entry claims. */
  sharing?: number
  /** Bytes of the local header's extra field. */
  extra?: Buffer
}

const UTF8 = 0x800
const DESCRIPTOR = 0x8
const UNIX = 3
const VERSION = 20
/** The first day in the format. */
const DATE = 0x21

/** Creates the bytes of a zip archive. */
export const makeZip = (entries: readonly ZipEntry[], comment = ''): Buffer =>
  Buffer.concat([...makeZipParts(entries, comment)])

/** Yields the bytes of a zip archive part by part, so that it may be larger than the memory. */
export function* makeZipParts(entries: Iterable<ZipEntry>, comment = ''): Generator<Buffer> {
  const directory: Buffer[] = []
  const offsets: number[] = []
  let offset = 0
  for (const entry of entries) {
    const { method = 8, mode, flags = 0, descriptor = false, claim = {}, extra = Buffer.alloc(0) } = entry
    const name = Buffer.from(entry.name as string)
    const content = Buffer.from((entry.content ?? '') as string)
    const data = method === 8 ? deflateRawSync(content, { level: 1 }) : content
    const allFlags = flags | (typeof entry.name === 'string' ? UTF8 : 0) | (descriptor ? DESCRIPTOR : 0)
    const sums = sumsOf(claim.crc ?? crc32(content), data.length, claim.size ?? content.length)

    const shared = Buffer.concat([
      u16(allFlags, method, 0, DATE),
      descriptor ? sumsOf(0, 0, 0) : sums,
      u16(name.length, extra.length),
    ])
    const local = [u32(0x04034b50), u16(VERSION), shared, name, extra, data]
    if (descriptor) local.push(u32(0x08074b50), sums)
    offsets.push(entry.sharing === undefined ? offset : offsets[entry.sharing]!)
    directory.push(
      u32(0x02014b50),
      u16(((mode === undefined ? 0 : UNIX) << 8) | VERSION, VERSION, allFlags, method, 0, DATE),
      sums,
      u16(name.length, 0, 0, 0, 0),
      u32(((mode ?? 0) << 16) >>> 0, offsets.at(-1)!),
      name,
    )
    if (entry.sharing !== undefined) continue
    yield* local
    offset += local.reduce((sum, { length }) => sum + length, 0)
  }
  const listed = Buffer.concat(directory)
  const count = offsets.length
  yield* [listed, u32(0x06054b50), u16(0, 0, count, count), u32(listed.length, offset)]
  yield* [u16(comment.length), Buffer.from(comment)]
}

const sumsOf = (crc: number, compressed: number, size: number) => u32(crc, compressed, size)

const u16 = (...values: number[]) => numbers(values, 2)
const u32 = (...values: number[]) => numbers(values, 4)

function numbers(values: number[], width: number): Buffer {
  const bytes = Buffer.alloc(values.length * width)
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, index * width, width)
  return bytes
}
