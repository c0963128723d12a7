import type { Archive } from '../archive.ts'
import type { Block } from '../blocks.ts'
import { decodeText } from '../decode-text.ts'
import { readHtml } from '../html.ts'
import { readPlainText } from '../plain-text.ts'
import type { Relation } from '../xml.ts'

/** The most files that are read in a document. */
const MAX_CHUNKS = 50
/** The most bytes of a document in a document once unpacked. */
const MAX_UNPACKED_BYTES = 4 * 1024 * 1024

/** Reads the files that a document embeds as a part of its text, by the ids of their relations. */
export async function readChunks(
  archive: Archive,
  relations: readonly Relation[],
  readDocument: (bytes: Buffer, maxBytes: number) => Promise<Block[]>,
): Promise<Map<string, readonly Block[]>> {
  const chunks = new Map<string, readonly Block[]>()
  const embedded = relations.filter(({ type }) => type === 'aFChunk').slice(0, MAX_CHUNKS)
  const files = new Set(embedded.map(({ target }) => target))
  for (const { id, target } of embedded) {
    const bytes = archive.get(target)
    // A file is read once, however many relations name it.
    if (!bytes || !files.delete(target)) continue
    if (/\.x?html?$/i.test(target)) chunks.set(id, readHtml(await decodeText(bytes)))
    else if (/\.txt$/i.test(target))
      chunks.set(id, [...readPlainText((await decodeText(bytes)).replace(/\r\n?/g, '\n'))])
    else if (/\.docx$/i.test(target)) chunks.set(id, await readDocument(bytes, MAX_UNPACKED_BYTES))
  }
  return chunks
}
