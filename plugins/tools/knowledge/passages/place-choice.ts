import { sortByCloseness } from './closeness.ts'
import type { Place } from './places.ts'
import { toWords } from './words.ts'

/** The words of English questions that say nothing about their subject. */
const STOP_WORDS = new Set(
  [
    'a about am an and any are as at be been but by can could did do does for from had has have how i if in into is it its',
    'many may me much must my no not of on one or our out shall should so some than that the their them there these they',
    'this those to was we were what when where which while who whom whose why will with would you your',
  ]
    .join(' ')
    .split(' '),
)

/** Returns an English word without its ending, roughly: `trains` and `train` are the same word. */
const toStem = (word: string): string =>
  word.length > 4 && /^[a-z]+$/.test(word) ? word.replace(/(?:ies|es|s|ed|ing|e|y)$/, '') : word

const toStems = (words: string): string => words.split(' ').map(toStem).join(' ')

/**
 * Chooses the place of a passage that has the words of a question closest together; without such words, the longest one
 * of the range that is likely to answer.
 */
export function choosePlace({
  text,
  start,
  places,
  words,
  likely,
}: {
  text: string
  /** The first character of the passage in the text of the document. */
  start: number
  places: readonly Place[]
  words: readonly string[]
  likely: { start: number; end: number }
}): Place {
  if (places.length === 1) return places[0]!
  const lengthWithin = ({ start, end }: Place) => Math.min(end, likely.end) - Math.max(start, likely.start)
  const candidates = places
    .toSorted((one, other) => lengthWithin(other) - lengthWithin(one))
    .map((range) => {
      const content = text.slice(range.start - start, range.end - start)
      return { range, words: toStems(toWords(`${range.heading ?? ''} ${content}`)) }
    })
  const question = words.filter((word) => !STOP_WORDS.has(word)).map(toStem)
  return sortByCloseness(candidates, question)[0]!.range
}
