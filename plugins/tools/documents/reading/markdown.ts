import { getDefaults, Lexer, type Token, Tokenizer, type Tokens } from 'marked'
import type { Block } from './blocks.ts'
import { readHtml } from './html.ts'
import { toRows } from './tables.ts'

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

/** The properties before a text, which would be taken for a heading. */
const FRONT_MATTER = /^(---|\+\+\+)[ \t]*\n([\s\S]*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|$)/
const MAX_MATTER_CHARS = 64 * 1024

/** Leaves notes of a single word in the text, which look like the addresses of links. */
class NoteTokenizer extends Tokenizer {
  override def(source: string): Tokens.Def | undefined {
    return /^ {0,3}\[\^/.test(source) ? undefined : super.def(source)
  }
}

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
  const [matter = '', , properties = ''] = FRONT_MATTER.exec(source.slice(0, MAX_MATTER_CHARS)) ?? []
  yield { kind: 'text', text: properties }
  yield* readTokens(
    new BoundedLexer({ ...getDefaults(), tokenizer: new NoteTokenizer() }).lex(
      source.slice(matter.length).replace(DEEP, '$1'),
    ),
  )
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
        yield* toRows(
          [header, ...rows].map((row) => row.map(({ tokens }) => ({ text: tokens.map(toText).join('') }))),
          { heads: 1 },
        )
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
      // The address of links.
      case 'def':
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
  if (token.type === 'html') return /^<br\b/i.test(token.raw) ? '\n' : ''
  return decodeEntities('text' in token ? String(token.text) : token.raw)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

const decodeEntities = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name]!)
