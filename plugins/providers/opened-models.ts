import type { Cradle } from '#kernel'
import { explainFailure } from './explained-failure.ts'
import { toAppError } from './failure.ts'
import type { ProvidersConfig } from './first-start.ts'
import { meterCall } from './metered-call.ts'
import { streamModel } from './model-stream.ts'
import { createPace, type Pace } from './pace.ts'
import type { OpenedModel, ProviderDocument } from './types.ts'

const MAX_PROVIDERS = 500
const MAX_MODELS = 100

/** Opened models by provider and model, so that no client is made for each turn. */
export interface OpenedModels {
  open(provider: ProviderDocument, model: string): Promise<OpenedModel>
}

interface Store {
  revision: number
  models: Map<string, Promise<OpenedModel>>
  /** Outlives changes of the provider, since calls go on. */
  pace: Pace
}

/** Makes the store of opened models; a changed provider's are made anew. */
export function createOpenedModels({
  config,
  providerConnections,
  modelCatalog,
  events,
}: Cradle<ProvidersConfig>): OpenedModels {
  const stores = new Map<string, Store>()

  async function make(provider: ProviderDocument, modelId: string, pace: Pace): Promise<OpenedModel> {
    const connected = providerConnections.connect(provider)
    const { kind, connection } = connected
    const names = { provider: provider.name, model: modelId }
    const [model] = await Promise.all([
      kind.languageModel(connection, modelId),
      // So that its description is known from the first turn on.
      modelCatalog.list(provider),
    ])
    const places = provider.max_concurrency ?? config.max_concurrency
    const explain = (error: unknown) => explainFailure(error, kind)
    const reference = `${provider.name}:${modelId}`
    return {
      reference,
      stream: (call) =>
        meterCall(call, {
          model: reference,
          events,
          stream: (options) => streamModel({ model, options, pace, places, explain }),
        }),
      get description() {
        return modelCatalog.describe(provider, modelId)
      },
      explain: (error, locale) => toAppError(error, { ...names, connected, locale }),
    }
  }

  function storeOf({ _id, revision }: ProviderDocument): Store {
    const found = stores.get(_id)
    if (found?.revision === revision) return found
    stores.delete(_id)
    dropOldest(stores, MAX_PROVIDERS)
    const store = { revision, models: new Map(), pace: found?.pace ?? createPace() }
    stores.set(_id, store)
    return store
  }

  return {
    open(provider, modelId) {
      const { models, pace } = storeOf(provider)
      const found = models.get(modelId)
      if (found) return found
      dropOldest(models, MAX_MODELS)
      const opened = make(provider, modelId, pace)
      models.set(modelId, opened)
      opened.catch(() => models.delete(modelId))
      return opened
    },
  }
}

function dropOldest(map: Map<string, unknown>, limit: number): void {
  if (map.size >= limit) map.delete(map.keys().next().value!)
}
