const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Characters that take no column of their own, such as accents and variation selectors. */
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Default_Ignorable_Code_Point}]+$/u
/** Scripts and signs of East Asia, and what is drawn as a picture. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\u3000-\u303e\u30fb-\u30fc\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji}\ufe0f|\p{Regional_Indicator}{2}/u
/** Half-width forms of the same scripts. */
const HALF_WIDTH = /^[\uff61-\uffdc]/

/** Splits text into the characters that a person sees. */
export const splitGraphemes = (text: string): string[] => {
  // Text in ASCII, the usual case, has one per code unit.
  if (/^[\x20-\x7e]*$/.test(text)) return text.split('')
  return [...graphemes.segment(text)].map(({ segment }) => segment)
}

/** Counts the terminal columns of one character as a person sees it. */
export const columnsOf = (grapheme: string): number => {
  if (grapheme.length === 1 && grapheme < '\u0300') return 1
  if (INVISIBLE.test(grapheme)) return 0
  return WIDE.test(grapheme) && !HALF_WIDTH.test(grapheme) ? 2 : 1
}

/** Counts the terminal columns of text on one line. */
export const countColumns = (text: string): number =>
  splitGraphemes(text).reduce((sum, grapheme) => sum + columnsOf(grapheme), 0)

/** Counts the rows that text takes in a terminal that breaks lines anywhere. */
export function countRows(text: string, columns: number): number {
  let rows = 0
  for (const line of text.split('\n')) {
    rows += 1
    let width = 0
    for (const grapheme of splitGraphemes(line)) {
      const columnCount = grapheme === '\t' ? 8 - (width % 8) : columnsOf(grapheme)
      width += columnCount
      if (width <= columns) continue
      rows += 1
      width = columnCount
    }
  }
  return rows
}
