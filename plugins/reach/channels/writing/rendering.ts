import type { Token, Tokens } from 'marked'
import type { Dialect } from '#plugin-api'
import { type Style, styles } from './dialects.ts'
import { renderInline } from './inline.ts'
import { lex, type Reading } from './lexing.ts'
import { alignTable, listTable, rewriteTables } from './tables.ts'

/**
 * Renders CommonMark with GFM tables, strikethrough and links in a dialect. All marks are closed, also if the text ends
 * within a mark. Never throws.
 */
export function render(markdown: string, dialect: Dialect, reading: Reading = {}): string {
  if (dialect === 'markdown') return markdown
  try {
    const tokens = lex(markdown, reading)
    if (dialect === 'markdown-without-tables') return tokens.map(rewriteTables).join('')
    return renderBlocks(tokens, styles[dialect]).join('\n')
  } catch {
    // If the lexer, which is not ours, fails, the text is shown as it was written.
    return escapeSource(markdown, dialect)
  }
}

/** Matches everything that a person can see: no blanks, controls, combining marks or fillers. */
const VISIBLE = /[^\p{Z}\p{C}\p{M}\u115f\u1160\u3164\uffa0\u2800]/u

/** True if a rendered text has more than blanks and characters without a width. */
export const hasVisible = (text: string): boolean => VISIBLE.test(text)

/** True if a platform shows anything of a text: a link definition or an empty code block shows nothing. */
export const isVisible = (markdown: string): boolean => hasVisible(render(markdown, 'plain'))

/** Escapes a text so that the platform shows it as it was written. */
export function escapeSource(source: string, dialect: Dialect): string {
  return dialect === 'html' || dialect === 'mrkdwn' || dialect === 'whatsapp'
    ? styles[dialect].escape(source)
    : source
}

const RULE = '──────────'

const indent = (lines: string[], bullet: string, { unindentable }: Style) => {
  const [head = '', ...tail] = lines
  const begun = unindentable.test(head) ? [bullet.trimEnd(), head] : [`${bullet}${head}`]
  const space = ' '.repeat(bullet.length)
  return [
    ...begun,
    ...tail.map((line) => (line === '' || unindentable.test(line) ? line : `${space}${line}`)),
  ]
}

const toLines = (text: string) => text.split('\n').map((line) => line.trim())

/** Renders blocks as lines in a style, with an empty line between blocks. */
function renderBlocks(tokens: readonly Token[], style: Style, inQuote = false): string[] {
  const lines: string[] = []
  for (const token of tokens) {
    const block = withoutEmptyEnds(renderBlock(token, style, inQuote))
    if (block.length > 0) lines.push(...(lines.length > 0 ? [''] : []), ...block)
  }
  return lines
}

function withoutEmptyEnds(lines: string[]): string[] {
  const isFilled = (line: string) => line.trim() !== ''
  const first = lines.findIndex(isFilled)
  if (first < 0) return []
  return lines.slice(first, lines.findLastIndex(isFilled) + 1).map((line) => line.trimEnd())
}

function renderBlock(token: Tokens.Generic, style: Style, inQuote: boolean): string[] {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return []
    case 'heading':
      return toLines(style.strong(renderInline(token.tokens ?? [], style, { strong: true })))
    case 'hr':
      return [RULE]
    case 'code': {
      const language = (token.lang ?? '').trim().split(/\s/, 1)[0]!
      return token.text.trim() === '' ? [] : style.codeBlock(token.text.replace(/\n+$/, ''), language)
    }
    case 'blockquote': {
      const lines = renderBlocks(token.tokens ?? [], style, true)
      return lines.length === 0 || (inQuote && !style.nests_quotes) ? lines : style.quote(lines)
    }
    case 'list':
      return renderList(token as Tokens.List, style, inQuote)
    case 'table':
      return renderTable(token as Tokens.Table, style)
    case 'html':
      return style.escape(token.text).split('\n')
    default:
      return toLines(token.tokens ? renderInline(token.tokens, style) : style.escape(token.text ?? token.raw))
  }
}

/** Renders tight and loose lists the same, so that a later item does not change the items already shown. */
function renderList(list: Tokens.List, style: Style, inQuote: boolean): string[] {
  return list.items.flatMap((item, index) => {
    const number = list.ordered ? `${Number(list.start) + index}. ` : ''
    const box = item.task ? (item.checked ? '☑ ' : '☐ ') : ''
    const bullet = number + box || '• '
    const lines: string[] = []
    for (const token of item.tokens) {
      const block = withoutEmptyEnds(renderBlock(token, style, inQuote))
      const isSeparate = token.type === 'paragraph' && lines.length > 0 && block.length > 0
      lines.push(...(isSeparate ? [''] : []), ...block)
    }
    return indent(lines, bullet, style)
  })
}

/** Renders a table as monospaced text, or as a list if it is too wide for that. */
function renderTable(table: Tokens.Table, style: Style): string[] {
  const aligned = alignTable(table, (cell) => renderInline(cell.tokens, styles.plain))
  if (aligned !== undefined) return style.codeBlock(aligned, '')
  return listTable(table, (cell) => renderInline(cell.tokens, style).replace(/\n/g, ' ')).flatMap((row) =>
    row.map((text, index) => (index === 0 ? `• ${text}` : `  ${text}`)),
  )
}
