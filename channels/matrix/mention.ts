import { decodePercent, escapePattern } from '#plugin-api'
import { type Content, readString } from './events.ts'

/** The bot as it is named in a room. */
export interface Me {
  user_id: string
  name?: string
}

/** A quote that older clients write before the text of a reply. */
const FALLBACK = /^> (?:\* )?<(@[^>\n]+)>[^\n]*(?:\n>[^\n]*)*(?:\n\n?|$)/

/** Divides the body of a reply into the quote that older clients write before it, and the text. */
export function splitFallback(body: string): { quote?: string; text: string } {
  const [fallback] = FALLBACK.exec(body) ?? []
  if (fallback === undefined) return { text: body }
  const quote = fallback
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^> ?/, ''))
    .join('\n')
    .replace(/^(?:\* )?<@[^>\n]+> ?/, '')
  return { quote, text: body.slice(fallback.length) }
}

/** A link to a person, which clients show as a pill. */
const PILL =
  /<a\s[^<>]{0,200}?href=["']https:\/\/matrix\.to\/#\/([^"'?<>]{1,600})[^"'<>]{0,600}["'][^<>]{0,200}>([^<]{0,300})<\/a>/gi

/** Returns the words of the pills that name the bot. */
function listPills(content: Content, { user_id }: Me): string[] {
  const html = (readString(content.formatted_body) ?? '').replace(/<mx-reply>.*?<\/mx-reply>/s, '')
  return [...html.matchAll(PILL)]
    .filter(([, id]) => decodePercent(id!) === user_id)
    .map(([, , words]) => toPlain(words!))
}

const MARKS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const toPlain = (html: string) =>
  html.replace(/&(amp|lt|gt|quot|#39);/g, (_whole, name: string) => MARKS[name]!).trim()

/**
 * Tells if a text addresses the bot, and returns it without the bot's name at its beginning or end. Names of others, and
 * the bot's name within the text, stay.
 */
export function readMention(content: Content, text: string, me: Me): { mentioned: boolean; text: string } {
  const pills = listPills(content, me)
  const mentions = content['m.mentions']
  const isListed = Array.isArray(mentions?.user_ids) && mentions.user_ids.includes(me.user_id)
  const localpart = me.user_id.slice(1, me.user_id.indexOf(':'))
  const shortNames = [me.name, ...pills, localpart]
    .filter((name): name is string => Boolean(name?.trim()))
    .sort((a, b) => b.length - a.length)
    .map(escapePattern)
    .join('|')
  // The user ID first: it begins with a shorter name and a colon.
  const names = `(?:${escapePattern(me.user_id)}|@?(?:${shortNames}))`
  const end = '(?![\\p{L}\\p{N}_])'
  const leading = new RegExp(`^\\s*(?:${names}${end}\\s*[:,：，]|(?=@)${names}${end})`, 'iu')
  const isAddressed = leading.test(text) || (mentions === undefined && hasName(text, me))
  const mentioned = isListed || pills.length > 0 || isAddressed
  if (!mentioned) return { mentioned, text }
  const stripped = text
    .replace(new RegExp(`^\\s*${names}${end}\\s*[:,：，]?\\s*`, 'iu'), '')
    .replace(new RegExp(`[\\s,，]+${names}\\s*$`, 'iu'), '')
  return { mentioned, text: stripped }
}

/** True if a text of a client that lists no mentions has the bot's name or id as a word, for which such clients notify. */
function hasName(text: string, { user_id, name }: Me): boolean {
  const names = [user_id, name].filter((each): each is string => Boolean(each?.trim())).map(escapePattern)
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${names.join('|')})(?![\\p{L}\\p{N}_])`, 'iu').test(text)
}
