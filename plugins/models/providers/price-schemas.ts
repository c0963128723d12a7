import { nullable, objectOf, pageQuery, rowOf, type TypeOf } from '#plugin-api'

/** An amount of money in the currency of its price. */
const amount = (description: string, example: number) =>
  ({ ...nullable({ type: 'number', minimum: 0 } as const), description, examples: [example] }) as const

const unitPrices = {
  image: amount('For a picture', 0.04),
  million_characters: amount('For a million characters that are spoken', 15),
  minute: amount('For a minute of audio that is transcribed', 0.006),
} as const
const unitNames = ['image', 'million_characters', 'minute'] as const

const amounts = {
  input: amount('For a million tokens that the model reads', 1.25),
  output: amount('For a million tokens that the model writes', 10),
  cache_read: amount('For a million tokens that are read from a cache of the provider', 0.125),
  cache_write: amount('For a million tokens that are written to a cache of the provider', 1.25),
  ...unitPrices,
} as const

/** The price of a model. */
export const price = {
  ...nullable({
    title: 'ModelPrice',
    ...rowOf(
      {
        ...amounts,
        currency: { type: 'string', examples: ['USD'] },
        as_of: { type: 'string', description: 'The date of the price', examples: ['2026-09-23'] },
      },
      unitNames,
    ),
  } as const),
  description:
    'The price of a million tokens, and of other units if they are paid; null, as each of its amounts, if unknown',
} as const

/** The price in the entry of a model. */
export const priceEntry = nullable(
  objectOf({
    ...amounts,
    currency: {
      type: 'string',
      pattern: '^[A-Z]{3}$',
      description: 'By default that of the server; a price in another one counts as unknown',
    },
    as_of: {
      type: 'string',
      maxLength: 32,
      description: 'Ignored: the date of a price is that of its entry',
    },
  }),
)

const model = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  // Ids of models may contain slashes.
  pattern: '^[^\\s\\p{Cc}]+$',
  description: '`<provider>:<model>`, or the id of a model, which is then meant at every provider',
  examples: ['openai:gpt-5'],
} as const

/** The path of a price. */
export const priceParams = rowOf({ model })

export const priceQuery = objectOf({
  ...pageQuery,
  q: { type: 'string', maxLength: 200, description: 'Words that the reference or the name contains' },
})

/** A price as an administrator sets it; amounts that are left out are unknown. */
export const priceBody = objectOf({
  ...amounts,
  currency: {
    type: 'string',
    pattern: '^[A-Z]{3}$',
    description: 'The currency of the server, which is the default',
    examples: ['USD'],
  },
  as_of: {
    type: 'string',
    format: 'date',
    description: 'The date of the price; today by default',
    examples: ['2026-09-23'],
  },
})

/** The price of a model with its source. */
export const priceRow = {
  title: 'ModelPriceRow',
  ...rowOf({
    model,
    name: {
      ...nullable({ type: 'string' } as const),
      description: 'Null if no provider of the server lists it',
      examples: ['GPT-5'],
    },
    price,
    source: {
      ...nullable({ enum: ['catalog', 'override', 'upstream'] } as const),
      description:
        '`override` was set here, `upstream` is what the provider says, `catalog` is the list of well-known models; null without a price',
      examples: ['catalog'],
    },
  }),
} as const

export type PriceRow = TypeOf<typeof priceRow>
