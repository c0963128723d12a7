import { readFile } from 'node:fs/promises'
import type { Block } from './blocks.ts'
import { createLevels, type PageItems, toBlocks } from './pdf-blocks.ts'
import type { PdfFont } from './pdf-fonts.ts'
import { type Matrix, type OperatorList, readGlyphs } from './pdf-glyphs.ts'
import { layOutPieces } from './pdf-layout.ts'
import { type Piece, toPieces } from './pdf-lines.ts'
import { type PageText, removeHeadsAndFeet } from './pdf-margins.ts'
import { ReadingFailure } from './reading-failure.ts'

/** The most pages of a document. */
const MAX_PAGES = 3000
/** The pages after which what pdf.js remembers is dropped; fonts are read again then. */
const PAGES_UNTIL_CLEANUP = 100
/** The CMaps of pdf.js, which say what the codes of Chinese, Japanese and Korean fonts are. */
const CMAPS = new URL('./cmaps/', import.meta.url)
/** The characters without a meaning for each readable one from which on a document is not text. */
const MAX_UNREADABLE = 4
/** A document of forms that only some programs show has a page with fewer characters than this, which says so. */
const MAX_NOTICE = 2000

/** The fields of a page of pdf.js that are used. */
interface PdfPage {
  getViewport(options: { scale: number }): { transform: number[]; width: number; height: number }
  getOperatorList(): Promise<OperatorList>
  commonObjs: { get(name: string): PdfFont }
  cleanup(): void
}

/** Reads CMaps for pdf.js, which checks their names; fonts that are not in a document are not needed for its text. */
class CMapReader {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    if (kind !== 'cMapUrl') throw new Error(`${filename} is not part of the package`)
    return new Uint8Array(await readFile(new URL(filename, CMAPS)))
  }
}

/** Reads a PDF: paragraphs, headings and tables by the places of their characters. */
export async function readPdf(bytes: Buffer): Promise<{ blocks: Iterable<Block>; pages: number }> {
  const { getDocument, OPS } = await import('./pdfjs.ts')
  const options = {
    data: new Uint8Array(bytes),
    verbosity: 0,
    BinaryDataFactory: CMapReader,
    cMapUrl: CMAPS.href,
    cMapPacked: true,
    fontExtraProperties: true,
    // Fonts are not drawn with.
    disableFontFace: false,
    ownerDocument: { fonts: new Set() },
    // No picture is decoded.
    maxImageSize: 0,
    useWorkerFetch: false,
    useSystemFonts: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
  }
  const document = await getDocument(options as object).promise.catch((cause: Error) => {
    throw new ReadingFailure(
      cause?.name === 'PasswordException' ? 'DOCUMENT_ENCRYPTED' : 'DOCUMENT_DAMAGED',
      {
        cause,
      },
    )
  })
  const { numPages: pages } = document
  if (pages > MAX_PAGES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
  const groups = await document.getOptionalContentConfig()
  const texts: PageText[] = []
  let [readable, unreadable] = [0, 0]
  for (let number = 1; number <= pages; number += 1) {
    const page = (await document.getPage(number)) as unknown as PdfPage
    const { transform, width, height } = page.getViewport({ scale: 1 })
    const glyphs = readGlyphs({
      list: await page.getOperatorList(),
      ops: OPS as unknown as Record<string, number>,
      base: transform as unknown as Matrix,
      width,
      height,
      getFont: (name) => page.commonObjs.get(name),
      isShown: (group) => groups.isVisible(group as never),
    })
    readable += glyphs.readable
    unreadable += glyphs.unreadable
    texts.push({
      layers: glyphs.layers.map((layer) => toPieces(layer.glyphs)),
      height: glyphs.layers[0]?.height ?? height,
    })
    page.cleanup()
    // pdf.js remembers the glyphs of each text.
    if (number % PAGES_UNTIL_CLEANUP === 0) await document.cleanup()
  }
  const isEmpty =
    readable * MAX_UNREADABLE < unreadable || (readable < MAX_NOTICE && (await hasOnlyXfa(document)))
  if (isEmpty) throw new ReadingFailure('DOCUMENT_EMPTY')
  removeHeadsAndFeet(texts)
  const levelOf = createLevels(listPieces(texts))
  return { blocks: toBlocks(layOutPages(texts), levelOf), pages }
}

function* listPieces(texts: readonly PageText[]): Generator<Piece> {
  for (const { layers } of texts) for (const pieces of layers) yield* pieces
}

/** Yields what is on the pages in reading order; the texts are emptied on the way, since many pages take much memory. */
function* layOutPages(texts: PageText[]): Generator<PageItems> {
  for (const [index, text] of texts.entries()) {
    yield { page: index + 1, items: text.layers.flatMap((pieces) => layOutPieces(pieces)) }
    text.layers = []
  }
}

/** Tells if a document has forms only for programs that know XFA; others show a page that says so. */
async function hasOnlyXfa(document: { getMetadata(): Promise<{ info: object }> }): Promise<boolean> {
  const info = (await document.getMetadata()).info as { IsXFAPresent?: boolean; IsAcroFormPresent?: boolean }
  return info.IsXFAPresent === true && info.IsAcroFormPresent !== true
}
