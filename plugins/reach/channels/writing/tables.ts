import type { Tokens } from 'marked'
import { styles } from './dialects.ts'
import { renderInline } from './inline.ts'

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
  const leading = align === 'right' ? missing : align === 'center' ? missing >> 1 : 0
  return ' '.repeat(leading) + text + ' '.repeat(missing - leading)
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

/** Returns the source of a block with its tables as monospaced text or lists. */
export function rewriteTables(token: Tokens.Generic): string {
  if (token.type === 'table') return rewriteTable(token as Tokens.Table) + /\n*$/.exec(token.raw)![0]
  const tables = listTables(token)
  return tables.length > 0 ? rewriteLines(token.raw, tables) : token.raw
}

const listTables = ({ tokens, items }: Tokens.Generic): Tokens.Table[] =>
  [...(tokens ?? []), ...((items as Tokens.ListItem[]) ?? [])].flatMap((inner) =>
    inner.type === 'table' ? [inner as Tokens.Table] : listTables(inner),
  )

/** Replaces the lines of the tables in a list or quote, keeping their margins and all other lines. */
function rewriteLines(source: string, tables: readonly Tokens.Table[]): string {
  const lines = source.split('\n')
  let from = 0
  for (const table of tables) {
    const rows = table.raw.trimEnd().split('\n')
    const first = lines.findIndex(
      (_, index) =>
        index >= from && rows.every((row, below) => lines[index + below]?.trimEnd().endsWith(row.trimEnd())),
    )
    // A table that is not found, because the lexer changed its text, stays as it was written.
    if (first < 0) continue
    const head = lines[first]!.trimEnd()
    const margin = head.slice(0, head.length - rows[0]!.trimEnd().length)
    const written = rewriteTable(table)
      .split('\n')
      .map((text, index) => `${index === 0 ? margin : margin.replace(/[^>\s]/g, ' ')}${text}`.trimEnd())
    lines.splice(first, rows.length, ...written)
    from = first + written.length
  }
  return lines.join('\n')
}

function rewriteTable(table: Tokens.Table): string {
  const aligned = alignTable(table, (cell) => renderInline(cell.tokens, styles.plain))
  if (aligned !== undefined) {
    const longest = Math.max(2, ...(aligned.match(/`+/g) ?? []).map(({ length }) => length))
    const fence = '`'.repeat(longest + 1)
    return `${fence}\n${aligned}\n${fence}`
  }
  return listTable(table, (cell) => cell.text.replace(/\|/g, '\\|'))
    .flatMap((row) => row.map((text, index) => (index === 0 ? `- ${text}` : `  - ${text}`)))
    .join('\n')
}
