import type { Token, Tokens } from 'marked'
import type { Style } from './dialects.ts'

const SCHEMES = ['http:', 'https:', 'mailto:', 'tel:']

/** Returns the address of a link without characters that end a link in any dialect; undefined for other schemes. */
function toLinkTarget(href: string): string | undefined {
  const written = href.trim()
  const address = URL.canParse(written) ? new URL(written) : undefined
  if (!address || !SCHEMES.includes(address.protocol)) return undefined
  // Keeps the written form if that is harmless, because people can read it.
  return /[\s<>"|`\\\p{Cc}\p{Cs}]/u.test(written)
    ? address.href.replace(/[\s<>"|`\\\p{Cc}]/gu, (character) => encodeURIComponent(character))
    : written
}

/** The marks around some words: a mark is not written again within itself, and a link contains only plain words. */
interface Context {
  strong?: boolean
  emphasis?: boolean
  deleted?: boolean
  link?: boolean
}

const ENTITIES: Record<string, string> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®', trade: '™' },
  ...{
    hellip: '…',
    mdash: '—',
    ndash: '–',
    middot: '·',
    bull: '•',
    times: '×',
    deg: '°',
    rarr: '→',
    larr: '←',
  },
  ...{ ldquo: '“', rdquo: '”', lsquo: '‘', rsquo: '’', laquo: '«', raquo: '»', le: '≤', ge: '≥', ne: '≠' },
}

/** Resolves the named character references that models write; the lexer has resolved numeric ones. */
const resolveEntities = (text: string) =>
  text.replace(/&([a-z]{2,6});/g, (whole, name: string) => ENTITIES[name] ?? whole)

const isLetter = (character: string | undefined) => /[\p{L}\p{N}\p{M}]/u.test(character ?? '')

const MARKED = ['strong', 'em', 'del', 'codespan']

/** Renders the tokens of a paragraph in a style; lines are separated by `\n`. */
export function renderInline(tokens: readonly Token[], style: Style, context: Context = {}): string {
  let text = ''
  let afterMark = false
  for (const token of tokens) {
    const piece = renderToken(token, style, context)
    if (piece === '') continue
    const isMarked = MARKED.includes(token.type) && !context.link
    const [previous, behind] = [Array.from(text.slice(-2)).at(-1), Array.from(piece.slice(0, 2))[0]]
    // Adjacent backticks of two code spans could begin a block of code.
    const isJoined = previous === '`' && behind === '`'
    if (isJoined || (isMarked ? isLetter(previous) : afterMark && isLetter(behind))) text += style.joint
    text += piece
    afterMark = isMarked
  }
  return text
}

function renderToken(token: Tokens.Generic, style: Style, context: Context): string {
  const mark = (name: 'strong' | 'emphasis' | 'deleted') => {
    const words = renderInline(token.tokens ?? [], style, { ...context, [name]: true })
    return context[name] || context.link ? words : style[name](words)
  }
  switch (token.type) {
    case 'strong':
      return mark('strong')
    case 'em':
      return mark('emphasis')
    case 'del':
      return mark('deleted')
    case 'codespan':
      return context.link ? style.escape(token.text) : style.code(token.text)
    case 'br':
      return '\n'
    case 'checkbox':
      return ''
    case 'link':
    case 'image':
      return renderLink(token as Tokens.Link | Tokens.Image, style, context)
    case 'text':
      if (token.tokens) return renderInline(token.tokens, style, context)
      return style.escape(token.escaped ? token.text : resolveEntities(token.text))
    default:
      return style.escape(token.text ?? token.raw)
  }
}

function renderLink(token: Tokens.Link | Tokens.Image, style: Style, context: Context): string {
  const isWritten = token.type === 'link' && token.autolink
  const target = toLinkTarget(isWritten ? token.href : resolveEntities(token.href))
  const words = renderInline(token.tokens, style, { ...context, link: true })
  // The path is the only field that every picture has.
  if (!target && words.trim() === '' && !context.link) return style.escape(token.href)
  if (!target || context.link) return words
  return style.link(target, words.trim() === '' ? style.escape(target) : words)
}
