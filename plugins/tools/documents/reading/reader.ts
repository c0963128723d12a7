import { readFileSync } from 'node:fs'
import type { DocumentPart, DocumentReaderKind, DocumentReading } from '#plugin-api'
import { type Block, layOut, type ReadText } from './blocks.ts'
import { decodeText, type TextSource } from './decode-text.ts'
import type { DocumentKind } from './document-kind.ts'
import { readAnyText, readCode, readPlainText } from './plain-text.ts'
import { readSeparated } from './separated.ts'

type Blocks = Iterable<Block> | { blocks: Iterable<Block>; pages: number }

/** A file to read; `module` is that of the plugin of its reader, and missing if the kind is built in. */
export interface ReadingFile {
  path: string
  name: string
  size: number
  media_type: string
  kind: string
  module?: string
  /** The address of a web page, whose links are kept then. */
  address?: string
}

/** Readers of formats; libraries are imported on first use, because each takes some time. */
const READERS: Record<DocumentKind, (bytes: Buffer, charset?: string) => Blocks | Promise<Blocks>> = {
  pdf: async (bytes) => (await import('./pdf.ts')).readPdf(bytes),
  docx: async (bytes) => (await import('./docx.ts')).readDocx(bytes),
  pptx: async (bytes) => (await import('./pptx.ts')).readPptx(bytes),
  xlsx: async (bytes) => (await import('./xlsx.ts')).readXlsx(bytes),
  odt: async (bytes) => (await import('./opendocument.ts')).readOpenDocument(bytes, 'odt'),
  ods: async (bytes) => (await import('./opendocument.ts')).readOpenDocument(bytes, 'ods'),
  odp: async (bytes) => (await import('./opendocument.ts')).readOpenDocument(bytes, 'odp'),
  epub: async (bytes) => (await import('./epub.ts')).readEpub(bytes),
  html: async (bytes, charset) =>
    (await import('./html.ts')).readHtml(await decodeText(bytes, { charset, format: 'html' })),
  md: async (bytes, charset) =>
    (await import('./markdown.ts')).readMarkdown(await decode(bytes, { charset })),
  eml: async (bytes) => (await import('./eml.ts')).readEml(bytes),
  rtf: async (bytes) => (await import('./rtf.ts')).readRtf(bytes),
  csv: async (bytes, charset) => readSeparated(await decode(bytes, { charset })),
  json: async (bytes, charset) => (await import('./json.ts')).readJson(await decode(bytes, { charset })),
  txt: async (bytes, charset) => readAnyText(await decode(bytes, { charset })),
  code: async (bytes, charset) => readCode(await decode(bytes, { charset, format: 'code' })),
}

/** Decodes a text with `\n` as its line ends, without what only terminals and printers obey. */
const decode = async (bytes: Buffer, source: TextSource) =>
  (await decodeText(bytes, source))
    .replace(/\r\n?|[\u0085\u2028\f\v]/g, '\n')
    .replace(/\u2029/g, '\n\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours, and characters that are printed twice to be bold.
    .replace(/\x1b\[[\d;?]*[ -/]*[@-~]|[^\n\x08]\x08/g, '')

/** Reads a document of a built-in kind; its sender may name its charset. Throws a ReadingFailure. */
export async function readDocument(bytes: Buffer, kind: DocumentKind, charset?: string): Promise<ReadText> {
  const read = await READERS[kind](bytes, charset)
  return 'pages' in read ? layOut(read.blocks, read.pages) : layOut(read as Iterable<Block>)
}

/** Reads a web page with its links and its title. */
async function readPage(bytes: Buffer, address: string, charset: string | undefined): Promise<ReadText> {
  const { readWebPage } = await import('./html-web-page.ts')
  const { title, blocks } = readWebPage(await decodeText(bytes, { charset, format: 'html' }), address)
  return { ...layOut(blocks), ...(title !== undefined && { title }) }
}

/** Reads a file, with the module of a plugin if it names one. Throws a ReadingFailure, or an error of the plugin. */
export async function readFile({ module, kind, address, ...file }: ReadingFile): Promise<ReadText> {
  if (module === undefined) {
    const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(file.media_type)?.[1]
    if (address !== undefined) return readPage(readFileSync(file.path), address, charset)
    return readDocument(readFileSync(file.path), kind as DocumentKind, charset)
  }
  const read = await loadReading(module, kind)
  const { pages } = await read(file, { signal: new AbortController().signal })
  const numbers = pages.map(({ page }) => page ?? 0)
  const count = numbers.reduce((most, number) => Math.max(most, number), 0)
  return layOut(toBlocks(pages), count > 0 ? count : undefined)
}

/** Returns the function of a plugin's reader: its setup only declares, so that it can be called here too. */
async function loadReading(module: string, name: string): Promise<DocumentReading> {
  const { default: plugin } = (await import(module)) as { default: { setup(host: object): void } }
  const readers: DocumentReaderKind[] = []
  const extend = (point: string, entry: DocumentReaderKind) => {
    if (point === 'documents.readers') readers.push(entry)
  }
  // Everything else of the host, and what that returns: nobody uses it here.
  const anything: object = new Proxy(() => undefined, { get: () => anything, apply: () => anything })
  plugin.setup(new Proxy({}, { get: (_, key) => (key === 'extend' ? extend : anything) }))
  const reader = readers.find((candidate) => candidate.name === name)
  if (!reader) throw new Error(`the setup of the plugin adds no reader "${name}" in another process`)
  return reader.read
}

/** Yields the paragraphs of the parts that a plugin's reader returned. Throws a TypeError if they are none. */
function* toBlocks(parts: readonly DocumentPart[]): Generator<Block> {
  for (const { text, page } of parts) {
    if (typeof text !== 'string' || !(page === undefined || Number.isSafeInteger(page)))
      throw new TypeError('each of `pages` must have a `text`, and `page` must be a whole number')
    for (const block of readPlainText(text.replace(/\r\n?/g, '\n'))) yield { ...block, page }
  }
}
