import { Parser } from 'htmlparser2'
import { type Block, toRows } from './blocks.ts'
import { ReadingFailure } from './reading-failure.ts'

/** Elements whose content is not text of the document. */
const SKIPPED = new Set(
  'script style noscript template svg math iframe object nav footer aside form button select head'.split(' '),
)
/** Elements before and after which a paragraph ends. */
const BLOCKS = new Set(
  'address article blockquote body caption dd details div dl dt fieldset figcaption figure header hr li main ol p section summary ul'.split(
    ' ',
  ),
)
const MAIN = new Set(['main', 'article'])
/** The fewest characters in the main part of a page that count as its content. */
const MIN_MAIN = 200

/** The most elements that are open at a time; the parser looks through them at each tag. */
const MAX_DEPTH = 5000
/** The most tables within each other, since the text of an inner one is copied into each outer one. */
const MAX_TABLES = 20

/** A table that is being read. */
interface OpenTable {
  rows: string[][]
  cell: string | undefined
}

/**
 * Returns the headings, paragraphs, tables and code of an HTML page: of its main part if it names one. Throws
 * DOCUMENT_TOO_LARGE if it is nested too deeply.
 */
export function readHtml(source: string): Block[] {
  const blocks: { block: Block; isMain: boolean }[] = []
  const tables: OpenTable[] = []
  let text = ''
  let title = ''
  let heading = 0
  let code = 0
  let skipped = 0
  let main = 0
  let isTitle = false
  let depth = 0

  const add = (block: Block) => {
    if (block.text.trim() !== '') blocks.push({ block, isMain: main > 0 })
  }
  const flush = () => {
    const kind = code > 0 ? 'code' : 'text'
    if (heading > 0) add({ kind: 'heading', level: heading, text })
    else add({ kind, text })
    text = ''
  }
  const table = () => tables.at(-1)
  const take = (part: string) => {
    const open = table()
    if (open?.cell !== undefined) open.cell += part
    else if (!open) text += part
  }

  const parser = new Parser({
    onopentag(name) {
      depth += 1
      if (depth > MAX_DEPTH || tables.length > MAX_TABLES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      if (name === 'title') isTitle = true
      if (SKIPPED.has(name)) skipped += 1
      if (skipped > 0) return
      if (MAIN.has(name)) {
        flush()
        main += 1
      } else if (name === 'table') {
        if (tables.length === 0) flush()
        tables.push({ rows: [], cell: undefined })
      } else if (name === 'tr') table()?.rows.push([])
      else if (name === 'td' || name === 'th') {
        const open = table()
        if (open) open.cell = ''
      } else if (name === 'br') take('\n')
      else if (tables.length > 0) take(BLOCKS.has(name) ? ' ' : '')
      else if (/^h[1-6]$/.test(name)) {
        flush()
        heading = Number(name[1])
      } else if (name === 'pre') {
        flush()
        code += 1
      } else if (BLOCKS.has(name)) {
        flush()
        if (name === 'li') text = '- '
      }
    },
    ontext(part) {
      if (isTitle) title += part
      if (skipped > 0) return
      take(code > 0 ? part : part.replace(/\s+/g, ' '))
    },
    onclosetag(name) {
      depth -= 1
      if (name === 'title') isTitle = false
      if (SKIPPED.has(name)) {
        skipped = Math.max(0, skipped - 1)
        return
      }
      if (skipped > 0) return
      if (name === 'td' || name === 'th') {
        const open = table()
        open?.rows.at(-1)?.push(open.cell ?? '')
        if (open) open.cell = undefined
      } else if (name === 'table') {
        const closed = tables.pop()
        const rows = [...toRows(closed?.rows ?? [])]
        // A table within a cell becomes text of the cell.
        if (tables.length > 0) take(` ${rows.map((row) => row.text).join('; ')} `)
        else for (const row of rows) add(row)
      } else if (tables.length > 0) return
      else if (/^h[1-6]$/.test(name)) {
        flush()
        heading = 0
      } else if (name === 'pre') {
        flush()
        code = Math.max(0, code - 1)
      } else if (BLOCKS.has(name)) {
        flush()
        if (MAIN.has(name)) main = Math.max(0, main - 1)
      }
    },
  })
  parser.end(source)
  flush()

  const size = blocks.reduce((sum, { block, isMain }) => sum + (isMain ? block.text.length : 0), 0)
  const content = blocks
    .filter(({ isMain }) => size < MIN_MAIN || isMain)
    .map(({ block }) => (block.text === '- ' ? { ...block, text: '' } : block))
  const hasHeading = content.some(({ kind }) => kind === 'heading')
  return title.trim() && !hasHeading ? [{ kind: 'heading', level: 1, text: title }, ...content] : content
}
