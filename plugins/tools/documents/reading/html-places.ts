import { UNSPACED } from './html-words.ts'

/**
 * The words with which a browser finds a place, as they are on the page: `start` is at the place, `prefix` just
 * before it. They are found there first, and nowhere before.
 */
export interface Place {
  start: string
  prefix?: string
}

/** A text of a page in one line, without a break or a picture in it; `at` counts characters from the start of its block. */
export interface Run {
  at: number
  text: string
  /** The number of the text on its page, and the first character of this part of it. */
  index: number
  offset: number
}

/** The text of a page that is looked at, in characters. */
const MAX_CHARS = 1_500_000
/** The longest start of a place, in characters and in words. */
const MAX_START_CHARS = 80
const MAX_START_WORDS = 8
/** The longest start in a script without spaces, in characters. */
const MAX_UNSPACED_CHARS = 24
/** The longest text before a place, in characters. */
const MAX_PREFIX_CHARS = 32
/** A run of fewer words is seldom found only once. */
const MIN_WORDS = 3

const SEGMENTER = new Intl.Segmenter('und', { granularity: 'word' })
/** Each character is a word in scripts without spaces. */
const WORDS = new RegExp(`${UNSPACED.source}|(?:(?!${UNSPACED.source})[\\p{L}\\p{N}\\p{M}])+`, 'gu')

const ASCII = /^[ -~]*$/

/** Returns the words of a text, written alike whether they are capital letters or have accents. */
function toWords(text: string): string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(/[a-z\d]+/g) ?? []
  return (
    text
      .normalize('NFKD')
      .replace(/\p{Mn}/gu, '')
      .toLowerCase()
      .match(WORDS) ?? []
  )
}

/** A place that is looked for: `count` words from the word `from` on. */
interface Candidate {
  from: number
  count: number
}

/** The texts of a page in their order, among which a place must be found first. */
export type PlaceIndex = ReturnType<typeof createPlaceIndex>

/** Creates the index of a page. */
export function createPlaceIndex() {
  const runs: { text: string; from: number; isAfterGap: boolean }[] = []
  const ids = new Map<string, number>()
  const words: number[] = []
  let left = MAX_CHARS

  const addWords = (text: string): number => {
    const list = toWords(text)
    for (const word of list) {
      const id = ids.get(word) ?? ids.size + 1
      ids.set(word, id)
      words.push(id)
    }
    return list.length
  }

  /** Returns the candidates that are the first ones of their words on the page. */
  const selectFirst = (candidates: readonly Candidate[]): Set<Candidate> => {
    const sums = sumUp(words)
    const first = new Set<Candidate>()
    const lists = new Map<number, Candidate[]>()
    for (const candidate of candidates) {
      const list = lists.get(candidate.count)
      if (list) list.push(candidate)
      else lists.set(candidate.count, [candidate])
    }
    for (const [count, list] of lists) {
      const power = raise(count)
      const hash = (from: number) => (sums[from + count]! - Math.imul(sums[from]!, power)) | 0
      const places = new Map<number, number>(list.map(({ from }) => [hash(from), -1]))
      for (let from = 0; from + count <= words.length; from += 1) {
        const key = hash(from)
        if (places.get(key) === -1) places.set(key, from)
      }
      for (const candidate of list)
        if (places.get(hash(candidate.from)) === candidate.from) first.add(candidate)
    }
    return first
  }

  return {
    /**
     * Adds the next text of the page, and returns its number; before it, the page may have something else. What comes
     * late on a very long page has no place.
     */
    add(text: string, isAfterGap: boolean): number {
      const part = text.slice(0, left)
      left -= part.length
      runs.push({ text: part, from: words.length, isAfterGap })
      addWords(part)
      return runs.length - 1
    },

    /** Returns the places at the beginnings of some texts; undefined for those that are not found first. */
    findPlaces(texts: readonly (readonly Run[])[]): (Place | undefined)[] {
      const countWords = createWordCount()
      const targets = texts.map((list) => {
        const run = list.find(({ text }) => toWords(text).length >= MIN_WORDS) ?? list[0]
        if (!run) return undefined
        const { index, offset } = run
        const whole = runs[index]!
        if (offset + run.text.length > whole.text.length) return undefined
        const start = cutStart(run.text)
        const count = toWords(start).length
        if (count === 0) return undefined
        const from = whole.from + countWords(whole.text, run)
        const above = whole.isAfterGap ? undefined : runs[index - 1]
        const prefix = cutEnd(offset > 0 ? whole.text.slice(0, offset) : (above?.text ?? ''))
        const prefixCount = toWords(prefix).length
        return {
          start,
          prefix,
          alone: { from, count },
          after: prefixCount > 0 ? { from: from - prefixCount, count: count + prefixCount } : undefined,
        }
      })
      const first = selectFirst(
        targets.flatMap((target) => (target ? [target.alone, ...(target.after ? [target.after] : [])] : [])),
      )
      return targets.map((target) => {
        if (!target) return undefined
        const { start, prefix, alone, after } = target
        if (first.has(alone)) return { start }
        return after && first.has(after) ? { start, prefix } : undefined
      })
    },
  }
}

/** Returns the count of the words before a part of a text; the parts of a text come in their order. */
function createWordCount() {
  let last = { index: -1, offset: 0, count: 0 }
  return (text: string, { index, offset }: Run): number => {
    const { offset: from, count } = last.index === index ? last : { offset: 0, count: 0 }
    last = { index, offset, count: count + toWords(text.slice(from, offset)).length }
    return last.count
  }
}

const BASE = 1_000_003

/** Returns the hashes of all beginnings of a list, from which the hashes of its parts are computed. */
function sumUp(words: readonly number[]): Int32Array {
  const sums = new Int32Array(words.length + 1)
  for (const [index, word] of words.entries())
    sums[index + 1] = Math.imul(sums[index]!, BASE) + Math.imul(word, 0x9e3779b1)
  return sums
}

const raise = (count: number) => {
  let power = 1
  for (let step = 0; step < count; step += 1) power = Math.imul(power, BASE)
  return power
}

/** Returns the beginning of a text, in whole words. */
function cutStart(text: string): string {
  const most = UNSPACED.test(text.slice(0, MAX_UNSPACED_CHARS)) ? MAX_UNSPACED_CHARS : MAX_START_CHARS
  const head = text.trimEnd().slice(0, most + 1)
  const words = head.split(' ')
  // A word that reaches the end of what is looked at may go on.
  if (head.length > most && words.length <= MAX_START_WORDS) words.pop()
  const start = words.slice(0, MAX_START_WORDS).join(' ')
  return start || listSegments(head).slice(0, -1).join('')
}

/** Returns the end of a text, in whole words. */
function cutEnd(text: string): string {
  const line = text.slice(-2 * MAX_PREFIX_CHARS).trim()
  if (line.length <= MAX_UNSPACED_CHARS) return line
  const tail = line.slice(-MAX_PREFIX_CHARS)
  return tail.split(' ').slice(1).join(' ') || listSegments(line.slice(-MAX_UNSPACED_CHARS)).slice(1).join('')
}

const listSegments = (text: string) => [...SEGMENTER.segment(text)].map(({ segment }) => segment)
