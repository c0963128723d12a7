import { type Block, layOut, type ReadText } from './blocks.ts'
import { decodeText } from './decoding.ts'
import type { DocumentKind } from './document-kind.ts'
import { readCode, readJson, readPlainText, readSeparated } from './plain-text.ts'

type Blocks = Iterable<Block> | { blocks: Iterable<Block>; pages: number }

/** Readers of formats; libraries are imported on first use, because each takes some time. */
const READERS: Record<DocumentKind, (bytes: Buffer) => Blocks | Promise<Blocks>> = {
  pdf: async (bytes) => (await import('./pdf.ts')).readPdf(bytes),
  docx: async (bytes) => (await import('./docx.ts')).readDocx(bytes),
  pptx: async (bytes) => (await import('./pptx.ts')).readPptx(bytes),
  xlsx: async (bytes) => (await import('./xlsx.ts')).readXlsx(bytes),
  html: async (bytes) => (await import('./html.ts')).readHtml(decodeText(bytes)),
  markdown: async (bytes) => (await import('./markdown.ts')).readMarkdown(decode(bytes)),
  csv: (bytes) => readSeparated(decode(bytes)),
  json: (bytes) => readJson(decode(bytes)),
  text: (bytes) => readPlainText(decode(bytes)),
  code: (bytes) => readCode(decode(bytes)),
}

const decode = (bytes: Buffer) => decodeText(bytes).replace(/\r\n?/g, '\n')

/** Reads a document. Throws a ReadingFailure. */
export async function readDocument(bytes: Buffer, kind: DocumentKind): Promise<ReadText> {
  const read = await READERS[kind](bytes)
  return 'pages' in read ? layOut(read.blocks, read.pages) : layOut(read as Iterable<Block>)
}
