/** Charsets by the number that a font has for its script. */
const OF_FONT: Record<number, string> = {
  77: 'macintosh',
  78: 'shift_jis',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
  254: 'cp437',
  255: 'cp850',
}
const OF_CODE_PAGE: Record<number, string> = {
  437: 'cp437',
  850: 'cp850',
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  20866: 'koi8-r',
  28592: 'iso-8859-2',
  54936: 'gb18030',
  65001: 'utf-8',
}

/** The charset of a font whose characters are signs. */
export const SIGNS = 'signs'

/** Returns the charset of a font, if it is not that of the document. */
export const findFontCharset = (number: number): string | undefined =>
  number === 2 ? SIGNS : OF_FONT[number]

/** Returns the charset of a code page, if it is known. */
export const findCodePage = (number: number): string | undefined =>
  number >= 1250 && number <= 1258 ? `windows-${number}` : OF_CODE_PAGE[number]

/** The charsets of documents by the words that name them. */
export const DOCUMENT_CHARSETS: Readonly<Record<string, string>> = {
  ansi: 'windows-1252',
  mac: 'macintosh',
  pc: 'cp437',
  pca: 'cp850',
}
