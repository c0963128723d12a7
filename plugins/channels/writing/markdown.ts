import type { Token, Tokens } from 'marked'
import type { Dialect } from '#kernel'
import { renderBlocks } from './blocks.ts'
import { styles } from './dialects.ts'
import { renderInline } from './inline.ts'
import { lex } from './lexing.ts'
import { alignTable, listTable } from './tables.ts'

/** How a text is understood. */
export interface Reading {
  /** Whether links may be defined in another line than they are used in; so unless told otherwise. */
  has_references?: boolean
}

/**
 * A text as a platform writes it, from CommonMark with GFM's tables, strikethrough and links. Balanced for any text,
 * also for one that ends in the middle of something. Never throws.
 */
export function render(markdown: string, dialect: Dialect, reading: Reading = {}): string {
  if (dialect === 'markdown') return markdown
  try {
    const tokens = lex(markdown, reading)
    if (dialect === 'markdown-without-tables') return withoutTables(tokens, markdown)
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

const hasTable = (tokens: readonly Tokens.Generic[] = []): boolean =>
  tokens.some(
    ({ type, tokens: inner, items }) =>
      type === 'table' || hasTable(inner) || (type === 'list' && hasTable(items)),
  )

/** The same text, its tables in equally wide letters or as lists. */
function withoutTables(tokens: readonly Token[], markdown: string): string {
  return hasTable(tokens) ? tokens.map(rewrite).join('') : markdown
}

function rewrite(token: Tokens.Generic): string {
  if (!hasTable([token])) return token.raw
  const end = /\n*$/.exec(token.raw)![0]
  if (token.type === 'table') return rewriteTable(token as Tokens.Table) + end
  if (token.type === 'list') return rewriteList(token as Tokens.List) + end
  if (token.type === 'blockquote') return prefix(rewriteAll(token.tokens), '> ', '> ') + end
  return token.raw
}

const rewriteAll = (tokens: readonly Token[] = []) => tokens.map(rewrite).join('').trimEnd()

const prefix = (text: string, first: string, others: string) =>
  text
    .split('\n')
    .map((line, index) => `${index === 0 ? first : others}${line}`.trimEnd())
    .join('\n')

function rewriteList(list: Tokens.List): string {
  const items = list.items.map((item, index) => {
    const bullet = list.ordered ? `${Number(list.start) + index}. ` : '- '
    return prefix(rewriteAll(item.tokens), bullet, ' '.repeat(bullet.length))
  })
  return items.join('\n')
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
