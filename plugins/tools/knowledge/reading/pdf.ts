import type { Block } from './blocks.ts'
import { ReadingFailure } from './reading-failure.ts'

/** The most pages of a document. */
const MAX_PAGES = 3000
/** A line is a heading if its type is larger than that of the text by this factor. */
const HEADING_FACTOR = 1.15
/** The longest heading. */
const MAX_HEADING = 160
/** Lines farther apart than this many times their height belong to different paragraphs. */
const PARAGRAPH_GAP = 1.7

/** The fields of a piece of text of pdf.js that are used. */
interface TextItem {
  str: string
  hasEOL: boolean
  height: number
  transform: number[]
}

interface Line {
  text: string
  /** The height of its type, rounded. */
  height: number
  y: number
  page: number
}

/** Reads a PDF: pages, paragraphs, and headings by the size of their type. */
export async function readPdf(bytes: Buffer): Promise<{ blocks: Block[]; pages: number }> {
  const { getDocumentProxy } = await import('unpdf')
  const document = await getDocumentProxy(new Uint8Array(bytes), {
    isEvalSupported: false,
    verbosity: 0,
  }).catch((cause) => {
    throw new ReadingFailure(
      cause?.name === 'PasswordException' ? 'DOCUMENT_ENCRYPTED' : 'DOCUMENT_DAMAGED',
      {
        cause,
      },
    )
  })
  const { numPages: pages } = document
  if (pages > MAX_PAGES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
  const lines: Line[] = []
  for (let number = 1; number <= pages; number += 1) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    lines.push(...toLines(items as TextItem[], number))
    page.cleanup()
  }
  return { blocks: [...toBlocks(lines)], pages }
}

/** Joins the pieces of a page to lines, in the order in which the document has them. */
function* toLines(items: readonly TextItem[], page: number): Generator<Line> {
  let line: Line | undefined
  for (const { str, hasEOL, height, transform } of items) {
    const y = transform[5]!
    const isSame = line && Math.abs(line.y - y) < Math.max(line.height, 1) * 0.5
    if (line && !isSame && str.trim() !== '') {
      yield line
      line = undefined
    }
    if (str !== '') {
      line ??= { text: '', height: 0, y, page }
      line.text += str
      line.height = Math.max(line.height, Math.round(height * 2) / 2)
    }
    if (hasEOL && line) {
      yield line
      line = undefined
    }
  }
  if (line) yield line
}

/** Joins lines to paragraphs and headings. */
function* toBlocks(lines: readonly Line[]): Generator<Block> {
  const sizes = lines.filter(({ text }) => text.trim() !== '')
  const body = mostCommon(sizes)
  const larger = [...new Set(sizes.map(({ height }) => height))]
    .filter((height) => height > body * HEADING_FACTOR)
    .sort((a, b) => b - a)
  const levels = new Map(larger.map((height, index) => [height, Math.min(6, index + 1)]))
  const levelOf = ({ height, text }: Line) =>
    height > body * HEADING_FACTOR && text.length <= MAX_HEADING && /\p{L}/u.test(text)
      ? levels.get(height)!
      : 0
  let block: Omit<Block, 'text'> | undefined
  /** The lines of the block, joined at its end: joining each one at once would copy those before. */
  let parts: string[] = []
  let lastLine: Line | undefined
  const end = () => ({ ...block, text: parts.join('') }) as Block
  for (const line of lines) {
    if (line.text.trim() === '') continue
    const level = levelOf(line)
    const isNext = lastLine && block && lastLine.page === line.page && lastLine.height === line.height
    const gap = lastLine ? lastLine.y - line.y : 0
    const isClose = isNext && gap >= 0 && gap < Math.max(lastLine!.height, 1) * PARAGRAPH_GAP
    if (block && isClose && (block.kind === 'heading') === level > 0) addLine(parts, line.text)
    else {
      if (block) yield end()
      block = {
        ...(level > 0 ? { kind: 'heading', level } : { kind: 'text' }),
        page: line.page,
      } as typeof block
      parts = [line.text]
    }
    lastLine = line
  }
  if (block) yield end()
}

/** Adds a line to others: words that were divided lose their hyphen, and Chinese has no space between lines. */
function addLine(parts: string[], next: string): void {
  const text = parts.at(-1)!.slice(-3)
  if (/\p{L}-$/u.test(text) && /^\p{Ll}/u.test(next)) {
    parts.push(parts.pop()!.slice(0, -1), next)
    return
  }
  const isWide =
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}，。；：、]$/u.test(text) &&
    /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}，。；：、]/u.test(next)
  if (!isWide) parts.push(' ')
  parts.push(next)
}

/** Returns the height of type that most characters have. */
function mostCommon(lines: readonly Line[]): number {
  const counts = new Map<number, number>()
  for (const { height, text } of lines) counts.set(height, (counts.get(height) ?? 0) + text.length)
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0])[0]
}
