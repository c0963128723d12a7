import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { createTarDecoder, type TarHeader } from 'modern-tar'
import { ConfigError } from '#plugin-api'
import { toChecksumLine } from './archive-writer.ts'
import { AUTHENTICATION, createDigester } from './authentication.ts'

/** Handles the entries of an archive; content that it does not read is skipped. */
export type EntryReader = (header: TarHeader, content: AsyncIterable<Buffer>) => Promise<void>

/** The most bytes of an entry that is read as a whole. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * Reads an archive from its beginning to its end, and throws if an entry does not match its checksum. Returns the hash
 * of the archive without its trailer.
 */
export async function readArchive(input: Readable, readEntry: EntryReader): Promise<Buffer> {
  const digester = createDigester()
  const decoder = createTarDecoder({ strict: true })
  // Its errors reach the loop below through the decoder.
  const feeding = feed(input, decoder.writable, digester.update).catch(() => undefined)
  const damaged = (name: string, cause?: unknown) =>
    new ConfigError(`the archive is damaged: ${name}`, { cause })
  /** Explains errors of the archive and of its stream; errors of the entry reader pass unchanged. */
  async function* explained<Item>(stream: ReadableStream<Item>): AsyncGenerator<Item> {
    try {
      for await (const item of stream) yield item
    } catch (cause) {
      if (cause instanceof Error && cause === input.errored)
        throw new ConfigError(`the archive cannot be read: ${cause.message}`, { cause })
      throw damaged('it is not a complete tar file', cause)
    }
  }
  /** The entries since the last list; a file that changed meanwhile comes twice. */
  let entries: { sum: string; name: string }[] = []
  try {
    for await (const { header, body } of explained(decoder.readable)) {
      const bytes = toBuffers(explained(body))
      if (header.name.startsWith('checksums/')) {
        check(`${await readWhole(bytes)}`)
        continue
      }
      if (header.name === AUTHENTICATION) continue
      const hash = createHash('sha256')
      const content = hashed(bytes, hash)
      await readEntry(header, content)
      for await (const _ of content);
      if (header.type === 'file') entries.push({ sum: hash.digest('hex'), name: header.name })
    }
  } finally {
    input.destroy()
    await feeding
  }
  if (entries.length > 0) throw damaged('its last checksums are missing')
  return digester.end().hash

  function check(list: string) {
    let unchecked = list
    for (const { sum, name } of entries) {
      const line = toChecksumLine(sum, name)
      if (!unchecked.startsWith(line)) throw damaged(unchecked === '' ? 'an entry is not in its list' : name)
      unchecked = unchecked.slice(line.length)
    }
    if (unchecked !== '') throw damaged('an entry is missing')
    entries = []
  }
}

/** Writes a stream to a decoder, which receives the errors of the stream too. */
async function feed(
  input: Readable,
  decoder: WritableStream<Uint8Array>,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const writer = decoder.getWriter()
  try {
    for await (const chunk of input) {
      onChunk(chunk)
      await writer.write(chunk)
    }
    await writer.close()
  } catch (error) {
    await writer.abort(error)
    throw error
  }
}

async function* toBuffers(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, length } of body) yield Buffer.from(buffer, byteOffset, length)
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
