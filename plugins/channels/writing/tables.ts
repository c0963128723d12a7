import type { Tokens } from 'marked'

/** How wide a table may be, in columns of a terminal; a wider one would be wrapped into nonsense on a phone. */
const MAX_WIDTH = 80

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const WIDTHLESS = /[\p{M}\p{Cf}]/u

/** How many columns a text takes where all letters are equally wide. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += WIDTHLESS.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

function pad(text: string, width: number, align: Tokens.TableCell['align']): string {
  const missing = Math.max(0, width - widthOf(text))
  const before = align === 'right' ? missing : align === 'center' ? missing >> 1 : 0
  return ' '.repeat(before) + text + ' '.repeat(missing - before)
}

/** A table as lines of equally wide letters; undefined where it is too wide for that. */
export function alignTable(
  table: Tokens.Table,
  words: (cell: Tokens.TableCell) => string,
): string | undefined {
  const rows = [table.header, ...table.rows].map((row) =>
    row.map((cell) => words(cell).replace(/\s+/g, ' ').trim()),
  )
  const widths = table.header.map((_, column) => Math.max(3, ...rows.map((row) => widthOf(row[column]!))))
  if (widths.reduce((sum, width) => sum + width + 3, -3) > MAX_WIDTH) return undefined
  const [header, ...body] = rows.map((row) =>
    row
      .map((text, column) => pad(text, widths[column]!, table.align[column] ?? null))
      .join(' | ')
      .trimEnd(),
  )
  return [header, widths.map((width) => '-'.repeat(width)).join('-+-'), ...body].join('\n')
}

/** A table as a list: what each row says, under the names of its columns. A table of names alone is one row of them. */
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
