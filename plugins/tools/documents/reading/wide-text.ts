import { findDecoder } from './charsets.ts'

const MARKS: [bytes: number[], charset: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe, 0, 0], 'utf-32le'],
  [[0, 0, 0xfe, 0xff], 'utf-32be'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]

const WIDE = ['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'] as const
/** The bytes that are looked at. */
const SAMPLE_BYTES = 16 * 1024
/** The part of a text's characters that must be usual ones, and the fewest characters that show it. */
const MIN_USUAL = 0.9
const MIN_CHARACTERS = 4

/** The most usual characters of Chinese, Japanese and Korean: the charset, its first and its last lead byte. */
const COMMON_ROWS: [charset: string, first: number, last: number][] = [
  ['gb18030', 0xb0, 0xd7],
  ['big5', 0xa4, 0xc6],
  ['shift_jis', 0x88, 0x97],
  ['euc-kr', 0xb0, 0xc8],
]
/** Letters, signs and punctuation of other scripts, and of Chinese, Japanese and Korean beside their own characters. */
const USUAL =
  /[\t\n\r -~\u00a0-\u00ff\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}\p{Script=Devanagari}\u2010-\u2027\u20ac\u2122\u3000-\u30ff\uff01-\uff65]/u

let commonCharacters: Set<string> | undefined

const createCommonCharacters = () =>
  new Set(
    COMMON_ROWS.flatMap(([charset, first, last]) => {
      const bytes: number[] = []
      for (let lead = first; lead <= last; lead += 1)
        for (let trail = 0x40; trail <= 0xfe; trail += 1) if (trail !== 0x7f) bytes.push(lead, trail)
      return [...findDecoder(charset)!(Uint8Array.from(bytes)).replaceAll('\ufffd', '')]
    }),
  )

/** Returns the charset of a byte order mark. */
export const findMark = (bytes: Uint8Array): string | undefined =>
  MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1]

/**
 * Returns the charset of a text in UTF-16 or UTF-32 that has no byte order mark; undefined if the bytes are none. They
 * are such a text if they make usual characters of it.
 */
export function findWideCharset(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const [best] = WIDE.map((charset) => ({
    charset,
    share: measureUsual(findDecoder(charset)!(sample)),
  })).sort((one, other) => other.share - one.share)
  return best!.share >= MIN_USUAL ? best!.charset : undefined
}

/** Returns the part of usual characters in a text. */
function measureUsual(text: string): number {
  commonCharacters ??= createCommonCharacters()
  let usual = 0
  let all = 0
  for (const character of text) {
    all += 1
    if (USUAL.test(character) || commonCharacters.has(character)) usual += 1
  }
  return all < MIN_CHARACTERS ? 0 : usual / all
}
