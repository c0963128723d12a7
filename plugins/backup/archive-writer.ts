import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack as createPack, type Header } from 'tar-stream'

/** The header of a new entry. */
type NewHeader = Pick<Header, 'name'> & Partial<Header>

/** The entries after which their checksums follow. */
const ENTRIES_PER_LIST = 500

/** Writes an archive: a tar whose entries `checksums/…` list the SHA-256 of the entries before, as `sha256sum` does. */
export interface ArchiveWriter {
  /** Adds an entry; `content` has as many bytes as `header.size` says. */
  add(header: NewHeader, content?: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void>
  addFile(name: string, content: Buffer): Promise<void>
  /** Writes the last checksums and waits until everything is written. */
  finish(): Promise<void>
  abort(error: Error): void
}

/** Creates the writer on a stream, which it ends. */
export function createArchiveWriter(output: Writable): ArchiveWriter {
  const pack = createPack()
  const written = pipeline(pack as unknown as NodeJS.ReadableStream, output)
  // Reported by `add` or `finish`, whichever is waiting.
  const failed = written.then(() => new Promise<never>(() => undefined))
  failed.catch(() => undefined)
  let lines: string[] = []
  let lists = 0

  const write = async (header: NewHeader, content: AsyncIterable<Buffer> | Iterable<Buffer>) => {
    const hash = createHash('sha256')
    const ended = new Promise<void>((resolve, reject) => {
      const sink = pack.entry(header, (error) => (error ? reject(error) : resolve()))
      void (async () => {
        for await (const chunk of content) {
          hash.update(chunk)
          if (!sink.write(chunk)) await Promise.race([once(sink, 'drain'), failed])
        }
        sink.end(undefined)
      })().catch(reject)
    })
    await Promise.race([ended, failed])
    return hash.digest('hex')
  }

  const addList = async () => {
    if (lines.length === 0) return
    const content = Buffer.from(lines.join(''))
    lines = []
    lists += 1
    await write({ name: `checksums/${String(lists).padStart(6, '0')}`, size: content.length }, [content])
  }

  const add: ArchiveWriter['add'] = async (header, content = []) => {
    const sum = await write(header, content)
    if (header.type === undefined || header.type === 'file') lines.push(`${sum}  ${header.name}\n`)
    if (lines.length >= ENTRIES_PER_LIST) await addList()
  }

  return {
    add,
    addFile: (name, content) => add({ name, size: content.length, mode: 0o600 }, [content]),
    async finish() {
      await addList()
      pack.finalize()
      await written
    },
    abort: (error) => pack.destroy(error),
  }
}
