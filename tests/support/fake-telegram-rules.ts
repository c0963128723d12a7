/** The tags that Telegram's HTML has. */
const TAGS = new Set(
  'b strong i em u ins s strike del span tg-spoiler a code pre blockquote tg-emoji'.split(' '),
)

/** The most that a message and a caption may hold once their marks are read, and the data of a button in bytes. */
const MAX_TEXT = 4096
const MAX_CAPTION = 1024
const MAX_DATA = 64

/** The characters of which a message may not consist alone. */
const INVISIBLE = /[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800\ufffc]/gu

/** Returns the reason to refuse a text in Telegram's HTML; undefined if it is valid. */
function complaintAboutHtml(html: string): string | undefined {
  const open: string[] = []
  for (const { 0: whole, 1: slash, 2: rawName, index } of html.matchAll(/<(\/?)([^\s<>/]*)[^<>]*>?/g)) {
    const at = `at byte offset ${Buffer.byteLength(html.slice(0, index))}`
    const name = rawName!.toLowerCase()
    if (!whole.endsWith('>')) return `Unclosed start tag ${at}`
    if (slash) {
      if (open.length === 0) return `Unexpected end tag ${at}`
      const expected = open.pop()
      if (name !== expected) return `Unmatched end tag ${at}, expected "</${expected}>", found "</${name}>"`
    } else if (TAGS.has(name)) open.push(name)
    else return `Unsupported start tag "${name}" ${at}`
  }
  if (open.length > 0) return `Can't find end tag corresponding to start tag "${open.at(-1)}"`
}

/** Returns a text as people read it, without its marks. */
const readText = ({ text, parse_mode }: Written) =>
  parse_mode === 'HTML'
    ? text.replace(/<[^<>]*>/g, '').replace(/&(?:lt|gt|amp|quot|#\d+|#x[\da-f]+);/gi, '_')
    : text

/** The text of a message as it is handed over. */
interface Written {
  text: string
  parse_mode?: string
}

/** A button as Telegram takes it. */
export interface Key {
  text: string
  callback_data: string
  style?: string
}

/** Returns the reason to refuse the parameters of a call: a string in them that cannot be written in UTF-8. */
export function complaintAboutStrings(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'strings must be encoded in UTF-8'
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return undefined
  for (const part of Object.values(value)) {
    const complaint = complaintAboutStrings(part)
    if (complaint) return complaint
  }
}

/** Returns the reason to refuse a text; undefined if it is valid. */
export function complaintAboutText(
  written: Written,
  use: 'new message' | 'edited message' | 'caption' = 'new message',
): string | undefined {
  const { text, parse_mode } = written
  const isCaption = use === 'caption'
  if (!isCaption && (typeof text !== 'string' || text.trim() === '')) return 'message text is empty'
  if (parse_mode !== undefined && parse_mode !== 'HTML') return 'unsupported parse_mode'
  const complaint = parse_mode === 'HTML' ? complaintAboutHtml(text) : undefined
  if (complaint) return `can't parse entities: ${complaint}`
  const read = readText(written)
  if (!isCaption && read.replace(INVISIBLE, '') === '') return 'text must be non-empty'
  if (isCaption) return read.length > MAX_CAPTION ? 'message caption is too long' : undefined
  if (read.trim().length > MAX_TEXT)
    return use === 'edited message' ? 'MESSAGE_TOO_LONG' : 'message is too long'
}

/** Returns the reason to refuse a keyboard; undefined if it is valid. */
export function complaintAboutKeys(keys: Key[][]): string | undefined {
  for (const { text, callback_data, style } of keys.flat()) {
    if (!text) return "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"
    if (!callback_data || Buffer.byteLength(callback_data) > MAX_DATA) return 'BUTTON_DATA_INVALID'
    if (style !== undefined && !['danger', 'success', 'primary'].includes(style))
      return "can't parse inline keyboard button: invalid button style specified"
  }
}

/** A part of a body of `multipart/form-data`. */
export interface FormPart {
  name: string
  filename?: string
  bytes: Buffer
}

/** Reads a body of `multipart/form-data`. */
export function readForm(body: Buffer, contentType: string): FormPart[] {
  const boundary = `--${/boundary=(.+)$/.exec(contentType)?.[1]}`
  const parts: FormPart[] = []
  let at = body.indexOf(boundary)
  while (at >= 0) {
    const from = at + boundary.length + 2
    const to = body.indexOf(`\r\n${boundary}`, from)
    if (to < 0) break
    const blank = body.indexOf('\r\n\r\n', from)
    const head = body.subarray(from, blank).toString()
    const [name, filename] = [
      /[; ]name="([^"]*)"/.exec(head)?.[1],
      /filename="?([^"\r\n;]*)"?/.exec(head)?.[1],
    ]
    parts.push({
      name: name ?? '',
      ...(filename !== undefined && { filename }),
      bytes: body.subarray(blank + 4, to),
    })
    at = to + 2
  }
  return parts
}
