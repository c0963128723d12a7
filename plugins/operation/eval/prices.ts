import type { Client, components } from '#client'
import { readReply } from './replies.ts'

type Price = NonNullable<components['schemas']['Model']['price']>
type Usage = components['schemas']['Usage']

/** The prices of models, by `<provider>:<model>`. */
export type Prices = ReadonlyMap<string, Price>

const MILLION = 1_000_000

/** Reads the prices of the models that an account can use. */
export async function readPrices(client: Client): Promise<Prices> {
  const prices = new Map<string, Price>()
  let cursor: string | undefined
  do {
    const params = { query: { limit: 200, ...(cursor && { cursor }) } }
    const { rows, next } = await readReply(client.GET('/models', { params }))
    for (const { id, price } of rows) if (price) prices.set(id, price)
    cursor = next
  } while (cursor !== undefined)
  return prices
}

/** Returns the cost of one model call in US dollars; null if the price of the model is unknown, or in another currency. */
export function costOf(
  prices: Prices,
  model: string,
  { input_tokens, output_tokens, cached_input_tokens: cached = 0 }: Usage,
): number | null {
  const price = prices.get(model)
  if (price?.currency !== 'USD' || price.input === null || price.output === null) return null
  const read = (input_tokens - cached) * price.input + cached * (price.cache_read ?? price.input)
  return (read + output_tokens * price.output) / MILLION
}
