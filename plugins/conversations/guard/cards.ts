import type { Span } from './rules.ts'

/** At least 13 digits, alone or in groups, that are not a part of a word or of a fraction. */
const RUN = /(?<![\w.])\d(?:[ \u00a0-]?\d){12,}(?!\w)/g
const GROUP = /\d+/g

/** The beginnings of card numbers, with their lengths. */
const ISSUERS: readonly [prefix: RegExp, digitCounts: readonly number[]][] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65)/, [16, 17, 18, 19]],
  [/^(?:30[0-5]|36|3[89])/, [14, 16, 19]],
  [/^35(?:2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^(?:62|81)/, [16, 17, 18, 19]],
  [/^220[0-4]/, [16, 17, 18, 19]],
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [16, 17, 18, 19]],
]

/** The lengths of groups in which people write card numbers, by the length of the first group. */
const GROUPINGS: Readonly<Record<number, readonly (readonly number[])[]>> = {
  4: [
    [4, 4, 4, 4, 3],
    [4, 4, 4, 4, 2],
    [4, 4, 4, 4, 1],
    [4, 4, 4, 4],
    [4, 4, 4, 3],
    [4, 4, 4, 2],
    [4, 4, 4, 1],
    [4, 6, 5],
    [4, 6, 4],
  ],
  6: [[6, 13]],
  8: [[8, 8]],
}
const LEAST_DIGITS = 13

/** Finds numbers of payment cards, whose last digit is a check digit. */
export const findCards = (text: string): Span[] =>
  [...text.matchAll(RUN)].flatMap((run) =>
    findInRun(run[0]).map(({ start, end }) => ({ start: start + run.index, end: end + run.index })),
  )

/** Finds card numbers in groups of digits, which may be in a row with other numbers. */
function findInRun(run: string): Span[] {
  const groups = run.match(GROUP)!
  const cards: Span[] = []
  let start = 0
  let first = 0
  while (first < groups.length) {
    const count = countGroups(groups, first)
    const end = start + groups.slice(first, first + count).join(' ').length
    if (count > 0) cards.push({ start, end })
    const passed = count || 1
    for (const group of groups.slice(first, first + passed)) start += group.length + 1
    first += passed
  }
  return cards
}

/** Counts the groups of the longest card number that begins with a group; 0 if there is none. */
function countGroups(groups: readonly string[], first: number): number {
  const group = groups[first]!
  const groupings = group.length < LEAST_DIGITS ? GROUPINGS[group.length] : [[group.length]]
  const digitCounts = groupings && ISSUERS.find(([prefix]) => prefix.test(group))?.[1]
  const grouping =
    digitCounts &&
    groupings.find((lengths) => {
      const hasLengths = lengths.every((length, index) => groups[first + index]?.length === length)
      if (!hasLengths || !digitCounts.includes(lengths.reduce((sum, length) => sum + length))) return false
      return hasCheckDigit(groups.slice(first, first + lengths.length).join(''))
    })
  return grouping?.length ?? 0
}

const ZERO = '0'.charCodeAt(0)

/** True if the digits fulfill the Luhn formula. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - ZERO
    const weighted = index % 2 === 1 ? digit * 2 : digit
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}
