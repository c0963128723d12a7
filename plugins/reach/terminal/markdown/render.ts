import { Marked, type Token, type Tokens } from 'marked'
import { type Row, type Span, type SpanStyle, wrapSpans } from './spans.ts'
import { renderTable } from './table.ts'

const NO_STYLES: readonly SpanStyle[] = []
const RULE_COLUMNS = 40
const MIN_COLUMNS = 10

/** A formula between dollars, which is shown as it was written; prices such as $5 and $10 are none. */
const FORMULA = /^(?:\$\$[^$]+\$\$|\$(?=[^\s$])[^$\n]*[^\s$\n]\$(?!\d)|\$[^\s$]\$(?!\d))/

const markdown = new Marked({
  gfm: true,
  extensions: [
    {
      name: 'formula',
      level: 'inline',
      start: (source) => source.indexOf('$'),
      tokenizer: (source) => {
        const [raw] = FORMULA.exec(source) ?? []
        return raw === undefined ? undefined : { type: 'formula', raw, text: raw }
      },
    },
  ],
})

/** Lays out Markdown in rows of at most this many columns. */
export const renderMarkdown = (text: string, columns: number): Row[] =>
  renderBlocks(markdown.lexer(text), Math.max(columns, MIN_COLUMNS))

/** Lays out a line of a block of code. */
export const renderCodeLine = (line: string, columns: number): Row[] =>
  hardWrap(line.replaceAll('\t', '    '), columns - 2).map((part) => [
    { text: '│ ', styles: ['dim'] },
    { text: part, styles: ['cyan'] },
  ])

/** Lays out the language of a block of code. */
export const renderLanguage = (language: string): Row[] => [[{ text: `│ ${language}`, styles: ['dim'] }]]

function renderBlocks(tokens: readonly Token[], columns: number, isTight = false): Row[] {
  const rows: Row[] = []
  for (const token of tokens) {
    const block = renderBlock(token, columns)
    if (block.length === 0) continue
    if (rows.length > 0 && !isTight) rows.push([])
    rows.push(...block)
  }
  return rows
}

function renderBlock(token: Token, columns: number): Row[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading':
      return wrapSpans(
        readSpans(token.tokens ?? [], token.depth === 1 ? ['bold', 'underline'] : ['bold']),
        columns,
      )
    case 'list':
      return renderList(token as Tokens.List, columns)
    case 'blockquote':
      return withPrefix(renderBlocks(token.tokens ?? [], columns - 2), '▌ ')
    case 'code': {
      const { text, lang } = token as Tokens.Code
      return [
        ...(lang ? renderLanguage(lang) : []),
        ...text
          .trimEnd()
          .split('\n')
          .flatMap((line) => renderCodeLine(line, columns)),
      ]
    }
    case 'table': {
      const { header, rows, align } = token as Tokens.Table
      const readCells = (cells: Tokens.TableCell[], styles: readonly SpanStyle[]) =>
        cells.map(({ tokens }) => readSpans(tokens, styles))
      return renderTable(
        [readCells(header, ['bold']), ...rows.map((cells) => readCells(cells, NO_STYLES))],
        align,
        columns,
      )
    }
    case 'hr':
      return [[{ text: '─'.repeat(Math.min(columns, RULE_COLUMNS)), styles: ['dim'] }]]
    default:
      return wrapSpans(readSpans('tokens' in token && token.tokens ? token.tokens : [token]), columns)
  }
}

function renderList({ items, ordered, start, loose }: Tokens.List, columns: number): Row[] {
  const rows: Row[] = []
  for (const [index, { tokens, task, checked }] of items.entries()) {
    const bullet = ordered ? `${Number(start) + index}. ` : '• '
    const marker = task ? (checked ? '☑ ' : '☐ ') : bullet
    const content = tokens.filter(({ type }) => type !== 'checkbox')
    const body = renderBlocks(content, columns - marker.length, !loose)
    if (loose && rows.length > 0) rows.push([])
    rows.push(...withPrefix(body.length > 0 ? body : [[]], ' '.repeat(marker.length), marker))
  }
  return rows
}

const withPrefix = (rows: Row[], prefix: string, first = prefix): Row[] =>
  rows.map((row, index) => [{ text: index === 0 ? first : prefix, styles: ['dim'] }, ...row])

/** Reads inline tokens as text in styles. */
function readSpans(tokens: readonly Token[], styles: readonly SpanStyle[] = NO_STYLES): Span[] {
  return tokens.flatMap((token): Span[] => {
    switch (token.type) {
      case 'strong':
        return readSpans(token.tokens ?? [], [...styles, 'bold'])
      case 'em':
        return readSpans(token.tokens ?? [], [...styles, 'italic'])
      case 'del':
        return readSpans(token.tokens ?? [], [...styles, 'strikethrough'])
      case 'codespan':
        return [{ text: decode(token.text), styles: [...styles, 'cyan'] }]
      case 'link':
        return readLink(token as Tokens.Link, styles)
      case 'image':
        return [{ text: `${token.text || 'image'} <${token.href}>`, styles: [...styles, 'dim'] }]
      case 'br':
        return [{ text: '\n', styles }]
      case 'checkbox':
        return []
      default:
        return 'tokens' in token && token.tokens
          ? readSpans(token.tokens, styles)
          : [{ text: decode('text' in token ? token.text : token.raw).replaceAll('\n', ' '), styles }]
    }
  })
}

function readLink({ tokens, href }: Tokens.Link, styles: readonly SpanStyle[]): Span[] {
  const label = readSpans(tokens, [...styles, 'underline'])
  const text = label.map((span) => span.text).join('')
  const isAddress = [href, `mailto:${text}`, `http://${text}`].includes(text) || href === `mailto:${text}`
  return isAddress ? label : [...label, { text: ` <${href}>`, styles: [...styles, 'dim'] }]
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: '\u00a0' }
const decode = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name]!)

function hardWrap(line: string, columns: number): string[] {
  const rows = wrapSpans(
    [{ text: line.replaceAll(' ', '\u00a0'), styles: NO_STYLES }],
    Math.max(columns, MIN_COLUMNS),
  )
  return rows.map((row) =>
    row
      .map(({ text }) => text)
      .join('')
      .replaceAll('\u00a0', ' '),
  )
}
