import { Parser } from 'htmlparser2'

/** Elements whose content is not shown. */
const UNSEEN = new Set(['script', 'style', 'template', 'head', 'title', 'noscript', 'svg', 'object'])
/** Elements that begin and end a line. */
const BLOCKS = new Set(
  'address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
)
/** Elements between which a line is empty. */
const SPACED = new Set('p h1 h2 h3 h4 h5 h6 table ul ol blockquote pre'.split(' '))
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

/** The ids and classes of the elements in which mail programs wrap a signature. */
const SIGNATURE =
  /^(?:gmail_signature(?:_prefix)?|moz-signature|ms-outlook-mobile-signature|signature|mailsignature)$/i
/** Ids that mail programs set where the mail that is answered begins. */
const QUOTE_START = /^(?:appendonsend|divrplyfwdmsg|replyseparator|mail-editor-reference-message-container)$/i

/** The line that marks the beginning of a quoted mail. */
const QUOTE_LINE = '-----Original Message-----'

/** The most elements that are open at a time, as the parser looks through them at each tag; reading ends there. */
const MAX_DEPTH = 2000
/** The deepest quote that is marked. */
const MAX_QUOTE_DEPTH = 8

const toMark = (depth: number) => '> '.repeat(Math.min(depth, MAX_QUOTE_DEPTH))

/** Ends the reading of a mail that is nested too deeply; what was read before counts. */
class TooDeep extends Error {}

/** An open element. */
interface Open {
  name: string
  isHidden: boolean
}

const isUnseen = (name: string, { style = '', hidden }: Record<string, string>) =>
  UNSEEN.has(name) ||
  hidden !== undefined ||
  /display\s*:\s*none|mso-hide\s*:\s*all|visibility\s*:\s*hidden/i.test(style)

/** Returns the text of an HTML mail: quotes begin with `> `, links have their addresses behind them. */
export function readHtmlText(source: string): string {
  const lines: string[] = []
  const open: Open[] = []
  const links: { href: string; start: number }[] = []
  let text = ''
  let quoteDepth = 0
  let lastDepth = 0
  let preDepth = 0
  let hasGap = false

  const flush = () => {
    const line = preDepth > 0 ? text.trimEnd() : text.replaceAll(/[ \t\u00a0]+/g, ' ').trim()
    text = ''
    for (const link of links) link.start = 0
    if (line === '') return
    if (hasGap && lines.length > 0) lines.push(toMark(Math.min(lastDepth, quoteDepth)).trimEnd())
    hasGap = false
    lastDepth = quoteDepth
    lines.push(toMark(quoteDepth) + line)
  }
  const announceQuote = () => {
    hasGap = false
    lines.push(QUOTE_LINE)
  }
  const isHidden = () => open.at(-1)?.isHidden ?? false

  const begin = (name: string, attributes: Record<string, string>) => {
    const { id = '', class: classes = '', href, alt } = attributes
    if (BLOCKS.has(name)) flush()
    if (SPACED.has(name)) hasGap = true
    if (name === 'br') {
      if (text.trim() === '') hasGap = true
      flush()
    }
    if (name === 'hr' && /^stopSpelling$/i.test(id)) announceQuote()
    if (QUOTE_START.test(id)) announceQuote()
    if (name === 'li') text = '- '
    if (name === 'td' || name === 'th') text += text.trim() === '' ? '' : ' '
    if (name === 'img' && alt && !isHidden()) text += `[${alt}]`
    if (VOID.has(name)) return
    if (open.length >= MAX_DEPTH) throw new TooDeep()
    const isSignature = [id, ...classes.split(/\s+/)].some((word) => SIGNATURE.test(word))
    open.push({ name, isHidden: isHidden() || isSignature || isUnseen(name, attributes) })
    if (name === 'blockquote') quoteDepth += 1
    if (name === 'pre') preDepth += 1
    if (name === 'a') links.push({ href: href ?? '', start: text.length })
  }

  const end = (name: string) => {
    const index = open.findLastIndex((element) => element.name === name)
    if (index < 0) return
    if (name === 'a') {
      const { href, start } = links.pop()!
      const words = text.slice(start).trim()
      const target = href.replace(/^mailto:/i, '')
      if (
        /^(?:https?:|mailto:)/i.test(href) &&
        !isHidden() &&
        words !== '' &&
        target !== words &&
        href !== words
      )
        text += ` (${target})`
    }
    if (BLOCKS.has(name)) flush()
    if (SPACED.has(name)) hasGap = true
    for (const element of open.splice(index)) {
      if (element.name === 'blockquote') quoteDepth -= 1
      if (element.name === 'pre') preDepth -= 1
      if (element.name === 'a' && name !== 'a') links.pop()
    }
  }

  const parser = new Parser(
    {
      onopentag: begin,
      onclosetag: end,
      ontext(part) {
        if (isHidden()) return
        if (preDepth === 0) text += part.replaceAll(/\s+/g, ' ')
        else {
          const [first = '', ...others] = part.split('\n')
          text += first
          for (const line of others) {
            flush()
            text = line
          }
        }
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  )
  try {
    parser.write(source)
    parser.end()
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
  }
  flush()
  return lines.join('\n')
}
