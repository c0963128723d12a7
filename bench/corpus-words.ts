import type { Expectation, ExpectedTable } from './corpus.ts'

const WORDS = new Intl.Segmenter('und', { granularity: 'word' })
/** Scripts without spaces: the words that a segmenter makes there depend on the characters around them. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u
/** The most words of a text that are compared, as a multiple of the expected ones. */
const MAX_TIMES = 12
const MIN_WORDS = 2000

/** The words of a document that were read. */
export interface WordScore {
  expected: number
  /** The expected words that were read in their order. */
  matched: number
  missing: string[]
  read: number
  /** The words that were read and are not in the document. */
  surplus: string[]
}

/** Returns the words of a text; each character is a word in scripts without spaces. */
export function toWords(text: string): string[] {
  // A formula as `∑_n` has the same words as one without the line.
  const clean = text
    .normalize('NFKC')
    .replace(/[\p{Cf}\u0640]/gu, '')
    .replaceAll('_', ' ')
  return [...WORDS.segment(clean)].flatMap(({ segment }) => {
    if (!/[\p{L}\p{N}\p{Sc}%‰]/u.test(segment)) return []
    return UNSPACED.test(segment) ? [...segment] : [segment]
  })
}

/** Compares the words of a text with the expected ones. */
export function scoreWords(expected: Expectation, text: string): WordScore {
  const { text: parts = [], anywhere = [], optional = [] } = expected
  const ordered = parts.flatMap((part) => toWords(typeof part === 'string' ? part : listCells(part)))
  const heads = parts.flatMap((part) => (typeof part === 'string' ? [] : [...new Set(part.heads)]))
  const loose = [...anywhere, ...heads].flatMap(toWords)
  const repeated = new Set([...optional, ...heads, ...parts.flatMap(listMerged)].flatMap(toWords))

  const limit = Math.max(MIN_WORDS, ordered.length * MAX_TIMES)
  const words = toWords(text)
  const compared = words.slice(0, limit)
  const isMatched = alignWords(ordered, compared)
  const unused = countWords(compared.filter((_, index) => !isMatched.read[index]))
  const missing = ordered.filter((_, index) => !isMatched.expected[index])
  for (const word of loose) {
    const count = unused.get(word) ?? 0
    if (count > 0) unused.set(word, count - 1)
    else if (!(repeated.has(word) && compared.includes(word))) missing.push(word)
  }

  const left = countWords([...ordered, ...loose])
  const surplus = words.filter((word) => {
    const count = left.get(word) ?? 0
    left.set(word, count - 1)
    return count <= 0 && !repeated.has(word)
  })
  const total = ordered.length + loose.length
  return { expected: total, matched: total - missing.length, missing, read: words.length, surplus }
}

const listCells = ({ rows }: ExpectedTable): string =>
  rows.map((row) => row.filter((cell) => cell !== '^' && cell !== '<').join('\n')).join('\n')

/** Returns the cells of a table that cover several others: each may be read once or once for each row. */
function listMerged(part: string | ExpectedTable): string[] {
  if (typeof part === 'string') return []
  const { rows } = part
  return rows.flatMap((row, y) =>
    row.filter((_, x) => rows[y + 1]?.[x] === '^' || row[x + 1] === '<' || row[x] === '^'),
  )
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Marks the words of a longest common subsequence. */
function alignWords(expected: readonly string[], read: readonly string[]) {
  const width = read.length + 1
  const lengths = new Uint16Array((expected.length + 1) * width)
  for (let y = expected.length - 1; y >= 0; y -= 1)
    for (let x = read.length - 1; x >= 0; x -= 1)
      lengths[y * width + x] =
        expected[y] === read[x]
          ? lengths[(y + 1) * width + x + 1]! + 1
          : Math.max(lengths[(y + 1) * width + x]!, lengths[y * width + x + 1]!)
  const isMatched = { expected: expected.map(() => false), read: read.map(() => false) }
  for (let y = 0, x = 0; y < expected.length && x < read.length; )
    if (expected[y] === read[x]) {
      isMatched.expected[y] = true
      isMatched.read[x] = true
      y += 1
      x += 1
    } else if (lengths[(y + 1) * width + x]! >= lengths[y * width + x + 1]!) y += 1
    else x += 1
  return isMatched
}
