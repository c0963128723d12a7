import { unpack } from './archive.ts'
import type { Block } from './blocks.ts'
import { readHtml } from './html.ts'
import { ReadingFailure } from './reading-failure.ts'
import { requirePart } from './xml.ts'

/** Reads a Word document. */
export async function readDocx(bytes: Buffer): Promise<Block[]> {
  const archive = await unpack(bytes, (name) => name === 'word/document.xml')
  requirePart(archive, 'word/document.xml')
  const { default: mammoth } = await import('mammoth')
  const options = { convertImage: mammoth.images.imgElement(async () => ({ src: '' })) }
  const { value } = await mammoth.convertToHtml({ buffer: bytes }, options).catch((cause) => {
    throw new ReadingFailure('DOCUMENT_DAMAGED', { cause })
  })
  return readHtml(value)
}
