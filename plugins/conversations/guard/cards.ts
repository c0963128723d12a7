import type { Span } from './rules.ts'

/** At least 13 digits, alone or in groups, that are not a part of a word or of a fraction. */
const RUN = /(?<![\w.])\d(?:[ \u00a0-]?\d){12,}(?!\w)/g
const GROUP = /\d+/g

/** The beginnings of card numbers, with their lengths. */
const ISSUERS: readonly [prefix: RegExp, ...lengths: number[]][] = [
  [/^4/, 13, 16, 19],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 16],
  [/^3[47]/, 15],
  [/^(?:6011|64[4-9]|65)/, 16, 17, 18, 19],
  [/^(?:30[0-5]|36|3[89])/, 14, 16, 19],
  [/^35(?:2[89]|[3-8])/, 16, 17, 18, 19],
  [/^(?:62|81)/, 16, 17, 18, 19],
  [/^220[0-4]/, 16, 17, 18, 19],
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, 16, 17, 18, 19],
]

/** The lengths of groups in which people write card numbers. */
const GROUPINGS = /^(?:1[3-9]|4 4 4 [1-4]|4 4 4 4 [1-3]|4 6 [45]|6 13|8 8)$/
const MOST_GROUPS = 5
const MOST_DIGITS = 19

/** Finds numbers of payment cards, whose last digit is a check digit. */
export const findCards = (text: string): Span[] =>
  [...text.matchAll(RUN)].flatMap((run) =>
    findInRun(run[0]).map(({ start, end }) => ({ start: start + run.index, end: end + run.index })),
  )

/** Finds card numbers in groups of digits, with which other numbers may stand in a row. */
function findInRun(run: string): Span[] {
  const groups = [...run.matchAll(GROUP)]
  const cards: Span[] = []
  for (let first = 0; first < groups.length; first += 1) {
    const last = findLast(groups.slice(first, first + MOST_GROUPS).map(([digits]) => digits))
    if (last < 0) continue
    const { index, 0: digits } = groups[first + last]!
    cards.push({ start: groups[first]!.index, end: index + digits.length })
    first += last
  }
  return cards
}

/** Returns the index of the last group of the longest card number at the beginning, -1 if there is none. */
function findLast(groups: readonly string[]): number {
  let digits = ''
  let longest = -1
  for (const [index, group] of groups.entries()) {
    digits += group
    if (digits.length > MOST_DIGITS) break
    const lengths = groups.slice(0, index + 1).map(({ length }) => length)
    if (GROUPINGS.test(lengths.join(' ')) && isCard(digits)) longest = index
  }
  return longest
}

const isCard = (digits: string): boolean =>
  ISSUERS.some(([prefix, ...lengths]) => lengths.includes(digits.length) && prefix.test(digits)) &&
  hasCheckDigit(digits)

/** True if the digits fulfill the Luhn formula. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place])
    const weighted = place % 2 === 1 ? digit * 2 : digit
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}
