import { isUtf8 } from 'node:buffer'
import { countMatches, type Decode, findDecoder } from './charsets.ts'
import { ReadingFailure } from './reading-failure.ts'
import { findMark, findWideCharset } from './wide-text.ts'

/** The places in which a text may name its charset. */
export interface TextSource {
  /** The charset that the sender of a file names. */
  charset?: string
  /** The format, if its files declare a charset. */
  format?: 'html' | 'code'
}

/** The bytes in which a document may declare its charset, as in the HTML standard. */
const DECLARATION_BYTES = 1024
const XML_DECLARATION = /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]+)/i
const DECLARATIONS: Record<NonNullable<TextSource['format']>, RegExp[]> = {
  html: [/<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)/i, XML_DECLARATION],
  // The last one is that of Python, Ruby and editors.
  code: [XML_DECLARATION, /^(?:.*\r?\n)?[^\n]{0,20}\bcoding[:=]\s*([\w.-]+)/],
}

const decodeUtf8 = findDecoder('utf-8')!

/** The characters beside ASCII that a text has for each place that its charset cannot decode. */
const MIN_FOR_EACH_WRONG = 4

/**
 * Decodes a text: by its byte order mark, by the charset that its sender or itself declares, as Unicode, or by the
 * charset that makes the most likely text of it. Throws DOCUMENT_DAMAGED if no charset makes a text of it.
 */
export async function decodeText(bytes: Uint8Array, source: TextSource = {}): Promise<string> {
  const mark = findMark(bytes)
  if (mark) return findDecoder(mark)!(bytes).replace(/^\ufeff/, '')
  const text =
    (bytes.includes(0) ? decodeWide(bytes) : undefined) ??
    decodeAsDeclared(bytes, source) ??
    decodeIso2022(bytes) ??
    (isUtf8(bytes) ? decodeUtf8(bytes) : tryDecode(bytes, decodeUtf8)) ??
    decodeWide(bytes) ??
    (await decodeAsDetected(bytes))
  if (text === undefined) throw new ReadingFailure('DOCUMENT_DAMAGED')
  return text
}

/** Decodes UTF-16 or UTF-32 without a mark. */
function decodeWide(bytes: Uint8Array): string | undefined {
  const charset = findWideCharset(bytes)
  return charset && findDecoder(charset)!(bytes)
}

function decodeAsDeclared(bytes: Uint8Array, { charset, format }: TextSource): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1')
  const declared = format ? DECLARATIONS[format].map((pattern) => pattern.exec(beginning)?.[1]) : []
  for (const name of [charset, ...declared]) {
    // A text in UTF-16 is recognized by itself; many that say so are not.
    if (name === undefined || /^utf-?(16|32)/i.test(name)) continue
    const decode = findDecoder(name)
    if (!decode) continue
    if (!hasPairs(decode) && isUtf8(bytes) && countWide(decodeUtf8(bytes)) > 1) return decodeUtf8(bytes)
    const text = tryDecode(bytes, decode)
    if (text !== undefined) return text
  }
}

/** True if not every byte is a character in a charset, so that the wrong charset would show. */
const hasPairs = (decode: Decode) => decode(Uint8Array.of(0xc3, 0xa4)).length === 1

/** Decodes Japanese in 7 bits, which looks like ASCII. */
function decodeIso2022(bytes: Uint8Array): string | undefined {
  const isJapanese = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('\x1b$')
  return isJapanese ? tryDecode(bytes, findDecoder('iso-2022-jp')!) : undefined
}

async function decodeAsDetected(bytes: Uint8Array): Promise<string | undefined> {
  // The library takes a while to load.
  const { detectCharset } = await import('./detect-charset.ts')
  const charset = detectCharset(bytes)
  return charset === undefined ? undefined : tryDecode(bytes, findDecoder(charset)!)
}

/** Returns the text of bytes; undefined if the charset lacks too many of them. */
function tryDecode(bytes: Uint8Array, decode: Decode): string | undefined {
  const text = decode(bytes)
  const wrong = countMatches(text, /\ufffd/g)
  if (wrong === 0) return text
  return wrong * MIN_FOR_EACH_WRONG <= countWide(text) - wrong ? text : undefined
}

/** Returns the number of characters that are not ASCII. */
const countWide = (text: string) => countMatches(text, /[^\0-\x7f]/gu)
