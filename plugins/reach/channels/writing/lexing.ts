import { Lexer, type Token, Tokenizer, type Tokens } from 'marked'

/** Nesting limits of quotes and lists, and of marks within a line; deeper ones are text. */
const MAX_DEPTH = { block: 8, inline: 12 }

/** Limit of marks times characters in one paragraph, the cost of pairing marks; a larger paragraph is text. */
const MAX_PAIRING_COST = 4_000_000

/** Limit of quotes that continue in a line without a mark: for each, the lexer reads the rest of the text again. */
const MAX_LAZY_QUOTES = 64

const LAZY_QUOTE = /^ {0,3}>.*\n(?! {0,3}>|[ \t]*$)/gm

/** A run of mailbox characters longer than any real name: the lexer searches for its end from each character. */
const ENDLESS_MAILBOX = /[\w.!#$%&'*+/=?^`{|}~-]{128}@/

const depth = { block: 0, inline: 0 }
let takesQuotes = true

/** Wraps a rule of the lexer so that it does not match beyond the nesting limit. */
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

/** Strong words that begin or end with punctuation, and the character after them. */
const UNSPACED_STRONG = /^\*\*(?![\s*])([^*\n]{1,400}?)(?<!\s)\*\*(?!\*)(.?)/su
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/**
 * Matches strong words such as `**注意：**请`. CommonMark expects a space between punctuation next to `**` and a letter,
 * so it treats these marks as text or pairs them wrongly. Models write them often in scripts without spaces.
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

/** Options for parsing a text. */
export interface Reading {
  /**
   * Set if no line may change the meaning of an earlier one: then link definitions are text, and so are tables whose
   * first line does not begin with `|`.
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
  text.length * (text.match(/[*_~[\]<`\\&@:]/g)?.length ?? 0) > MAX_PAIRING_COST ||
  (text.includes('@') && ENDLESS_MAILBOX.test(text))

/**
 * Parses CommonMark with GFM tables, strikethrough and links. Bounded in depth and time: text beyond the limits of
 * nesting and marks is plain text.
 */
export function lex(markdown: string, { append_only }: Reading = {}): Token[] {
  const source = markdown.replace(/\r\n?/g, '\n')
  const lexer = new Lexer({ gfm: true, tokenizer: append_only ? tokenizers.append_only : tokenizers.any })
  takesQuotes = (source.match(LAZY_QUOTE)?.length ?? 0) <= MAX_LAZY_QUOTES
  // The steps of Lexer.lex, which cannot skip a paragraph.
  lexer.blockTokens(source, lexer.tokens)
  for (const { src, tokens } of lexer.inlineQueue) {
    lexer.state.inRawBlock = false
    if (isTooEntangled(src)) tokens.push({ type: 'text', raw: src, text: src, escaped: true })
    else lexer.inlineTokens(src, tokens)
  }
  return lexer.tokens
}
