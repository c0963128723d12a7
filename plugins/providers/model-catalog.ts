import { setTimeout as pause } from 'node:timers/promises'
import type { Cradle, ModelDescription } from '#kernel'
import type { ProviderDocument } from './types.ts'

/** Milliseconds that a list of an upstream's models stays good, and that a failure is not tried again. */
const VALIDITY = 5 * 60_000
const FAILURE_VALIDITY = 30_000

/** Milliseconds that an upstream has to list its models, and that the first who asks waits for it. */
const LIMIT = 15_000
const PATIENCE = 2000

const MAX_PROVIDERS = 500

/** The models of providers: as entered, or as the upstream lists them. */
export interface ModelCatalog {
  /** All models, embedding ones included; waits for the upstream only the first time, and not for long. */
  list(provider: ProviderDocument): Promise<readonly ModelDescription[]>
  /** The description of one model, as far as it is known without asking. */
  describe(provider: ProviderDocument, model: string): ModelDescription
}

interface Entry {
  revision: number
  models: readonly ModelDescription[]
  until: number
  loading: Promise<void> | undefined
}

/** Makes the catalog; lists that upstreams give are kept in memory. */
export function createModelCatalog({ providerConnections, clock, log }: Cradle): ModelCatalog {
  const entries = new Map<string, Entry>()

  async function load(provider: ProviderDocument, entry: Entry): Promise<void> {
    try {
      const kind = providerConnections.kindOf(provider.kind)
      entry.models = await kind.listModels(providerConnections.connect(provider), AbortSignal.timeout(LIMIT))
      entry.until = clock.now() + VALIDITY
    } catch (error) {
      entry.until = clock.now() + FAILURE_VALIDITY
      log.warn({ error, provider: provider.name, provider_id: provider._id }, 'the models cannot be listed')
    } finally {
      entry.loading = undefined
    }
  }

  return {
    async list(provider) {
      if (provider.models.length > 0) return provider.models
      const known = entries.get(provider._id)
      if (known?.revision === provider.revision) {
        if (known.until <= clock.now()) known.loading ??= load(provider, known)
        return known.models
      }
      if (entries.size >= MAX_PROVIDERS) entries.delete(entries.keys().next().value!)
      const entry: Entry = { revision: provider.revision, models: [], until: 0, loading: undefined }
      entries.set(provider._id, entry)
      entry.loading = load(provider, entry)
      await Promise.race([entry.loading, pause(PATIENCE, undefined, { ref: false })])
      return entry.models
    },
    describe(provider, model) {
      const listed = provider.models.length > 0 ? provider.models : entries.get(provider._id)?.models
      return listed?.find(({ id }) => id === model) ?? { id: model, name: model }
    },
  }
}
