import { readFields } from './front-fields.ts'

/** The bytes of a SKILL.md that are read to find its name and description. */
export const HEAD_BYTES = 16 * 1024

const NAME_CHARS = 128
const DESCRIPTION_CHARS = 1024

const OPENING = /^(?:[ \t]*\n)*---[ \t]*\n/
const CLOSING = /^(?:---|\.\.\.)[ \t]*(?:\n|$)/m
/** The end of front matter that is not closed: an empty line or a heading. */
const UNCLOSED_END = /^(?:[ \t]*\n|#{1,6} )/m
const FIRST_KEY = /^[ \t]*["']?[\w-]+["']?[ \t]*[:：]/

/** The name and description from a SKILL.md, each on one line; `name` is null if the file states none. */
interface SkillHead {
  name: string | null
  description: string
}

/**
 * Reads the beginning of a SKILL.md. Without a description in the front matter, the first line of text in the body is
 * the description.
 */
export async function readHead(text: string): Promise<SkillHead> {
  const { source, body } = split(text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n'))
  const { name, description } = await readFields(source)
  return {
    name: cut(flatten(name), NAME_CHARS) || null,
    description: cut(flatten(description) || findFirstText(body), DESCRIPTION_CHARS),
  }
}

/** Decodes the beginning of a SKILL.md, without a character that is cut at its end. */
export function decodeHead(bytes: Buffer): string {
  const mark = bytes.toString('latin1', 0, 2)
  const encoding = mark === '\xff\xfe' ? 'utf-16le' : mark === '\xfe\xff' ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes, { stream: true })
}

/** Returns at most `length` characters of a text, with `…` at the end of a text that is longer. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const characters = [...text]
  return characters.length <= length
    ? text
    : `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
}

/** Splits a text into its front matter, which may lack its last line, and its body. */
function split(text: string): { source: string; body: string } {
  const [opening] = OPENING.exec(text) ?? []
  if (opening === undefined) return { source: '', body: text }
  const inside = text.slice(opening.length)
  const closing = CLOSING.exec(inside)
  if (closing)
    return { source: inside.slice(0, closing.index), body: inside.slice(closing.index + closing[0].length) }
  if (!FIRST_KEY.test(inside)) return { source: '', body: text }
  const end = UNCLOSED_END.exec(inside)?.index ?? inside.length
  return { source: inside.slice(0, end), body: inside.slice(end) }
}

/** Returns the first line that is not a heading or a rule. */
function findFirstText(body: string): string {
  const lines = body.split('\n').map(flatten)
  return lines.find((line) => line && !/^(#{1,6}( |$)|[-=*_]{3,}$)/.test(line)) ?? ''
}

const flatten = (text: string) =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd')
    .trim()
