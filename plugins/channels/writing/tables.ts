import type { Tokens } from 'marked'

/** The widest table that is aligned, in terminal columns; a phone would wrap wider lines. */
const MAX_WIDTH = 80

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const WIDTHLESS = /[\p{M}\p{Cf}]/u

/** Returns the number of columns that a text takes in a monospaced font. */
function measureWidth(text: string): number {
  let width = 0
  for (const character of text) width += WIDTHLESS.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

function pad(text: string, width: number, align: Tokens.TableCell['align']): string {
  const missing = Math.max(0, width - measureWidth(text))
  const before = align === 'right' ? missing : align === 'center' ? missing >> 1 : 0
  return ' '.repeat(before) + text + ' '.repeat(missing - before)
}

/** Renders a table as aligned monospaced lines; undefined if it is too wide. */
export function alignTable(
  table: Tokens.Table,
  words: (cell: Tokens.TableCell) => string,
): string | undefined {
  const rows = [table.header, ...table.rows].map((row) =>
    row.map((cell) => words(cell).replace(/\s+/g, ' ').trim()),
  )
  const widths = table.header.map((_, column) =>
    Math.max(3, ...rows.map((row) => measureWidth(row[column]!))),
  )
  if (widths.reduce((sum, width) => sum + width + 3, -3) > MAX_WIDTH) return undefined
  const [header, ...body] = rows.map((row) =>
    row
      .map((text, column) => pad(text, widths[column]!, table.align[column] ?? null))
      .join(' | ')
      .trimEnd(),
  )
  return [header, widths.map((width) => '-'.repeat(width)).join('-+-'), ...body].join('\n')
}

/** Renders a table as a list: per row the named cells. A table with only a header is one row of its names. */
export function listTable(table: Tokens.Table, words: (cell: Tokens.TableCell) => string): string[][] {
  const names = table.header.map(words)
  if (table.rows.length === 0) return [names]
  return table.rows.map((row) =>
    row.map(words).flatMap((text, column) => {
      const name = names[column]!
      return text === '' ? [] : [name === '' ? text : `${name}: ${text}`]
    }),
  )
}
