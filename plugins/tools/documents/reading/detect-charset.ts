import { chardet } from 'jschardet'
import { countMatches, findDecoder } from './charsets.ts'

/** The bytes that are looked at, from a little before the first one that is not ASCII. */
const SAMPLE_BYTES = 64 * 1024
const BYTES_BEFORE = 1000

/** The charsets that texts are found in; further ones would only be mistaken for these. */
const CHARSETS =
  'windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 windows-874 koi8-r koi8-u iso-8859-1 iso-8859-2 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-13 iso-8859-15 ibm866 cp850 mac-roman mac-cyrillic gb18030 big5 euc-jp shift_jis cp949'.split(
    ' ',
  )

const OTHER_SCRIPT =
  '[\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Thai}]'
/** Signs of a wrong charset: characters that no text has, and words of two scripts. */
const WRONG = new RegExp(
  `[\\ufffd\\u0080-\\u009f\\u0001-\\u0008\\u000e-\\u0019\\u001c-\\u001f]|\\p{Script=Latin}${OTHER_SCRIPT}|${OTHER_SCRIPT}\\p{Script=Latin}`,
  'gu',
)
/** The most of these signs, of each character that is not ASCII. */
const MAX_WRONG = 0.05

/** Charsets whose texts are mistaken for Windows-1252, which is more usual, and how much more likely they must be. */
const RIVALS = /^(windows-125[047]|iso-8859-(2|13|15))$/i
const MIN_LEAD = 1.1

/** Texts whose only characters beside ASCII are signs of Windows-1252, and those that have them within words. */
const SIGNS = /^[\0-\x7f€‚„…†‡‰‹›‘’“”•–—™§©«»°±´µ¶·®]+$/
const SIGNS_IN_WORDS = /[a-z][€‚„†‡‰‹‘“•§©«±]|[‚…†‡‰›”•™»°·®][a-z]|[a-z][–—][a-z]/i

/** Returns the most likely charset of a text that is not Unicode; undefined if no charset makes a text of it. */
export function detectCharset(bytes: Uint8Array): string | undefined {
  const first = bytes.findIndex((byte) => byte >= 0x80)
  const start = Math.max(0, first - BYTES_BEFORE)
  const sample = bytes.subarray(start, start + SAMPLE_BYTES)
  const western = findDecoder('windows-1252')!(sample)
  if (SIGNS.test(western) && !SIGNS_IN_WORDS.test(western)) return 'windows-1252'
  const guesses = chardet
    .detectAll(sample, { includeEncodings: CHARSETS, ignoreThreshold: true })
    .filter(({ encoding }) => encoding !== null && isSensible(sample, encoding))
  const [best] = guesses
  const usual = guesses.find(({ encoding }) => encoding === 'Windows-1252')
  const isClose = usual && RIVALS.test(best!.encoding!) && best!.confidence < usual.confidence * MIN_LEAD
  return (isClose ? usual : best)?.encoding ?? undefined
}

/** True if a charset makes a text of bytes in which nothing is a sign of a wrong charset. */
function isSensible(bytes: Uint8Array, charset: string): boolean {
  const text = findDecoder(charset)?.(bytes)
  return text !== undefined && countMatches(text, WRONG) <= countMatches(text, /[^\0-\x7f]/g) * MAX_WRONG
}
