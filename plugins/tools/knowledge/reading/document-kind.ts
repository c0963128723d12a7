import { extname } from 'node:path'
import { lookup } from 'mime-types'

/** The formats that are read. */
export type DocumentKind =
  | 'pdf'
  | 'docx'
  | 'pptx'
  | 'xlsx'
  | 'csv'
  | 'html'
  | 'markdown'
  | 'json'
  | 'text'
  | 'code'

const BY_EXTENSION: Record<string, DocumentKind> = {
  '.pdf': 'pdf',
  '.docx': 'docx',
  '.pptx': 'pptx',
  '.xlsx': 'xlsx',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mdx': 'markdown',
  '.json': 'json',
  '.txt': 'text',
  '.text': 'text',
  '.log': 'text',
  '.rst': 'text',
}

const CODE = new Set(
  '.bash .c .cc .cfg .cjs .clj .cpp .cs .css .dart .diff .env .erl .ex .exs .fs .go .gradle .graphql .h .hpp .hs .ini .ipynb .java .jl .js .jsonl .jsx .kt .less .lua .m .mjs .ml .mts .ndjson .patch .php .pl .proto .ps1 .py .r .rb .rs .scala .scss .sh .sql .svelte .swift .tf .toml .ts .tsx .vue .xml .yaml .yml .zig'.split(
    ' ',
  ),
)

const BY_MEDIA_TYPE: Record<string, DocumentKind> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'markdown',
  'application/json': 'json',
  'text/plain': 'text',
}

/** The formats that are ZIP archives. */
const OFFICE = new Set<DocumentKind>(['docx', 'pptx', 'xlsx'])

const ZIP = Buffer.from('PK')
/** The container of old and of encrypted Office documents. */
const OLE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])

/** The bytes of a file's beginning that are looked at. */
export const HEAD_BYTES = 8192

/**
 * Returns the format of a file by its name, its media type and its first bytes; undefined if it is not read. What is
 * wrong inside is found out when it is read.
 */
export function findKind(filename: string, media_type: string, head: Buffer): DocumentKind | undefined {
  const extension = extname(filename).toLowerCase()
  const named =
    BY_EXTENSION[extension] ??
    (CODE.has(extension) ? 'code' : BY_MEDIA_TYPE[media_type.split(';')[0]!.trim().toLowerCase()])
  if (head.subarray(0, 1024).includes('%PDF-')) return 'pdf'
  if (named === 'pdf') return 'pdf'
  if (named && OFFICE.has(named)) return named
  const isArchive = [ZIP, OLE].some((magic) => head.subarray(0, magic.length).equals(magic))
  if (isArchive || !isText(head)) return undefined
  if (named) return named
  return /^\s*(<!doctype html|<html)/i.test(head.toString('latin1')) ? 'html' : 'text'
}

/** True if an encrypted document of a newer Office program, which is in a container of the older ones. */
export const isContainer = (bytes: Buffer): boolean => bytes.subarray(0, OLE.length).equals(OLE)

const isText = (head: Buffer): boolean => {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  return isWide || !head.includes(0)
}

/** Returns the media type of a document: the one that is stated if it says something, otherwise that of its name. */
export function chooseMediaType(filename: string, stated: string): string {
  const clean = stated.split(';')[0]!.trim().toLowerCase()
  const says = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(clean) && clean !== 'application/octet-stream'
  if (says) return clean
  return lookup(filename) || 'application/octet-stream'
}
