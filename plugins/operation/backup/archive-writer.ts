import { createHash } from 'node:crypto'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createTarPacker, type TarHeader } from 'modern-tar'
import { createAuthenticationStream } from './authentication.ts'

/** The header of a new entry. */
type NewHeader = Pick<TarHeader, 'name'> & Partial<TarHeader>

/** The entries after which their checksums follow. */
const ENTRIES_PER_LIST = 500
/** The last time that the header of a tar can hold, in milliseconds; the first one is 0. */
const LAST_TIME_MS = 0o77777777777 * 1000

/** Writes an archive: a tar whose entries `checksums/…` list the SHA-256 of the entries before, as `sha256sum` does. */
export type ArchiveWriter = ReturnType<typeof createArchiveWriter>

/** Formats the line of an entry as `sha256sum` does, which escapes line breaks and backslashes in names. */
export function toChecksumLine(sum: string, name: string): string {
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `${escaped === name ? '' : '\\'}${sum}  ${escaped}\n`
}

/** Readers drop a byte order mark at the beginning of a field of fixed length, but not in the extended header. */
function toPax({ name, linkname }: NewHeader): Record<string, string> | undefined {
  if (!`${name}${linkname}`.includes('\uFEFF')) return undefined
  return { path: name, ...(linkname !== undefined && { linkpath: linkname }) }
}

/** Creates the writer on a stream, which it ends. The archive is authenticated with a key derived from `key`. */
export function createArchiveWriter(output: Writable, { key }: { key: Buffer }) {
  const { readable, controller } = createTarPacker()
  const written = pipeline(Readable.fromWeb(readable), createAuthenticationStream(key), output)
  // Reported by `add` or `finish`, whichever is waiting.
  const failed = written.then(() => new Promise<never>(() => undefined))
  failed.catch(() => undefined)
  let lines: string[] = []
  let lists = 0

  const write = async (header: NewHeader, content: AsyncIterable<Buffer> | Iterable<Buffer>) => {
    const hash = createHash('sha256')
    const { mtime = new Date(), size = 0 } = header
    const time = Math.min(Math.max(0, mtime.getTime()), LAST_TIME_MS)
    const sink = controller.add({ ...header, size, mtime: new Date(time), pax: toPax(header) }).getWriter()
    const pour = async () => {
      for await (const chunk of content) {
        hash.update(chunk)
        await sink.write(chunk)
      }
      await sink.close()
    }
    await Promise.race([pour(), failed])
    return hash.digest('hex')
  }

  const addList = async () => {
    if (lines.length === 0) return
    const content = Buffer.from(lines.join(''))
    lines = []
    lists += 1
    await write({ name: `checksums/${String(lists).padStart(6, '0')}`, size: content.length }, [content])
  }

  /** Adds an entry; `content` has as many bytes as `header.size` says. */
  const add = async (
    header: NewHeader,
    content: AsyncIterable<Buffer> | Iterable<Buffer> = [],
  ): Promise<void> => {
    const sum = await write(header, content)
    if (header.type === undefined || header.type === 'file') lines.push(toChecksumLine(sum, header.name))
    if (lines.length >= ENTRIES_PER_LIST) await addList()
  }

  return {
    add,
    addFile: (name: string, content: Buffer): Promise<void> =>
      add({ name, size: content.length, mode: 0o600 }, [content]),
    /** Writes the last checksums and waits until everything is written. */
    async finish(): Promise<void> {
      await addList()
      controller.finalize()
      await written
    },
    abort: (error: Error): void => controller.error(error),
  }
}
