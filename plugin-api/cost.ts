import { nullable, objectOf, rowOf } from '#kernel'

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

const budgetWindow = { title: 'BudgetWindow', enum: ['day', 'week', 'month'] } as const
const money = { type: 'number', minimum: 0 } as const

/** The schema of the state of a budget. */
export const budgetState = {
  title: 'BudgetState',
  ...rowOf({
    amount: { ...money, description: 'The money that may be spent in a window', examples: [20] },
    window: budgetWindow,
    currency: { type: 'string', description: 'The currency of the server', examples: ['USD'] },
    spent: { ...money, description: 'Spent in the current window', examples: [3.21] },
    reserved: { ...money, description: 'Reserved for running calls', examples: [0] },
    remaining: { ...money, description: 'The unspent part', examples: [16.79] },
    resets_at: {
      type: 'integer',
      description: 'The end of the current window in Unix seconds',
      examples: [1_767_229_200],
    },
    scope: {
      title: 'BudgetScope',
      enum: ['account', 'group', 'server'],
      description: 'Whose budget it is: that of the account itself, of one of its groups, or of the server',
    },
  }),
} as const

/** The schema of a budget; null for no limit. */
export const budgetRow = nullable({
  title: 'Budget',
  ...objectOf(
    {
      amount: { type: 'number', minimum: 0, maximum: 1_000_000, examples: [20] },
      window: {
        ...budgetWindow,
        description: 'Begins at midnight, on Monday, or on the first of the month',
      },
    },
    ['amount', 'window'],
  ),
} as const)

/** The schema of a time zone. */
export const timeZone = {
  type: 'string',
  format: 'timezone',
  maxLength: 64,
  description: 'The IANA name of a time zone',
  examples: ['Europe/Berlin'],
} as const

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
