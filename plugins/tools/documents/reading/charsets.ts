/** Code pages that TextDecoder lacks: the characters of the bytes from 0x80. */
const CODE_PAGES: Record<string, string> = {
  cp437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
}

/** Names that programs use, without hyphens, and the names that are known. */
const ALIASES: Record<string, string> = {
  cp932: 'shift_jis',
  shiftjis2004: 'shift_jis',
  eucjis2004: 'euc-jp',
  cp936: 'gbk',
  cp949: 'euc-kr',
  uhc: 'euc-kr',
  ms949: 'euc-kr',
  cp950: 'big5',
  cp874: 'windows-874',
  tis620: 'windows-874',
  macroman: 'macintosh',
  maccyrillic: 'x-mac-cyrillic',
  ibm437: 'cp437',
  ibm850: 'cp850',
  cp858: 'cp850',
  utf32: 'utf32le',
}

/** Decodes bytes. */
export type Decode = (bytes: Uint8Array) => string

/** Returns the decoder of a charset, which puts U+FFFD for bytes that it lacks; undefined if the charset is not known. */
export function findDecoder(charset: string): Decode | undefined {
  const short = charset.toLowerCase().replace(/[\s_-]/g, '')
  const name = ALIASES[short] ?? short
  const page = CODE_PAGES[name]
  if (page) return (bytes) => decodeByTable(bytes, page)
  if (/^utf32(le|be)$/.test(name)) return (bytes) => decodeUtf32(bytes, name.endsWith('le'))
  const label = [ALIASES[short], charset, charset.replace(/_/g, '-')].find((each) => each && isLabel(each))
  return label === undefined ? undefined : toDecode(new TextDecoder(label))
}

function isLabel(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** In a single call, several versions of Node decode Windows-1252 as ISO 8859-1, which has no quotation marks. */
const toDecode =
  (decoder: InstanceType<typeof TextDecoder>): Decode =>
  (bytes) =>
    decoder.decode(bytes, { stream: true }) + decoder.decode()

function decodeByTable(bytes: Uint8Array, page: string): string {
  let text = ''
  for (const byte of bytes) text += byte < 0x80 ? String.fromCharCode(byte) : page[byte - 0x80]
  return text
}

function decodeUtf32(bytes: Uint8Array, isLittle: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let text = ''
  for (let index = 0; index + 4 <= bytes.length; index += 4) {
    const code = view.getUint32(index, isLittle)
    text += code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
  }
  return text.toWellFormed()
}

/** Returns the number of matches of a global pattern. */
export function countMatches(text: string, pattern: RegExp): number {
  let count = 0
  for (const _ of text.matchAll(pattern)) count += 1
  return count
}
