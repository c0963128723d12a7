import { decodeText } from './decode-text.ts'
import { ReadingFailure } from './reading-failure.ts'

/** The most parts of a mail, and parts within each other. */
const MAX_PARTS = 1000
const MAX_DEPTH = 20
/** The longest head of a part, and the longest end of a line between parts. */
const MAX_HEAD_CHARS = 256 * 1024
const MAX_TAIL_CHARS = 80

/** A part of a mail; its characters are bytes. */
export interface MimePart {
  /** The values of fields by their lower-case names, the first one of each. */
  fields: ReadonlyMap<string, string>
  type: string
  parameters: ReadonlyMap<string, string>
  /** The name of the file that the part is, if it is one. */
  filename?: string
  isAttachment: boolean
  body: string
  parts: MimePart[]
}

/** Returns the parts of a mail. Throws DOCUMENT_TOO_LARGE. */
export function readMime(source: string): MimePart {
  let count = 0
  const readPart = (text: string, depth: number, usualType: string): MimePart => {
    count += 1
    if (count > MAX_PARTS || depth > MAX_DEPTH) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
    const { fields, body } = splitHead(text)
    const { value, parameters } = readParameters(fields.get('content-type') ?? usualType)
    const type = /^[\w.+-]+\/[\w.+-]+$/.test(value) ? value.toLowerCase() : 'text/plain'
    const disposition = readParameters(fields.get('content-disposition') ?? '')
    const part: MimePart = {
      fields,
      type,
      parameters,
      filename: disposition.parameters.get('filename') ?? parameters.get('name'),
      isAttachment: disposition.value.toLowerCase() === 'attachment',
      body,
      parts: [],
    }
    const boundary = parameters.get('boundary')
    if (type.startsWith('multipart/') && boundary) {
      const inner = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
      part.parts = splitParts(body, boundary).map((each) => readPart(each, depth + 1, inner))
    } else if (type === 'message/rfc822' || type === 'message/global')
      part.parts = [readPart(decodeBody(part).toString('latin1'), depth + 1, 'text/plain')]
    return part
  }
  return readPart(source, 0, 'text/plain')
}

/** Divides a part into its fields and what follows them. */
function splitHead(text: string): { fields: Map<string, string>; body: string } {
  const fields = new Map<string, string>()
  const head = text.slice(0, MAX_HEAD_CHARS)
  const line = /([^\r\n]*)(\r?\n|\r|$)/y
  let name: string | undefined
  for (let match = line.exec(head); match && match[0] !== ''; match = line.exec(head)) {
    const [, content = ''] = match
    if (content === '') return { fields, body: text.slice(line.lastIndex) }
    const field = /^([!-9;-~]+)[ \t]*:[ \t]*(.*)$/.exec(content)
    if (/^[ \t]/.test(content) && name !== undefined)
      fields.set(name, `${fields.get(name)} ${content.trim()}`)
    else if (field) {
      // Of a field that is repeated, the first one counts.
      name = fields.has(field[1]!.toLowerCase()) ? '' : field[1]!.toLowerCase()
      fields.set(name, field[2]!)
    } else if (!content.startsWith('From '))
      // A broken part, whose text begins without an empty line.
      return { fields, body: text.slice(match.index) }
  }
  return { fields, body: text.slice(line.lastIndex || head.length) }
}

/** Returns the value of a field and its parameters, also those that are divided or encoded (RFC 2231). */
function readParameters(field: string): { value: string; parameters: Map<string, string> } {
  const value = field.split(';', 1)[0]!.trim()
  const pieces = new Map<string, { index: number; text: string; isEncoded: boolean }[]>()
  for (const match of field.matchAll(
    /;\s*([^\s=*;]+)(?:\*(\d{1,4}))?(\*)?\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]*))/g,
  )) {
    const [, name = '', index = '0', star, quoted, bare = ''] = match
    const text = quoted?.replace(/\\(.)/g, '$1') ?? bare.trim()
    const list = pieces.get(name.toLowerCase()) ?? []
    pieces.set(name.toLowerCase(), [
      ...list.slice(0, 100),
      { index: Number(index), text, isEncoded: star === '*' },
    ])
  }
  const parameters = new Map<string, string>()
  for (const [name, list] of pieces) {
    const sorted = list.toSorted((one, other) => one.index - other.index)
    const charset = sorted[0]!.isEncoded ? sorted[0]!.text.split("'", 1)[0] : undefined
    const text = sorted
      .map(({ text, isEncoded }, index) =>
        isEncoded
          ? (index === 0 ? text.replace(/^[^']*'[^']*'/, '') : text).replace(
              /%([\da-f]{2})/gi,
              (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
            )
          : text,
      )
      .join('')
    // Written as an encoded word, so that it is decoded as other fields are.
    parameters.set(
      name,
      charset ? `=?${charset}?b?${Buffer.from(text, 'latin1').toString('base64')}?=` : text,
    )
  }
  return { value, parameters }
}

function splitParts(body: string, boundary: string): string[] {
  const parts: string[] = []
  const mark = `--${boundary}`
  let start: number | undefined
  for (let index = body.indexOf(mark); index >= 0; index = body.indexOf(mark, index + mark.length)) {
    if (index > 0 && body[index - 1] !== '\n' && body[index - 1] !== '\r') continue
    const tail = /^(--)?[ \t]*(\r\n|\r|\n|$)/.exec(
      body.slice(index + mark.length, index + mark.length + MAX_TAIL_CHARS),
    )
    if (!tail) continue
    if (start !== undefined) parts.push(body.slice(start, index).replace(/\r?\n$/, ''))
    if (parts.length > MAX_PARTS) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
    start = tail[1] ? undefined : index + mark.length + tail[0].length
  }
  // The end of a mail may be cut off.
  if (start !== undefined && body.slice(start).trim() !== '') parts.push(body.slice(start))
  return parts
}

/** Returns the bytes of a part. */
export function decodeBody({ fields, body }: MimePart): Buffer {
  const encoding = fields.get('content-transfer-encoding')?.trim().toLowerCase()
  if (encoding === 'base64') return Buffer.from(body.replace(/[^\w+/]/g, ''), 'base64')
  return Buffer.from(
    encoding === 'quoted-printable' ? decodeQuoted(body.replace(/=[ \t]*(\r\n|\r|\n|$)/g, '')) : body,
    'latin1',
  )
}

const decodeQuoted = (text: string) =>
  text.replace(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

const ENCODED_WORDS = /=\?([^?\s]{1,60})\?([bq])\?([^?]*)\?=(?:\s*(?==\?))?/gi

/** Decodes a field of a mail, with its encoded words (RFC 2047). */
export async function decodeField(field: string): Promise<string> {
  const runs: { charset?: string; bytes: string }[] = []
  let end = 0
  const addPlain = (text: string) => {
    if (text !== '') runs.push({ bytes: text })
  }
  for (const match of field.matchAll(ENCODED_WORDS)) {
    const [word, label = '', kind = '', text = ''] = match
    addPlain(field.slice(end, match.index))
    end = match.index + word.length
    const charset = label.split('*', 1)[0]!.toLowerCase()
    const bytes =
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('latin1')
        : decodeQuoted(text.replaceAll('_', ' '))
    // A character may be divided between two words.
    const last = runs.at(-1)
    if (last?.charset === charset) last.bytes += bytes
    else runs.push({ charset, bytes })
  }
  addPlain(field.slice(end))
  const texts = runs.map(({ charset, bytes }) => decodeText(Buffer.from(bytes, 'latin1'), { charset }))
  return (await Promise.all(texts)).join('').replace(/\s+/g, ' ').trim()
}
