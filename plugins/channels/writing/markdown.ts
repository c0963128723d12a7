import type { Tokens } from 'marked'
import type { Dialect } from '#plugin-api'
import { renderBlocks } from './blocks.ts'
import { styles } from './dialects.ts'
import { renderInline } from './inline.ts'
import { lex, type Reading } from './lexing.ts'
import { alignTable, listTable } from './tables.ts'

/**
 * Renders CommonMark with GFM tables, strikethrough and links in a dialect. All marks are closed, also if the text ends
 * within a mark. Never throws.
 */
export function render(markdown: string, dialect: Dialect, reading: Reading = {}): string {
  if (dialect === 'markdown') return markdown
  try {
    const tokens = lex(markdown, reading)
    if (dialect === 'markdown-without-tables') return tokens.map(rewrite).join('')
    return renderBlocks(tokens, styles[dialect]).join('\n')
  } catch {
    // If the lexer, which is not ours, fails, the text is shown as it was written.
    return escapeSource(markdown, dialect)
  }
}

/** Escapes a text so that the platform shows it as it was written. */
export function escapeSource(source: string, dialect: Dialect): string {
  return dialect === 'html' || dialect === 'mrkdwn' ? styles[dialect].escape(source) : source
}

/** Returns the source of a block with its tables as monospaced text or lists. */
function rewrite(token: Tokens.Generic): string {
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
