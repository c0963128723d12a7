import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { extract as createExtract, type Header as TarHeader } from 'tar-stream'
import { ConfigError } from '#kernel'

/** Handles the entries of an archive; whatever it leaves of a content is read and thrown away. */
export type EntryReader = (header: TarHeader, content: AsyncIterable<Buffer>) => Promise<void>

/** The most bytes of an entry that is read as a whole. */
const MOST_BYTES = 64 * 1024 * 1024

/** Reads an archive from its beginning to its end, and throws if an entry does not match its checksum. */
export async function readArchive(input: Readable, readEntry: EntryReader): Promise<void> {
  const extract = createExtract()
  let unreadable: Error | undefined
  input.on('error', (error) => {
    unreadable = error
    extract.destroy(error)
  })
  input.pipe(extract as unknown as NodeJS.WritableStream)
  /** Of the entries since the last list; a file that changed meanwhile comes twice. */
  let lines: string[] = []
  const damaged = (name: string, cause?: unknown) =>
    new ConfigError(`the archive is damaged: ${name}`, { cause })
  try {
    for await (const entry of extract) {
      const { header } = entry
      if (header.name.startsWith('checksums/')) {
        check(`${await readWhole(entry as AsyncIterable<Buffer>)}`)
        continue
      }
      const hash = createHash('sha256')
      const content = hashed(entry as AsyncIterable<Buffer>, hash)
      await readEntry(header, content)
      for await (const _ of content);
      if (header.type === 'file') lines.push(`${hash.digest('hex')}  ${header.name}`)
    }
  } catch (error) {
    if (unreadable)
      throw new ConfigError(`the archive cannot be read: ${unreadable.message}`, { cause: error })
    if (
      error instanceof ConfigError ||
      !/tar|unexpected end|stream was destroyed/i.test((error as Error).message)
    )
      throw error
    throw damaged('it is not a whole tar file', error)
  }
  if (lines.length > 0) throw damaged('its last checksums are missing')

  function check(list: string) {
    const listed = list.split('\n').filter(Boolean)
    const wrong = lines.findIndex((line, index) => line !== listed[index])
    if (wrong >= 0) throw damaged(lines[wrong]!.slice(66))
    if (listed.length !== lines.length) throw damaged('an entry is missing')
    lines = []
  }
}

async function* hashed(content: AsyncIterable<Buffer>, hash: { update(chunk: Buffer): unknown }) {
  for await (const chunk of content) {
    hash.update(chunk)
    yield chunk
  }
}

/** Reads the content of an entry as a whole. */
export async function readWhole(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new ConfigError('the archive is damaged: an entry is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
