import { type ModelPrice as CatalogPrice, calcPrice, findProvider } from '@pydantic/genai-prices'
import type { ModelPrice } from '#plugin-api'

/** The date of the installed version of the catalog; a test compares the version. */
const AS_OF = '2026-09-23'

/** The window of a model at a host, and its price: that of short prompts, if it rises with their length. */
export interface HostFacts {
  context_window?: number
  price?: ModelPrice
}

/** Finds a model at an address; undefined for hosts and models that the catalog does not have. */
export function findHostFacts(url: string, id: string): HostFacts | undefined {
  const providerId = findProvider({ providerApiUrl: url })?.id
  if (providerId === undefined) return undefined
  // An inference profile may be named by an ARN, which ends in its id.
  const entry = calcPrice({}, id.startsWith('arn:') ? id.slice(id.lastIndexOf('/') + 1) : id, { providerId })
  if (!entry) return undefined
  const { context_window } = entry.model
  return { ...(context_window && { context_window }), ...toPrice(entry.model_price) }
}

function toPrice(amounts: CatalogPrice): Pick<HostFacts, 'price'> {
  const read = (name: string) => {
    const amount = amounts[name]
    return (typeof amount === 'object' ? amount.base : amount) ?? null
  }
  const [input, output] = [read('input_mtok'), read('output_mtok')]
  if (input === null && output === null) return {}
  const [cache_read, cache_write] = [read('cache_read_mtok'), read('cache_write_mtok')]
  return { price: { input, output, cache_read, cache_write, currency: 'USD', as_of: AS_OF } }
}
