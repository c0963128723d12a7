import type { Tokens } from 'marked'
import type { Dialect } from '#plugin-api'
import { renderBlocks } from './blocks.ts'
import { styles } from './dialects.ts'
import { renderInline } from './inline.ts'
import { lex, type Reading } from './lexing.ts'
import { alignTable, listTable } from './tables.ts'

/**
 * A text as a platform writes it, from CommonMark with GFM's tables, strikethrough and links. Balanced for any text,
 * also for one that ends in the middle of something. Never throws.
 */
export function render(markdown: string, dialect: Dialect, reading: Reading = {}): string {
  if (dialect === 'markdown') return markdown
  try {
    const tokens = lex(markdown, reading)
    if (dialect === 'markdown-without-tables') return tokens.map(rewrite).join('')
    return renderBlocks(tokens, styles[dialect]).join('\n')
  } catch {
    // The lexer is not ours: where it fails at all, people get the text as it was written.
    return escapeSource(markdown, dialect)
  }
}

/** A text in which nothing is marked, as a platform shows it as it is written. */
export function escapeSource(source: string, dialect: Dialect): string {
  return dialect === 'html' || dialect === 'mrkdwn' ? styles[dialect].escape(source) : source
}

/** A block of the same text, its tables in equally wide letters or as lists. */
function rewrite(token: Tokens.Generic): string {
  if (token.type === 'table') return rewriteTable(token as Tokens.Table) + /\n*$/.exec(token.raw)![0]
  const tables = tablesIn(token)
  return tables.length > 0 ? rewriteLines(token.raw, tables) : token.raw
}

const tablesIn = ({ tokens, items }: Tokens.Generic): Tokens.Table[] =>
  [...(tokens ?? []), ...((items as Tokens.ListItem[]) ?? [])].flatMap((inner) =>
    inner.type === 'table' ? [inner as Tokens.Table] : tablesIn(inner),
  )

/** A list or quote in which the lines of its tables are written anew, behind what they stand behind, and no others. */
function rewriteLines(source: string, tables: readonly Tokens.Table[]): string {
  const lines = source.split('\n')
  let from = 0
  for (const table of tables) {
    const rows = table.raw.trimEnd().split('\n')
    const first = lines.findIndex(
      (_, index) =>
        index >= from && rows.every((row, below) => lines[index + below]?.trimEnd().endsWith(row.trimEnd())),
    )
    // What the lexer has changed beyond recognition stays as it was written.
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
