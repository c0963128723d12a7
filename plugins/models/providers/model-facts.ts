import type { ModelDescription } from '#plugin-api'
import type { findVendorFacts } from './catalog-models.ts'
import type { findHostFacts } from './catalog-prices.ts'
import { kindOf } from './listed-models.ts'
import type { Cradle } from './manifest.ts'
import type { ProviderDocument } from './types.ts'

/** The most models whose facts are in memory. */
const MAX_MODELS = 5000

/** The address of Amazon Bedrock, whose providers name a region instead. */
const BEDROCK_URL = 'https://bedrock-runtime.us-east-1.amazonaws.com'

type Facts = Omit<ModelDescription, 'id' | 'name'>

interface Catalogs {
  findVendorFacts: typeof findVendorFacts
  findHostFacts: typeof findHostFacts
}

/** The facts about well-known models, from the packages that collect them. */
export type ModelFacts = ReturnType<typeof createModelFacts>

/** Creates the service. */
export function createModelFacts({ extensions }: Pick<Cradle, 'extensions'>) {
  let catalogs: Catalogs | undefined
  let loading: Promise<void> | undefined
  const factsByModel = new Map<string, Facts>()

  async function importCatalogs(): Promise<void> {
    const [models, prices] = await Promise.all([import('./catalog-models.ts'), import('./catalog-prices.ts')])
    catalogs = { ...models, ...prices }
  }

  function findAddress({ kind, base_url }: ProviderDocument): string | undefined {
    const defaultURL =
      kind === 'bedrock' ? BEDROCK_URL : extensions['providers.kinds'].get(kind)?.default_base_url
    const url = base_url ?? defaultURL
    return url !== undefined && URL.canParse(url) ? url : undefined
  }

  function ensureFacts(url: string, model: ModelDescription, { findVendorFacts, findHostFacts }: Catalogs) {
    const key = JSON.stringify([url, model.id, kindOf(model), !model.price])
    const storedFacts = factsByModel.get(key)
    if (storedFacts) return storedFacts
    if (factsByModel.size >= MAX_MODELS) factsByModel.clear()
    const facts: Facts = {
      // An upstream that says its prices says the rest as well, and the search takes long.
      ...(!model.price && findHostFacts(url, model.id)),
      ...(kindOf(model) === 'chat' && findVendorFacts(url, model.id)),
    }
    factsByModel.set(key, facts)
    return facts
  }

  return {
    /** Loads the packages, which take megabytes of memory, unless the provider has no address. */
    async load(provider: ProviderDocument): Promise<void> {
      if (findAddress(provider) === undefined) return
      loading ??= importCatalogs()
      await loading
    },
    /** Adds what neither the provider nor its list says of a model; what they say stays. Adds nothing before `load`. */
    complete(provider: ProviderDocument, model: ModelDescription): ModelDescription {
      const url = findAddress(provider)
      if (!catalogs || url === undefined) return model
      const { max_output_tokens: most, ...facts } = ensureFacts(url, model, catalogs)
      const completed = { ...facts, ...model }
      // The upstream may offer the model with a smaller window, which then has no room for its longest answer.
      const fits = most !== undefined && most < (completed.context_window ?? 0)
      return { ...(fits && { max_output_tokens: most }), ...completed }
    },
  }
}
