/** The fields of a glyph of pdf.js that are used. */
export interface PdfGlyph {
  originalCharCode: number
  unicode: string
  /** In units of the font. */
  width: number
  /** The metrics of vertical writing: advance, and the origin of the glyph. */
  vmetric?: readonly number[] | null
  isSpace: boolean
}

/** The fields of a font of pdf.js that are used. */
export interface PdfFont {
  name: string
  bold?: boolean
  black?: boolean
  vertical?: boolean
  isType3Font?: boolean
  composite?: boolean
  type?: string
  fontMatrix?: readonly number[]
  bbox?: readonly number[]
  defaultVMetrics?: readonly number[]
  /** The characters of the codes, or the range of codes if the font says nothing of its codes. */
  toUnicode?: { _map?: Record<number, unknown>; firstChar?: number }
}

/** The part of a font's glyphs without a character from which on its other characters are not trusted. */
const MAX_UNREADABLE_PART = 0.2
/** The most scripts that the text of a font has beside punctuation and digits. */
const MAX_SCRIPTS = 4

const SCRIPTS = [
  /\p{sc=Latin}/u,
  /\p{sc=Greek}/u,
  /\p{sc=Cyrillic}/u,
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}]/u,
  /\p{sc=Arabic}/u,
  /\p{sc=Hebrew}/u,
  /\p{sc=Thai}/u,
  /\p{sc=Devanagari}/u,
  /\p{sc=Armenian}/u,
  /\p{sc=Georgian}/u,
  /\p{sc=Ethiopic}/u,
  /\p{sc=Bengali}/u,
  /\p{sc=Tamil}/u,
]

/** Control characters, private use, unassigned code points and the replacement character. */
const NO_CHARACTER = /[\p{Cc}\p{Co}\p{Cn}\p{Cs}\ufffd]/u
const TEX_LIGATURES: Record<number, string> = { 11: 'ff', 12: 'fi', 13: 'fl', 14: 'ffi', 15: 'ffl' }
/** Presentation forms of ligatures and of Arabic and Hebrew letters. */
const PRESENTATION_FORMS = /[\ufb00-\ufdff\ufe70-\ufefc\uff61-\uff9f]/u

/** Counts what the glyphs of a font on a page are, to find out if its text can be read. */
export interface FontUse {
  font: PdfFont
  isBold: boolean
  glyphs: number
  unreadable: number
  /** Codes of the font that were taken for characters, perhaps wrongly. */
  guesses: Set<string>
  /** The texts of the codes. */
  texts: Map<number, string>
}

/** Starts to count the glyphs of a font. */
export const createFontUse = (font: PdfFont): FontUse => ({
  font,
  isBold: Boolean(font.bold || font.black) || /bold|black|heavy|demi/i.test(font.name ?? ''),
  glyphs: 0,
  unreadable: 0,
  guesses: new Set(),
  texts: new Map(),
})

/** Returns the text of a glyph, which is empty if it has none, and counts it. */
export function readGlyph(use: FontUse, glyph: PdfGlyph): string {
  let text = use.texts.get(glyph.originalCharCode)
  if (text === undefined) {
    text = toText(use, glyph)
    use.texts.set(glyph.originalCharCode, text)
  }
  use.glyphs += 1
  if (text === '') use.unreadable += 1
  return text
}

function toText({ font, guesses }: FontUse, { originalCharCode, unicode }: PdfGlyph): string {
  if (/^\s+$/.test(unicode)) return ' '
  if (unicode === '\u00ad') return unicode
  const isKnown = font.toUnicode?._map?.[originalCharCode] !== undefined
  const isMissing = (font.composite && !isKnown && !isIdentity(font)) || isBroken(font)
  // Fonts of TeX that draw their glyphs by themselves say nothing of their codes.
  const ligature = font.isType3Font && !isKnown && TEX_LIGATURES[originalCharCode]
  if (ligature) return ligature
  if (unicode === '' || isMissing || NO_CHARACTER.test(unicode)) return ''
  if (!isKnown) guesses.add(unicode)
  return PRESENTATION_FORMS.test(unicode) ? unicode.normalize('NFKC') : unicode
}

/** Tells if the text of a font is text: not numbers of glyphs that were taken for characters. */
export function isReadable(use: FontUse): boolean {
  if (use.unreadable > use.glyphs * MAX_UNREADABLE_PART) return false
  if (use.guesses.size === 0) return true
  if (use.unreadable > 0 && isIdentity(use.font)) return false
  const guesses = [...use.guesses].join('')
  return SCRIPTS.filter((script) => script.test(guesses)).length <= MAX_SCRIPTS
}

/** Tells if pdf.js took the codes of several bytes for single ones, since the font lacks its description. */
const isBroken = ({ type = '', composite }: PdfFont) => !composite && /^(Type0|CIDFont)/.test(type)

const isIdentity = ({ toUnicode }: PdfFont) => toUnicode?.firstChar !== undefined
