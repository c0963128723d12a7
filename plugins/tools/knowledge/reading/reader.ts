import { type Block, layOut, type ReadText } from './blocks.ts'
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

/** The part of Chinese characters in a text that must be common ones, so that it is not taken for a Western text. */
const MIN_COMMON = 0.7

/**
 * Decodes a text: by its byte order mark, otherwise as UTF-8 if it is valid, otherwise as GB 18030 if that makes common
 * characters of it, otherwise as Windows-1252.
 */
function decodeText(bytes: Buffer): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return (
    tryDecode(bytes, 'utf-8') ??
    (isChinese(bytes) ? tryDecode(bytes, 'gb18030') : undefined) ??
    new TextDecoder('windows-1252').decode(bytes)
  )
}

function tryDecode(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    // It is in another charset.
    return undefined
  }
}

/** True if most pairs of high bytes are punctuation or one of the 3,755 most common characters of GB 2312. */
function isChinese(bytes: Buffer): boolean {
  let pairs = 0
  let common = 0
  for (let index = 0; index + 1 < bytes.length; index += 1) {
    const [lead, trail] = [bytes[index]!, bytes[index + 1]!]
    if (lead < 0x81) continue
    pairs += 1
    if (trail >= 0xa1 && ((lead >= 0xa1 && lead <= 0xa3) || (lead >= 0xb0 && lead <= 0xd7))) common += 1
    index += 1
  }
  return pairs > 0 && common / pairs >= MIN_COMMON
}
