import { unpack } from './archive.ts'
import type { Block } from './blocks.ts'
import { readHtml } from './html.ts'
import { ReadingFailure } from './reading-failure.ts'
import { readXml, requirePart } from './xml.ts'

/** The most bytes of all XML of a document: its tree takes ten times as many. */
const MAX_XML_BYTES = 32 * 1024 * 1024

/** Reads a Word document. */
export async function readDocx(bytes: Buffer): Promise<Block[]> {
  const archive = await unpack(bytes, (name) => /\.(xml|rels)$/.test(name), MAX_XML_BYTES)
  requirePart(archive, 'word/document.xml')
  // The library has no bounds of its own.
  for (const name of archive.keys()) readXml(archive, name, {})
  const { default: mammoth } = await import('mammoth')
  const options = { convertImage: mammoth.images.imgElement(async () => ({ src: '' })) }
  const { value } = await mammoth.convertToHtml({ buffer: bytes }, options).catch((cause) => {
    throw new ReadingFailure('DOCUMENT_DAMAGED', { cause })
  })
  return readHtml(value)
}
