import type { Token, Tokens } from 'marked'
import type { Style } from './dialects.ts'
import { linkTarget } from './links.ts'

/** What the words stand in: a mark within the same one is not written twice, and a link holds words alone. */
interface Place {
  strong?: boolean
  emphasis?: boolean
  deleted?: boolean
  link?: boolean
}

const NAMED: Record<string, string> = {
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

/** The characters that stand behind the references which models write; the lexer has resolved those with numbers. */
const withoutReferences = (text: string) =>
  text.replace(/&([a-z]{2,6});/g, (whole, name: string) => NAMED[name] ?? whole)

const isLetter = (character: string | undefined) => /[\p{L}\p{N}\p{M}]/u.test(character ?? '')

const MARKED = ['strong', 'em', 'del', 'codespan']

/** Words in a style, from the tokens of a paragraph; lines are parted by `\n`. */
export function renderInline(tokens: readonly Token[], style: Style, place: Place = {}): string {
  let text = ''
  let afterMark = false
  for (const token of tokens) {
    const piece = renderToken(token, style, place)
    if (piece === '') continue
    const isMarked = MARKED.includes(token.type) && !place.link
    const [before, behind] = [Array.from(text.slice(-2)).at(-1), Array.from(piece.slice(0, 2))[0]]
    // Backticks of two sorts next to each other could begin a block of code.
    const isJoined = before === '`' && behind === '`'
    if (isJoined || (isMarked ? isLetter(before) : afterMark && isLetter(behind))) text += style.joint
    text += piece
    afterMark = isMarked
  }
  return text
}

function renderToken(token: Tokens.Generic, style: Style, place: Place): string {
  const mark = (name: 'strong' | 'emphasis' | 'deleted') => {
    const words = renderInline(token.tokens ?? [], style, { ...place, [name]: true })
    return place[name] || place.link ? words : style[name](words)
  }
  switch (token.type) {
    case 'strong':
      return mark('strong')
    case 'em':
      return mark('emphasis')
    case 'del':
      return mark('deleted')
    case 'codespan':
      return place.link ? style.escape(token.text) : style.code(token.text)
    case 'br':
      return '\n'
    case 'checkbox':
      return ''
    case 'link':
    case 'image':
      return renderLink(token as Tokens.Link | Tokens.Image, style, place)
    case 'text':
      if (token.tokens) return renderInline(token.tokens, style, place)
      return style.escape(token.escaped ? token.text : withoutReferences(token.text))
    default:
      return style.escape(token.text ?? token.raw)
  }
}

function renderLink(token: Tokens.Link | Tokens.Image, style: Style, place: Place): string {
  const isWritten = token.type === 'link' && token.autolink
  const target = linkTarget(isWritten ? token.href : withoutReferences(token.href))
  const words = renderInline(token.tokens, style, { ...place, link: true })
  if (!target || place.link) return words
  return style.link(target, words.trim() === '' ? style.escape(target) : words)
}
