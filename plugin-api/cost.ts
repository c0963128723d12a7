import { nullable, rowOf } from '#kernel'

/** An amount of money; `currency` is an ISO 4217 code. */
export interface Cost {
  amount: number
  currency: string
}

/** The schema of a cost; null if no price is known. */
export const costRow = nullable({
  title: 'Cost',
  ...rowOf({
    amount: { type: 'number', minimum: 0, examples: [0.0123] },
    currency: { type: 'string', description: 'An ISO 4217 code', examples: ['USD'] },
  }),
} as const)

/** The precision of amounts, in parts of one unit of a currency: a token of a cheap model costs tens of billionths. */
const PARTS = 1_000_000_000

/** Returns an amount in whole billionths, which add up exactly. */
export const toBillionths = (amount: number): number => Math.round(amount * PARTS)

/** Returns an amount of billionths in units of its currency. */
export const fromBillionths = (billionths: number): number => billionths / PARTS

/** Adds two costs, of which either may be unknown; of two currencies, the newer one counts. */
export function addCost(
  one: Cost | null | undefined,
  other: Cost | null | undefined,
): Cost | null | undefined {
  if (!one || !other) return one || other || (one === null ? null : other)
  if (one.currency !== other.currency) return other
  const amount = fromBillionths(toBillionths(one.amount) + toBillionths(other.amount))
  return { amount, currency: one.currency }
}
