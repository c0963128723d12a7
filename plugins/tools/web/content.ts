/** The kind of a body: markup and documents are converted to readable text, text is returned as it is. */
export type ContentKind = 'html' | 'xml' | 'text' | 'document'

/** Reads a content-type header; without one the body counts as plain text. */
export function readContentType(header: string | null) {
  const [media_type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim())
  const charset = parameters
    .map((parameter) => /^charset\s*=\s*"?([^"]+)"?$/i.exec(parameter)?.[1])
    .find((value) => value !== undefined)
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

/** Types whose content is no text, even in part. */
const MEDIA = /^(image|audio|video|font)\//

/** Returns the kind of a media type; undefined for what nobody can read. */
export function toContentKind(media_type: string): ContentKind | undefined {
  if (media_type === 'text/html' || media_type === 'application/xhtml+xml') return 'html'
  if (/^(application|text)\/xml$/.test(media_type) || media_type.endsWith('+xml')) return 'xml'
  if (media_type.startsWith('text/') || media_type.endsWith('+json') || TEXTS.has(media_type)) return 'text'
  return MEDIA.test(media_type) ? undefined : 'document'
}

const MARKS: [bytes: number[], charset: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
]

/** The bytes in which a document may declare its charset, as in the HTML standard. */
const DECLARATION_BYTES = 1024

const DECLARATIONS: Record<ContentKind, RegExp | undefined> = {
  html: /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)/i,
  xml: /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i,
  text: undefined,
  document: undefined,
}

/**
 * Decodes a body by the charset of its byte order mark, otherwise of the header, otherwise of its own declaration,
 * otherwise as UTF-8. Invalid bytes become U+FFFD.
 */
export function decode(bytes: Buffer, kind: ContentKind, charset: string | undefined): string {
  const mark = MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))
  const declared = DECLARATIONS[kind]?.exec(bytes.toString('latin1', 0, DECLARATION_BYTES))?.[1]
  // A declaration that can be read byte by byte is not in UTF-16, even if it says so.
  const own = declared?.toLowerCase().startsWith('utf-16') ? undefined : declared
  const decoder = [mark?.[1], charset, own].map(createDecoder).find((candidate) => candidate !== undefined)
  const chosen = decoder ?? new TextDecoder()
  // In a single call, Node 20 decodes windows-1252 as ISO 8859-1, which has no quotation marks.
  return chosen.decode(bytes, { stream: true }) + chosen.decode()
}

/** Creates the decoder of a charset; undefined if the charset is not known. */
function createDecoder(charset: string | undefined) {
  try {
    return charset === undefined ? undefined : new TextDecoder(charset)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
