import type { ModelCallOptions, ModelDescription } from '#plugin-api'
import { explainFailure } from './explained-failure.ts'
import { toAppError } from './failure.ts'
import { createLessons, storeLesson } from './lessons.ts'
import type { Cradle } from './manifest.ts'
import { createCallMeter } from './metered-call.ts'
import { streamModel } from './model-stream.ts'
import { createPace, type Pace } from './pace.ts'
import type { ModelCall, ModelPart, OpenedModel, ProviderDocument } from './types.ts'

const MAX_PROVIDERS = 500
const MAX_MODELS = 100

/** Throws if an account may no longer use a model. */
type Admission = () => Promise<void>

/** A model that several accounts use. */
interface SharedModel extends OpenedModel {
  stream(call: ModelCall, admit?: Admission): AsyncIterable<ModelPart>
}

interface Store {
  revision: number
  models: Map<string, Promise<SharedModel>>
  /** Kept when the provider changes, since its calls continue. */
  pace: Pace
}

/** The opened models by provider and model, so that turns share their clients. */
export type OpenedModels = ReturnType<typeof createOpenedModels>

/** Creates the store of opened models; the models of a changed provider are opened again. */
export function createOpenedModels({
  config,
  providerConnections,
  modelCatalog,
  prices,
  events,
  extensions,
  collections,
  visibleProviders,
  log,
}: Cradle) {
  const stores = new Map<string, Store>()

  async function openModel(provider: ProviderDocument, modelId: string, pace: Pace): Promise<SharedModel> {
    const connected = providerConnections.connect(provider)
    const { kind, connection } = connected
    const names = { provider: provider.name, model: modelId }
    const [model] = await Promise.all([
      kind.languageModel!(connection, modelId),
      // Loads the list, so that the model's description is known from the first turn.
      modelCatalog.list(provider),
    ])
    const maxConcurrency = provider.max_concurrency ?? config.max_concurrency
    const explain = (error: unknown) => explainFailure(error, kind)
    const reference = `${provider.name}:${modelId}`
    const learned =
      provider.learned?.flatMap(({ model, change }) => (model === modelId ? [change] : [])) ?? []
    const lessons = createLessons(kind, learned, (change) => {
      storeLesson(provider, { model: modelId, change }, { collections, visibleProviders, log }).catch(
        (error) => log.error({ error, provider_id: provider._id }, 'a lesson could not be stored'),
      )
    })
    const describe = (): ModelDescription => {
      const description = modelCatalog.describe(provider, modelId)
      return lessons.withoutPictures ? { ...description, input: ['text'] } : description
    }
    const describeAdapted = () =>
      ({ type: 'notice', code: 'PICTURES_NOT_SEEN', details: { model: reference } }) as const
    return {
      reference,
      stream: (call, admit) =>
        streamModel({
          model,
          admit,
          meter: createCallMeter(call, {
            model: reference,
            price: prices.of(provider, modelId),
            currency: prices.currency,
            provider: { name: provider.name, kind: provider.kind, scope: provider.scope },
            events,
            extensions,
          }),
          adapt: (options) => lessons.begin(adaptOptions(options, describe())),
          pace,
          account_id: call.account.user_id,
          maxConcurrency,
          explain,
          describeAdapted,
        }),
      get description() {
        return describe()
      },
      limits: kind.limits ?? {},
      explain: (error, locale) => toAppError(error, { ...names, connected, locale }),
    }
  }

  function ensureStore({ _id, revision }: ProviderDocument): Store {
    const existing = stores.get(_id)
    if (existing?.revision === revision) return existing
    stores.delete(_id)
    dropOldest(stores, MAX_PROVIDERS)
    const store = { revision, models: new Map(), pace: existing?.pace ?? createPace() }
    stores.set(_id, store)
    return store
  }

  const openShared = (provider: ProviderDocument, modelId: string): Promise<SharedModel> => {
    const { models, pace } = ensureStore(provider)
    const existing = models.get(modelId)
    if (existing) return existing
    dropOldest(models, MAX_MODELS)
    const opened = openModel(provider, modelId, pace)
    models.set(modelId, opened)
    opened.catch(() => models.delete(modelId))
    return opened
  }

  return {
    /** Returns the pace that all calls of a provider share. */
    paceOf: (provider: ProviderDocument): Pace => ensureStore(provider).pace,
    /** Counts the calls to all providers that run in this process, and those that wait. */
    count(): { running: number; waiting: number } {
      const all = [...stores.values()].map(({ pace }) => pace.counts)
      return {
        running: all.reduce((sum, { running }) => sum + running, 0),
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
      }
    },
    /** Opens a model; `admit` is asked before each of its calls. */
    async open(provider: ProviderDocument, modelId: string, admit: Admission): Promise<OpenedModel> {
      const opened = await openShared(provider, modelId)
      const { reference, limits, explain } = opened
      return {
        reference,
        limits,
        explain,
        get description() {
          return opened.description
        },
        stream: (call) => opened.stream(call, admit),
      }
    },
  }
}

/** Removes the reasoning level for a model that cannot reason, since some upstreams would refuse the call. */
const adaptOptions = (options: ModelCallOptions, { reasoning }: ModelDescription): ModelCallOptions =>
  reasoning === false ? { ...options, reasoning: undefined } : options

function dropOldest(map: Map<string, unknown>, limit: number): void {
  if (map.size >= limit) map.delete(map.keys().next().value!)
}
