import type { Block } from './blocks.ts'
import type { Line, PageItem } from './pdf-layout.ts'
import type { Piece } from './pdf-lines.ts'
import { toRows } from './tables.ts'

/** A line is a heading if its type is larger than that of the text by this factor. */
const HEADING_FACTOR = 1.15
/** The longest heading, and the longest one that is only bold. */
const MAX_HEADING = 160
const MAX_BOLD_HEADING = 90
/** Lines farther apart than this many times their height belong to different paragraphs. */
const PARAGRAPH_GAP = 1.7
/** The most text of which a part that is bold may be headings. */
const MAX_BOLD_PART = 0.25
/** The beginning of an entry of a list. */
const ENTRY = /^([•●○▪■□◦‣·∙–—-] |\(?\d{1,3}[.)] |[a-z][.)] )/
const WIDE = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\u3000-\\u303f\\uff01-\\uff60]'
const ENDS_WIDE = new RegExp(`${WIDE}$`, 'u')
const STARTS_WIDE = new RegExp(`^${WIDE}`, 'u')
const THAI = /\p{sc=Thai}/u
const SOFT_HYPHEN = /\u00ad/g

/** The items of a page in reading order. */
export interface PageItems {
  page: number
  items: PageItem[]
}

/** Joins the lines of pages to paragraphs and headings; each is of one page. */
export function* toBlocks(pages: Iterable<PageItems>, levelOf: LevelOf): Generator<Block> {
  let last: Block | undefined
  for (const { page, items } of pages)
    for (const block of toPageBlocks(items, page, levelOf)) {
      if (last && last.page !== block.page) joinWord(last, block)
      if (last) yield last
      last = block
    }
  if (last) yield last
}

type LevelOf = (line: Line) => number

/** Returns a function that finds the level of a heading by its type; it is 0 for text. */
export function createLevels(pieces: Iterable<Piece>): LevelOf {
  const counts = new Map<number, number>()
  let [all, bold] = [0, 0]
  for (const { size, text, isBold } of pieces) {
    counts.set(size, (counts.get(size) ?? 0) + text.length)
    all += text.length
    if (isBold) bold += text.length
  }
  const body = [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0])[0]
  const larger = [...counts.keys()].filter((size) => size > body * HEADING_FACTOR).sort((a, b) => b - a)
  const levels = new Map(larger.map((size, index) => [size, Math.min(6, index + 1)]))
  const hasBoldHeadings = bold <= all * MAX_BOLD_PART
  const boldLevel = Math.min(6, larger.length + 1)
  return ({ size, text, isBold, left, right, x1 }) => {
    if (!/\p{L}/u.test(text)) return 0
    if (size > body * HEADING_FACTOR) return text.length <= MAX_HEADING ? levels.get(size)! : 0
    const isShort = text.length <= MAX_BOLD_HEADING && x1 - left < (right - left) * 0.9
    return isBold && hasBoldHeadings && size >= body && isShort && !/[.,;:。，；：]$/.test(text)
      ? boldLevel
      : 0
  }
}

function* toPageBlocks(items: readonly PageItem[], page: number, levelOf: LevelOf): Generator<Block> {
  let block: { level: number; parts: string[]; last: Line; gap: number } | undefined
  const end = (): Block => {
    const { level, parts } = block!
    const text = parts.join('').replace(SOFT_HYPHEN, '')
    return level > 0 ? { kind: 'heading', level, text, page } : { kind: 'text', text, page }
  }
  for (const item of items) {
    if ('rows' in item) {
      if (block) yield end()
      block = undefined
      yield* toRows(item.rows, { page })
      continue
    }
    const { line } = item
    const level = levelOf(line)
    if (block && block.level === level && isNext(block, line)) {
      addLine(block.parts, line.text)
      block.gap = line.y - block.last.y
      block.last = line
    } else {
      if (block) yield end()
      block = { level, parts: [line.text], last: line, gap: 0 }
    }
  }
  if (block) yield end()
}

/** Tells if a line goes on with a paragraph. */
function isNext({ last, gap, level }: { last: Line; gap: number; level: number }, line: Line): boolean {
  const distance = line.y - last.y
  if (Math.abs(line.size - last.size) > 0.15 * last.size || line.left !== last.left) return false
  if (distance < -0.5 * last.size || distance > Math.max(last.size, 1) * PARAGRAPH_GAP) return false
  // Double spacing is seen once a paragraph has two lines.
  if (gap > 0 && distance > gap * 1.35) return false
  if (level > 0) return true
  if (ENTRY.test(line.text)) return false
  const isIndented = line.x0 - line.left > 0.8 * line.size && last.x0 - last.left < 0.5 * line.size
  return !(isIndented && /[.!?:。！？：”"’)]$/.test(last.text))
}

/** Adds a line to others: words that were divided lose their hyphen, and Chinese has no space between lines. */
function addLine(parts: string[], next: string): void {
  const last = parts.at(-1)!
  const text = last.slice(-3)
  if (text.endsWith('\u00ad') || (/\p{L}[-‐]$/u.test(text) && /^\p{Ll}/u.test(next))) {
    parts.push(parts.pop()!.slice(0, -1), next)
    return
  }
  const isWide = ENDS_WIDE.test(text) && STARTS_WIDE.test(next)
  const isThai = THAI.test(text.slice(-1)) && THAI.test(next.slice(0, 1))
  const isWithinWord = /\p{L}[-‐/]$/u.test(text) && /^[\p{L}\d]/u.test(next)
  if (!isWide && !isThai && !isWithinWord) parts.push(' ')
  parts.push(next)
}

/** Moves the rest of a word that was divided at the end of a page to the page on which it begins. */
function joinWord(last: Block, next: Block): void {
  if (last.kind !== 'text' || next.kind !== 'text' || !/\p{L}[-‐]$/u.test(last.text)) return
  const [word] = next.text.match(/^\p{Ll}+[.,;:!?]?/u) ?? []
  if (word === undefined) return
  last.text = last.text.slice(0, -1) + word
  next.text = next.text.slice(word.length).trimStart()
}
