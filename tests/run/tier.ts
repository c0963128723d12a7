/** True in `npm run test:long`, which runs only the files that import this module. */
export const isLong = process.env.SVC_TEST_TIER === 'long'

/** How many rounds, cases or kills a test takes: few and fixed in `npm test`, many in `npm run test:long`. */
export const amount = ({ short, long }: { short: number; long: number }): number => (isLong ? long : short)

/**
 * The seed of a test's random choices: `SVC_TEST_SEED` if it is set, a new one in the long tier, else `fixed`. Tests
 * say it in their names, so that what failed can be run again.
 */
export const seedOf = (fixed: number): number =>
  Number(process.env.SVC_TEST_SEED ?? (isLong ? Date.now() % 1_000_000 : fixed))

/** All of these in `npm run test:long`; in `npm test` the one whose turn it is at this place of a walk. */
export const inTurn = <Item>(items: readonly Item[], place: number): readonly Item[] =>
  isLong ? items : [items[place % items.length]!]
