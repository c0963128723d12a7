import type { Cradle } from '#kernel'
import { explainFailure } from './failure.ts'
import type { OpenedModel, ProviderDocument } from './types.ts'

const MAX_PROVIDERS = 500
const MAX_MODELS = 100

/** Opened models by provider and model, so that no client is made for each turn. */
export interface OpenedModels {
  open(provider: ProviderDocument, model: string): Promise<OpenedModel>
}

/** Makes the store of opened models; a changed provider's are made anew. */
export function createOpenedModels({ providerConnections, modelCatalog }: Cradle): OpenedModels {
  const stores = new Map<string, { revision: number; models: Map<string, Promise<OpenedModel>> }>()

  async function make(provider: ProviderDocument, modelId: string): Promise<OpenedModel> {
    const kind = providerConnections.kindOf(provider.kind)
    const connection = providerConnections.connect(provider)
    const names = { provider: provider.name, model: modelId }
    return {
      reference: `${provider.name}:${modelId}`,
      model: await kind.languageModel(connection, modelId),
      get description() {
        return modelCatalog.describe(provider, modelId)
      },
      explain: (error, locale) =>
        explainFailure(error, { ...names, kind, secret: connection.api_key, locale }),
    }
  }

  function storeOf({ _id, revision }: ProviderDocument): Map<string, Promise<OpenedModel>> {
    const found = stores.get(_id)
    if (found?.revision === revision) return found.models
    dropOldest(stores, MAX_PROVIDERS)
    const models = new Map<string, Promise<OpenedModel>>()
    stores.set(_id, { revision, models })
    return models
  }

  return {
    open(provider, modelId) {
      const models = storeOf(provider)
      const found = models.get(modelId)
      if (found) return found
      dropOldest(models, MAX_MODELS)
      const opened = make(provider, modelId)
      models.set(modelId, opened)
      opened.catch(() => models.delete(modelId))
      return opened
    },
  }
}

function dropOldest(map: Map<string, unknown>, limit: number): void {
  if (map.size >= limit) map.delete(map.keys().next().value!)
}
