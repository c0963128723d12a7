/** True in `npm run test:long`, which runs only the files that import this module, themselves or through `support`. */
export const isLong = process.env.SVC_TEST_TIER === 'long'

export const LONG_TIER = 'in npm run test:long'

/** The reason to skip tests that only the long tier runs, or false. */
export const onlyLong: string | false = isLong ? false : LONG_TIER

/** The number of rounds, cases or kills of a test: few and fixed in `npm test`, many in `npm run test:long`. */
export const amount = ({ short, long }: { short: number; long: number }): number => (isLong ? long : short)

/**
 * Returns the seed of a test's random choices: `SVC_TEST_SEED` if it is set, a new seed in the long tier, else
 * `fixed`. Tests print it in their titles, so that a failed run can be repeated.
 */
export const chooseSeed = (fixed: number): number =>
  Number(process.env.SVC_TEST_SEED ?? (isLong ? Date.now() % 1_000_000 : fixed))

/** Returns all items in `npm run test:long`, and in `npm test` only one, chosen by the index of a round. */
export const roundRobin = <Item>(items: readonly Item[], round: number): readonly Item[] =>
  isLong ? items : [items[round % items.length]!]

/** Returns all items in `npm run test:long`, and in `npm test` the given number, at equal distances in the list. */
export function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  const stepOf = (index: number) => Math.floor((index * count) / items.length)
  return isLong ? items : items.filter((_, index) => stepOf(index + 1) > stepOf(index))
}
