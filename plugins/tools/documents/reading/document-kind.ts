import { isUtf8 } from 'node:buffer'
import { extname } from 'node:path'
import { extension as extensionOf, lookup } from 'mime-types'
import { findCompoundFormat, isCompoundFile } from './compound-file.ts'
import { findAdvice, hasAdvice, isMarkup, type SavingAdvice } from './saving-advice.ts'
import { findTextFormat } from './text-format.ts'
import { findMark, findWideCharset } from './wide-text.ts'
import { findZipFormat, isZip } from './zip-format.ts'

/** The formats that are read. */
export type DocumentKind = keyof typeof EXTENSIONS

/** The extensions of each format; code of any language is one. */
const EXTENSIONS = {
  pdf: 'pdf',
  docx: 'docx docm dotx dotm',
  pptx: 'pptx pptm ppsx ppsm potx potm',
  xlsx: 'xlsx xlsm xltx xltm xlam',
  odt: 'odt ott odm fodt',
  ods: 'ods ots fods',
  odp: 'odp otp fodp',
  epub: 'epub',
  csv: 'csv tsv tab',
  html: 'html htm xhtml xht shtml',
  md: 'md markdown mdx',
  rtf: 'rtf',
  eml: 'eml mbox mht mhtml',
  json: 'json jsonl ndjson ipynb geojson',
  txt: 'txt text log rst adoc asciidoc org tex srt vtt ics vcf',
  code: 'bash c cc cfg cjs clj cpp cs css dart diff env erl ex exs fs go gradle graphql h hpp hs ini java jl js jsx kt less lua m mjs ml mts patch php pl proto ps1 py r rb rs scala scss sh sql svelte swift tf toml ts tsx vue xml yaml yml zig',
}
const KIND_OF_EXTENSION = new Map(
  Object.entries(EXTENSIONS).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as DocumentKind] as const),
  ),
)

/** The formats whose files are texts. */
const TEXTS = new Set<string>(['csv', 'html', 'md', 'json', 'txt', 'code'])
/** The formats that a text of another format may look like. */
const LOOKALIKES = new Set(['txt', 'html', 'eml', 'svg', 'fb2'])

/** Media types whose content is no text. */
const MEDIA = /^(image\/(?!svg)|audio\/|video\/(?!mp2t)|font\/)/i

/** The bytes of a file's beginning that are looked at. */
export const HEAD_BYTES = 8192
/** The bytes that may come before a PDF. */
const PDF_LEAD_BYTES = 1024

/**
 * Returns the format of a file by its name, its media type and its bytes, of which the beginning and the directory of
 * an archive suffice; undefined if it is not read. Bytes that are unmistakable decide. What is wrong inside is found
 * out when it is read.
 */
export function findKind(filename: string, media_type: string, bytes: Buffer): DocumentKind | undefined {
  const format = findFormat(filename, media_type, bytes)
  return isKind(format) ? format : undefined
}

/** Returns the format of a file that is not read, and the formats to save it in. */
export const suggestFormats = (filename: string, media_type: string, bytes: Buffer): SavingAdvice =>
  findAdvice(findFormat(filename, media_type, bytes))

const isKind = (format: string): format is DocumentKind => Object.hasOwn(EXTENSIONS, format)

/** Returns the usual extension of a file's format. */
function findFormat(filename: string, media_type: string, bytes: Buffer): string {
  const name = findFormatOfName(filename, media_type)
  const isTextName = TEXTS.has(name)
  if (isZip(bytes)) {
    const format = findZipFormat(bytes)
    return format === 'zip' && name && !isTextName ? name : format
  }
  if (isCompoundFile(bytes)) {
    const format = findCompoundFormat(bytes)
    if (format === 'encrypted') return findEncryptedFormat(name)
    return format === 'ole' && name && !isTextName ? name : format
  }
  const head = bytes.subarray(0, HEAD_BYTES)
  const lead = head.toString('latin1', 0, PDF_LEAD_BYTES)
  if (/^(\xef\xbb\xbf)?\s*%PDF-/.test(lead) || (!isTextName && lead.includes('%PDF-'))) return 'pdf'
  // A few bytes of a picture may look like a text.
  if (!isText(head) || MEDIA.test(media_type)) return name && !isTextName ? name : 'bin'
  const format = findTextFormat(head) ?? 'txt'
  if (isTextName) {
    const isPage = format === 'html' && extensionOf(media_type) === 'html'
    return isPage || !LOOKALIKES.has(format) ? format : name
  }
  if (format !== 'txt') return format
  // A text under the name of a format that is not a text: damage, or a table that a program named after Excel.
  if (isKind(name) || isMarkup(name)) return name
  return findAdvice(name).format === 'XLSX' ? 'csv' : 'txt'
}

/** Returns the format of a file's name, or of its media type; an unknown extension is its own format. */
function findFormatOfName(filename: string, media_type: string): string {
  const extension = extname(filename).slice(1).toLowerCase()
  const extensions = [extension, extensionOf(media_type) || '']
  for (const each of extensions) {
    const kind = KIND_OF_EXTENSION.get(each)
    if (kind) return kind
    if (hasAdvice(each)) return each
  }
  return extensions.find(Boolean) ?? ''
}

/** Returns the format of an encrypted document of Office. */
function findEncryptedFormat(name: string): DocumentKind {
  if (name === 'docx' || name === 'xlsx' || name === 'pptx') return name
  const { format } = findAdvice(name)
  if (format === 'XLSX') return 'xlsx'
  return format === 'PPTX' ? 'pptx' : 'docx'
}

/** The most NULs of a text that is not in UTF-16, as a part of its bytes. */
const MAX_NULS = 1 / 100

const isText = (head: Buffer): boolean => {
  if (findMark(head) !== undefined || !head.includes(0)) return true
  // A log may end in a block of NULs.
  const end = head.findLastIndex((byte) => byte !== 0) + 1
  const nuls = head.subarray(0, end).reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0)
  return (isUtf8(head.subarray(0, end)) && nuls <= end * MAX_NULS) || findWideCharset(head) !== undefined
}

/** Returns the media type of a document: the one that is stated if it says something, otherwise that of its name. */
export function chooseMediaType(filename: string, stated: string): string {
  const clean = stated.split(';')[0]!.trim().toLowerCase()
  const says = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(clean) && clean !== 'application/octet-stream'
  if (says) return clean
  return lookup(filename) || 'application/octet-stream'
}
