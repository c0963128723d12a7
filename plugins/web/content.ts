/** How a body is shown: markup is made readable, text is text. */
export type ContentKind = 'html' | 'xml' | 'text'

/** What a content-type header says. */
export interface ContentType {
  media_type: string
  charset: string | undefined
}

/** Reads a content-type header; where there is none the body counts as plain text. */
export function readContentType(header: string | null): ContentType {
  const [media_type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim())
  const charset = parameters
    .map((parameter) => /^charset\s*=\s*"?([^"]+)"?$/i.exec(parameter)?.[1])
    .find((found) => found !== undefined)
  return { media_type: media_type.toLowerCase().slice(0, 100) || 'text/plain', charset }
}

const TEXTS = new Set([
  'application/json',
  'application/javascript',
  'application/ecmascript',
  'application/x-javascript',
  'application/x-ndjson',
  'application/jsonl',
  'application/yaml',
  'application/x-yaml',
  'application/toml',
  'application/sql',
  'application/x-sh',
  'application/graphql',
])

/** How content of this media type is shown; undefined for what is no text. */
export function sortOf(media_type: string): ContentKind | undefined {
  if (media_type === 'text/html' || media_type === 'application/xhtml+xml') return 'html'
  if (/^(application|text)\/xml$/.test(media_type) || media_type.endsWith('+xml')) return 'xml'
  if (media_type.startsWith('text/') || media_type.endsWith('+json') || TEXTS.has(media_type)) return 'text'
}

const MARKS: [bytes: number[], charset: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
]

/** How far into a document its own declaration is looked for, in bytes, after the HTML standard. */
const DECLARATION_BYTES = 1024

const DECLARATIONS: Record<ContentKind, RegExp | undefined> = {
  html: /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)/i,
  xml: /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i,
  text: undefined,
}

/**
 * The text of a body: in the charset of its byte order mark, else of the header, else of its own declaration, else
 * in UTF-8. What is no character in it becomes U+FFFD.
 */
export function decode(bytes: Buffer, kind: ContentKind, charset: string | undefined): string {
  const mark = MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))
  const declared = DECLARATIONS[kind]?.exec(bytes.toString('latin1', 0, DECLARATION_BYTES))?.[1]
  // Where a declaration in single bytes can be read the text is not in UTF-16, whatever it declares.
  const own = declared?.toLowerCase().startsWith('utf-16') ? undefined : declared
  const decoder = [mark?.[1], charset, own].map(decoderOf).find((found) => found !== undefined)
  const chosen = decoder ?? new TextDecoder()
  // All at once, Node 20 takes windows-1252 for ISO 8859-1, which has no quotation marks.
  return chosen.decode(bytes, { stream: true }) + chosen.decode()
}

/** The decoder of a charset; undefined where there is none of that name. */
function decoderOf(charset: string | undefined) {
  try {
    return charset === undefined ? undefined : new TextDecoder(charset)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
