import { findOpenDocument } from './zip-format.ts'

/** The formats of XML by the name of the outermost element. */
const FORMAT_OF_ELEMENT: Readonly<Record<string, string>> = {
  'w:wordDocument': 'word xml',
  'pkg:package': 'word xml',
  Workbook: 'excel xml',
  FictionBook: 'fb2',
  svg: 'svg',
}
const PROLOG = /^\s*(?:<\?[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE (?!html)[^>[]*>)/i
const HTML = /^\s*<(?:!doctype html|html|head|body|meta|title|table|style)\b/i
const SPREADSHEET = 'urn:schemas-microsoft-com:office:spreadsheet'
/** The fields that only programs write at the head of a mail, and those that people write above a letter too. */
const MACHINE_FIELD = /^(?:return-path|received|message-id|mime-version):/im
const PERSON_FIELD = /^(?:date|from|to|subject):/im

/**
 * Returns the format of a text by its beginning: `rtf`, `html`, `eml`, `odt` and its kin for OpenDocument in one file,
 * or one of the formats of XML; undefined for other texts.
 */
export function findTextFormat(head: Buffer): string | undefined {
  let text = toText(head)
  if (/^\s*\{\\rtf/.test(text)) return 'rtf'
  if (/^[\w-]+:/.test(text) && isMail(text)) return 'eml'
  for (let prolog = PROLOG.exec(text); prolog; prolog = PROLOG.exec(text)) text = text.slice(prolog[0].length)
  if (HTML.test(text)) return 'html'
  const [start = '', element = ''] = /^\s*<([\w:]+)[^>]*/.exec(text) ?? []
  if (element === 'office:document')
    return findOpenDocument(/office:mimetype\s*=\s*["']([^"']*)/.exec(start)?.[1] ?? '')
  if (element === 'Workbook' && !start.includes(SPREADSHEET)) return undefined
  return Object.hasOwn(FORMAT_OF_ELEMENT, element) ? FORMAT_OF_ELEMENT[element] : undefined
}

/** Returns the beginning of a text without its byte order mark; every character of interest is an ASCII one. */
function toText(head: Buffer): string {
  if (head[0] === 0xff && head[1] === 0xfe) return head.toString('utf16le', 2)
  if (head[0] === 0xfe && head[1] === 0xff)
    return Buffer.from(head.subarray(0, head.length & ~1))
      .swap16()
      .toString('utf16le', 2)
  return head.toString('latin1').replace(/^\xef\xbb\xbf/, '')
}

/** True if a text begins with the fields of a mail. */
function isMail(text: string): boolean {
  const [fields = ''] = text.split(/\r?\n\r?\n/, 1)
  return MACHINE_FIELD.test(fields) && PERSON_FIELD.test(fields)
}
