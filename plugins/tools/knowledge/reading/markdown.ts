import { Lexer, type Token, type Tokens } from 'marked'
import { type Block, toRows } from './blocks.ts'
import { readHtml } from './html.ts'

/**
 * The most marks of quotes and lists, and spaces, that a line begins with; the parser copies the text at each level.
 */
const MAX_INDENT = 100
const DEEP = new RegExp(
  `^((?:[ \\t>*+-]|\\d{1,9}[.)][ \\t]){${MAX_INDENT}})(?:[ \\t>*+-]|\\d{1,9}[.)][ \\t])+`,
  'gm',
)
/** The longest paragraph whose marks are read, because the time for them grows with the square of its length. */
const MAX_MARKED_CHARS = 20_000

/** Leaves the marks in paragraphs that are too long. */
class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (source.length <= MAX_MARKED_CHARS) return super.inlineTokens(source, tokens)
    tokens.push({ type: 'text', raw: source, text: source, escaped: false })
    return tokens
  }
}

/** Yields the headings, paragraphs, tables and code of a Markdown text. */
export function* readMarkdown(source: string): Generator<Block> {
  yield* readTokens(new BoundedLexer().lex(source.replace(DEEP, '$1')))
}

function* readTokens(tokens: readonly Token[]): Generator<Block> {
  for (const token of tokens) {
    switch (token.type) {
      case 'heading':
        yield { kind: 'heading', level: (token as Tokens.Heading).depth, text: toText(token) }
        break
      case 'code':
        yield { kind: 'code', text: (token as Tokens.Code).text }
        break
      case 'table': {
        const { header, rows } = token as Tokens.Table
        yield* toRows([header, ...rows].map((row) => row.map(({ tokens }) => tokens.map(toText).join(''))))
        break
      }
      case 'html':
        yield* readHtml(token.raw)
        break
      case 'blockquote':
        yield* readTokens(token.tokens ?? [])
        break
      case 'list':
        yield { kind: 'text', text: [...toItems(token as Tokens.List)].join('\n') }
        break
      case 'space':
      case 'hr':
        break
      default:
        yield { kind: 'text', text: toText(token) }
    }
  }
}

/** Yields the items of a list, nested ones indented. */
function* toItems({ items, ordered, start }: Tokens.List, depth = 0): Generator<string> {
  for (const [index, { tokens }] of items.entries()) {
    const mark = ordered ? `${Number(start || 1) + index}.` : '-'
    const own = tokens.filter(({ type }) => type !== 'list')
    yield `${'  '.repeat(depth)}${mark} ${own.map(toText).join(' ')}`
    for (const nested of tokens)
      if (nested.type === 'list') yield* toItems(nested as Tokens.List, Math.min(depth + 1, 8))
  }
}

/** Returns the text of a token without its marks. */
function toText(token: Token): string {
  if (token.type === 'br') return '\n'
  if ('tokens' in token && token.tokens) return token.tokens.map(toText).join('')
  if (token.type === 'html') return ''
  return decodeEntities('text' in token ? String(token.text) : token.raw)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

const decodeEntities = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name]!)
