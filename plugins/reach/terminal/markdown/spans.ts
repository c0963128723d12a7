import { columnsOf, countColumns, splitGraphemes } from '../columns.ts'

/** The styles that Markdown is shown in, by the names of `util.styleText`. */
export type SpanStyle = 'bold' | 'italic' | 'underline' | 'strikethrough' | 'dim' | 'cyan'

/** Text in one style; `\n` begins a new row. */
export interface Span {
  text: string
  styles: readonly SpanStyle[]
}

/** One row of the terminal. */
export type Row = Span[]

/** Counts the columns of a row. */
export const measureRow = (row: Row): number => row.reduce((sum, { text }) => sum + countColumns(text), 0)

/** Breaks spans into rows of at most this many columns, at spaces and beside wide characters if possible. */
export function wrapSpans(spans: readonly Span[], columns: number): Row[] {
  const rows: Row[] = [[]]
  let width = 0
  const breakRow = () => {
    trimEnd(rows.at(-1)!)
    rows.push([])
    width = 0
  }
  const add = (text: string, styles: Span['styles'], columnCount: number) => {
    const row = rows.at(-1)!
    const last = row.at(-1)
    if (last?.styles === styles) last.text += text
    else row.push({ text, styles })
    width += columnCount
  }
  for (const { text, styles } of spans) {
    for (const piece of splitPieces(text)) {
      if (piece === '\n') breakRow()
      else if (/^\s+$/.test(piece)) {
        if (width > 0 && width < columns) add(' ', styles, 1)
      } else {
        const columnCount = countColumns(piece)
        if (width > 0 && width + columnCount > columns) breakRow()
        if (columnCount <= columns) add(piece, styles, columnCount)
        else
          for (const grapheme of splitGraphemes(piece)) {
            const columnsTaken = columnsOf(grapheme)
            if (width + columnsTaken > columns) breakRow()
            add(grapheme, styles, columnsTaken)
          }
      }
    }
  }
  trimEnd(rows.at(-1)!)
  return rows
}

/** Splits text into line breaks, spaces, words, and wide characters, beside which a row may end. */
function splitPieces(text: string): string[] {
  const pieces: string[] = []
  for (const part of text.split(/(\n|[^\S\n\u00a0]+)/)) {
    if (part === '') continue
    if (/^\s/.test(part) || /^[\x21-\x7e]*$/.test(part)) {
      pieces.push(part)
      continue
    }
    let word = ''
    for (const grapheme of splitGraphemes(part)) {
      const isWide = columnsOf(grapheme) === 2
      // Punctuation stays with the character before it.
      if (isWide && !/^\p{P}/u.test(grapheme)) {
        if (word) pieces.push(word)
        word = grapheme
      } else word += grapheme
    }
    if (word) pieces.push(word)
  }
  return pieces
}

function trimEnd(row: Row): void {
  for (let last = row.at(-1); last; last = row.at(-1)) {
    last.text = last.text.trimEnd()
    if (last.text !== '') return
    row.pop()
  }
}
