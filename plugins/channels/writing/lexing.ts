import { Lexer, type Token, Tokenizer, type Tokens } from 'marked'

/** How deep quotes and lists, and how deep marks within a line, may lie in each other; what lies deeper is text. */
const MAX_DEPTH = { block: 8, inline: 12 }

/** Marks times characters of one paragraph that are looked through for pairs; beyond this it is text. */
const MAX_PAIRING = 4_000_000

/** Quotes that go on in a line without their mark: the lexer reads all that follows once more for each. */
const MAX_LAZY_QUOTES = 64

const LAZY_QUOTE = /^ {0,3}>.*\n(?! {0,3}>|[ \t]*$)/gm

/** What looks like the name of a mailbox but is longer than any: the lexer looks for its end from each letter. */
const ENDLESS_MAILBOX = /[\w.!#$%&'*+/=?^`{|}~-]{128}@/

const depth = { block: 0, inline: 0 }
let takesQuotes = true

/** Makes a rule of the lexer not match where it would nest too deep. */
function bounded<Args extends unknown[], Result>(
  level: keyof typeof depth,
  rule: (...args: Args) => Result,
): (...args: Args) => Result | undefined {
  return (...args) => {
    if (depth[level] >= MAX_DEPTH[level]) return undefined
    depth[level] += 1
    try {
      return rule(...args)
    } finally {
      depth[level] -= 1
    }
  }
}

/** Strong words that begin or end with punctuation, and what stands behind them. */
const UNSPACED_STRONG = /^\*\*(?![\s*])([^*\n]{1,400}?)(?<!\s)\*\*(?!\*)(.?)/su
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/**
 * CommonMark takes `**` between a letter and punctuation for text, or pairs it with another one, as in `**注意：**请`, since
 * it expects a space there. Models write this all the time, in scripts that have no spaces.
 */
function unspacedStrong(tokenizer: Tokenizer, text: string, before: string): Tokens.Strong | undefined {
  const [whole, words, behind] = UNSPACED_STRONG.exec(text) ?? []
  if (whole === undefined || words === undefined || behind === undefined) return undefined
  const isMissed =
    (/^[\p{P}\p{S}]/u.test(words) && UNSPACED.test(before)) ||
    (/[\p{P}\p{S}]$/u.test(words) && UNSPACED.test(behind))
  if (!isMissed) return undefined
  const raw = whole.slice(0, whole.length - behind.length)
  return { type: 'strong', raw, text: words, tokens: tokenizer.lexer.inlineTokens(words) }
}

/** The way in which a text is read. */
export interface Reading {
  /**
   * True if no line may change what an earlier one means: then the definition of a link is text, and so is a table
   * whose first line does not begin with `|`.
   */
  append_only?: boolean
}

function createTokenizer({ append_only }: Reading): Tokenizer {
  const tokenizer = new Tokenizer()
  const quote = bounded('block', tokenizer.blockquote.bind(tokenizer))
  tokenizer.blockquote = (text) => (takesQuotes ? quote(text) : undefined)
  tokenizer.list = bounded('block', tokenizer.list.bind(tokenizer))
  const emphasis = tokenizer.emStrong.bind(tokenizer)
  tokenizer.emStrong = bounded(
    'inline',
    (text: string, masked: string, before = '') =>
      unspacedStrong(tokenizer, text, before) ?? emphasis(text, masked, before),
  )
  tokenizer.del = bounded('inline', tokenizer.del.bind(tokenizer))
  tokenizer.link = bounded('inline', tokenizer.link.bind(tokenizer))
  tokenizer.reflink = bounded('inline', tokenizer.reflink.bind(tokenizer))
  if (append_only) {
    const table = tokenizer.table.bind(tokenizer)
    tokenizer.table = (text) => (/^ *\|/.test(text) ? table(text) : undefined)
    tokenizer.def = () => undefined
  }
  return tokenizer
}

const tokenizers = {
  any: createTokenizer({}),
  append_only: createTokenizer({ append_only: true }),
}

const isTooEntangled = (text: string) =>
  text.length * (text.match(/[*_~[\]<`\\&@:]/g)?.length ?? 0) > MAX_PAIRING ||
  (text.includes('@') && ENDLESS_MAILBOX.test(text))

/**
 * The blocks of a text in CommonMark with GFM's tables, strikethrough and links. Bounded in depth and in time: what is
 * nested or marked beyond all measure is text.
 */
export function lex(markdown: string, { append_only }: Reading = {}): Token[] {
  const source = markdown.replace(/\r\n?/g, '\n')
  const lexer = new Lexer({ gfm: true, tokenizer: append_only ? tokenizers.append_only : tokenizers.any })
  takesQuotes = (source.match(LAZY_QUOTE)?.length ?? 0) <= MAX_LAZY_QUOTES
  // As Lexer.lex does it, which gives no chance to leave a paragraph out.
  lexer.blockTokens(source, lexer.tokens)
  for (const { src, tokens } of lexer.inlineQueue) {
    lexer.state.inRawBlock = false
    if (isTooEntangled(src)) tokens.push({ type: 'text', raw: src, text: src, escaped: true })
    else lexer.inlineTokens(src, tokens)
  }
  return lexer.tokens
}
