// Reads a query: its words, runs and quoted phrases, each of which a result has.

import { fold } from '#plugin-api'
import { addTerms, SHORTEST_BEGINNING, type Terms } from './terms.ts'
import { isInsideWord, listTokens, skipSeparators, type Token } from './tokens.ts'

/** The most characters between two words of a phrase. */
const MAX_SEPARATORS = 16

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

/** A word or run of a condition; `is_beginning` is true for a word that may go on. */
interface Part extends Token {
  is_beginning: boolean
}

/** Words and runs that follow each other in a text. */
type Condition = readonly [Part, ...Part[]]

/** A range of code units in a folded text. */
export interface Range {
  start: number
  end: number
}

/** A query that was read. */
export interface Query {
  /** The terms that each result has. */
  terms: Terms
  /** The folded words and runs that each result has. */
  words: readonly string[]
  /** True if a folded text fulfils all conditions. */
  matches(folded: string): boolean
  /** Lists the places of a folded text that fulfil a condition, in order, at most so many of each condition. */
  listRanges(folded: string, most: number): Range[]
}

/** Reads a query; undefined if it has no words. */
export function readQuery(text: string): Query | undefined {
  const conditions = listConditions(text)
  if (conditions.length === 0) return undefined
  const terms = new Map<string, number>()
  for (const part of conditions.flat()) addTerms(part, terms)
  return {
    terms,
    words: conditions.flat().map((part) => part.text),
    matches: (folded) => conditions.every((condition) => !findNext(folded, condition, 0).done),
    listRanges(folded, most) {
      const ranges: Range[] = []
      for (const condition of conditions) {
        let from = 0
        for (let n = 0; n < most; n += 1) {
          const next = findNext(folded, condition, from)
          if (next.done) break
          ranges.push(next.range)
          from = next.range.end
        }
      }
      return ranges.sort((a, b) => a.start - b.start)
    },
  }
}

/** Quoted phrases, with the quotation marks of several languages, and texts between spaces. */
const CHUNKS = /["“”„«»「」『』]([^"“”„«»「」『』]*)["“”„«»「」『』]|[^\s"“”„«»「」『』]+/gu

function listConditions(text: string): Condition[] {
  const conditions: Part[][] = []
  for (const [chunk, phrase] of text.matchAll(CHUNKS)) {
    const parts = [...listTokens(fold(phrase ?? chunk))].map((token) => ({ ...token, is_beginning: false }))
    if (phrase !== undefined || parts.every(({ is_run }) => !is_run)) {
      const last = parts.at(-1)
      if (last && phrase === undefined) last.is_beginning = mayGoOn(last)
      conditions.push(parts)
    } else for (const part of parts) conditions.push(...separate(part))
  }
  return conditions.filter((parts) => parts.length > 0) as unknown as Condition[]
}

/** True for a word that also finds the words that begin with it, which a word of one or two letters does not. */
const mayGoOn = ({ text, is_run }: Token) => !is_run && text.length >= SHORTEST_BEGINNING

/** Cuts a run into words, which need not follow each other in a text; single characters stay together, as in names. */
function separate(part: Part): Part[][] {
  if (!part.is_run) return [[{ ...part, is_beginning: mayGoOn(part) }]]
  const words: string[] = []
  let isSingle = false
  for (const { segment } of segmenter.segment(part.text)) {
    const wasSingle = isSingle
    isSingle = [...segment].length === 1
    if (isSingle && wasSingle) words.push(words.pop() + segment)
    else words.push(segment)
  }
  return words.map((text) => [{ ...part, text }])
}

/** Finds the next place of a folded text that fulfils a condition. */
function findNext(
  folded: string,
  condition: Condition,
  from: number,
): { done: true } | { done: false; range: Range } {
  const { text } = condition[0]
  for (let start = folded.indexOf(text, from); start >= 0; start = folded.indexOf(text, start + 1)) {
    const end = matchAt(folded, start, condition)
    if (end !== undefined) return { done: false, range: { start, end } }
  }
  return { done: true }
}

/** Returns the end of a condition that is fulfilled from a place on. */
function matchAt(folded: string, start: number, condition: Condition): number | undefined {
  let at = start
  for (const [index, { text, is_run, is_beginning }] of condition.entries()) {
    if (index > 0) at = skipSeparators(folded, at, MAX_SEPARATORS)
    if (!is_run && isInsideWord(folded, at)) return undefined
    if (!folded.startsWith(text, at)) return undefined
    at += text.length
    if (!is_run && !is_beginning && isInsideWord(folded, at)) return undefined
  }
  return at
}
