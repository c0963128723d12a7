import type { Block } from './blocks.ts'
import { decodeText } from './decode-text.ts'
import { readHtml } from './html.ts'
import { decodeBody, decodeField, type MimePart, readMime } from './mime.ts'
import { readPlainText } from './plain-text.ts'

const HEAD_FIELDS = ['From', 'To', 'Cc', 'Date']
/** A text that only refers to another version: its length, and how much longer the other one is. */
const MAX_STUB_CHARS = 200
const MIN_TIMES_LONGER = 5
/** The level of the heading of a mail in a mail, at most. */
const MAX_LEVEL = 6

/** Returns the head, the text and the names of the attachments of a mail, or of all mails of a mailbox. */
export async function readEml(bytes: Uint8Array): Promise<Block[]> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  const mails = source.startsWith('From ')
    ? source.split(/(?<=^|\n\r?\n)From [^\n]*\n/).filter(Boolean)
    : [source]
  const blocks: Block[] = []
  for (const mail of mails) for (const block of await readMail(readMime(mail), 1)) blocks.push(block)
  return blocks
}

async function readMail(mail: MimePart, level: number): Promise<Block[]> {
  const subject = await decodeField(mail.fields.get('subject') ?? '')
  const head: string[] = []
  for (const name of HEAD_FIELDS) {
    const value = await decodeField(mail.fields.get(name.toLowerCase()) ?? '')
    // Browsers write themselves into the pages that they save.
    if (value !== '' && !value.includes('Saved by ')) head.push(`${name}: ${value}`)
  }
  const attachments: string[] = []
  const body = await readPart(mail, attachments, level)
  const names = await Promise.all(attachments.map(decodeField))
  return [
    { kind: 'heading', level, text: subject },
    { kind: 'text', text: head.join('\n') },
    ...body,
    { kind: 'text', text: names.length > 0 ? `Attachments: ${names.join(', ')}` : '' },
  ]
}

/** Returns the text of a part, and adds the names of files to the attachments. */
async function readPart(part: MimePart, attachments: string[], level: number): Promise<Block[]> {
  const { type, parts, parameters, filename, isAttachment } = part
  if (type.startsWith('message/') && parts[0]) return readMail(parts[0], Math.min(level + 1, MAX_LEVEL))
  if (type === 'multipart/alternative') return readAlternative(parts, attachments, level)
  if (type === 'multipart/related') {
    const [root, ...others] = parts
    for (const { filename, isAttachment } of others) if (filename && isAttachment) attachments.push(filename)
    return root ? readPart(root, attachments, level) : []
  }
  if (parts.length > 0) {
    const blocks: Block[] = []
    for (const each of parts) for (const block of await readPart(each, attachments, level)) blocks.push(block)
    return blocks
  }
  const isText = /^text\/|^message\/|^multipart\//.test(type)
  if (isAttachment || !isText) {
    if (filename) attachments.push(filename)
    return []
  }
  const charset = parameters.get('charset')
  if (type === 'text/html') return readHtml(await decodeText(decodeBody(part), { charset, format: 'html' }))
  const text = (await decodeText(decodeBody(part), { charset })).replace(/\r\n?/g, '\n')
  const isFlowed = parameters.get('format')?.toLowerCase() === 'flowed'
  return [...readPlainText(isFlowed ? unflow(text, parameters.get('delsp')?.toLowerCase() === 'yes') : text)]
}

/** Returns the plain one of several versions of a text, unless it only refers to another one. */
async function readAlternative(
  parts: readonly MimePart[],
  attachments: string[],
  level: number,
): Promise<Block[]> {
  const versions: { type: string; blocks: Block[]; size: number }[] = []
  for (const part of parts) {
    const blocks = await readPart(part, attachments, level)
    const size = blocks.reduce((sum, { text }) => sum + text.trim().length, 0)
    if (size > 0) versions.push({ type: part.type, blocks, size })
  }
  const best = versions.at(-1)
  const plain = versions.find(({ type }) => type === 'text/plain')
  const isStub = plain && best && plain.size < MAX_STUB_CHARS && best.size > plain.size * MIN_TIMES_LONGER
  return (plain && !isStub ? plain : best)?.blocks ?? []
}

/** Joins the lines of a paragraph that end in a space (RFC 3676). */
function unflow(text: string, deletesSpace: boolean): string {
  const lines: string[] = []
  let depth: number | undefined
  for (const line of text.split('\n')) {
    const [quotes = ''] = /^>*/.exec(line) ?? []
    const content = line.slice(quotes.length).replace(/^ /, '')
    const isFlowing = content.endsWith(' ') && content !== '-- '
    const part = isFlowing && deletesSpace ? content.slice(0, -1) : content
    if (depth === quotes.length) lines[lines.length - 1] += part
    else lines.push(quotes === '' ? part : `${quotes} ${part}`)
    depth = isFlowing ? quotes.length : undefined
  }
  return lines.join('\n')
}
