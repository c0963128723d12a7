import { AppError, createRecentValues, type ModelDescription, type ProviderKind } from '#plugin-api'
import { kindOf } from './listed-models.ts'
import type { Cradle } from './manifest.ts'
import type { MediaKind, ModelDefaultDocument, ProviderDocument } from './types.ts'
import { parseReference, SERVER } from './visible-providers.ts'

/** The kinds of models of which the server uses one. */
const MEDIA_KINDS = ['image', 'speech', 'transcription', 'rerank'] as const satisfies MediaKind[]

/** The method of a provider kind that opens its models of a kind. */
export const METHODS = {
  image: 'imageModel',
  speech: 'speechModel',
  transcription: 'transcriptionModel',
  rerank: 'rerankingModel',
} as const satisfies Record<MediaKind, keyof ProviderKind>

/** The methods of a provider kind by the kind of the models that they open. */
export const OPENERS = { chat: 'languageModel', embedding: 'embeddingModel', ...METHODS } as const

/** The chosen models as a client sees them; `disabled` names those that cannot be used now. */
export type MediaDefaultsRow = Record<MediaKind, string | null> & {
  disabled?: Partial<Record<MediaKind, string>>
}

/** A usable model of a provider of the server. */
export interface UsableModel {
  provider: ProviderDocument
  /** Its id at the provider. */
  model: string
  name: string
}

/** The models of other kinds that the server uses. */
export type MediaDefaults = ReturnType<typeof createMediaDefaults>

/** Creates the service. */
export function createMediaDefaults({ collections, extensions, modelCatalog, visibleProviders }: Cradle) {
  const { model_defaults } = collections
  // Each turn asks whether there is a model that draws.
  const recent = createRecentValues(
    async ([key = '']) => new Map([[key, await model_defaults.find().toArray()]]),
  )
  const readChoices = async (): Promise<ModelDefaultDocument[]> => (await recent.get('all')) ?? []

  const isUsable = (provider: ProviderDocument | undefined, kind: MediaKind): provider is ProviderDocument =>
    provider?.enabled === true && !!extensions['providers.kinds'].get(provider.kind)?.[METHODS[kind]]

  const findOffered = async (
    provider: ProviderDocument | undefined,
    { kind, model }: { kind: MediaKind; model: string },
  ): Promise<UsableModel | undefined> => {
    if (!isUsable(provider, kind)) return undefined
    const models = await modelCatalog.waitForList(provider)
    const listed = models.find(({ id }) => id === model)
    // An upstream that lists nothing excludes nothing.
    if (models.length > 0 && !(listed && isOffered(listed, kind))) return undefined
    return { provider, model, name: listed?.name ?? model }
  }

  const findUsable = async (
    { _id: kind, provider_id, model }: ModelDefaultDocument,
    user_id: string,
  ): Promise<UsableModel | undefined> => {
    const { findById } = await visibleProviders.of(user_id)
    return findOffered(findById(provider_id), { kind, model })
  }

  const isHidden = async ({ provider_id }: ModelDefaultDocument, user_id: string): Promise<boolean> => {
    const [all, own] = await Promise.all([visibleProviders.of(SERVER), visibleProviders.of(user_id)])
    return all.findById(provider_id) !== undefined && !own.findById(provider_id)
  }

  return {
    /**
     * Returns the model that the server uses for a kind; undefined if none is chosen, or if it cannot be used now or by
     * this account.
     */
    async find(kind: MediaKind, user_id: string = SERVER): Promise<UsableModel | undefined> {
      const chosen = (await readChoices()).find(({ _id }) => _id === kind)
      return chosen ? findUsable(chosen, user_id) : undefined
    },

    /** Reads all choices, or those that an account may use. */
    async read(user_id: string = SERVER): Promise<MediaDefaultsRow> {
      const row: MediaDefaultsRow = { image: null, speech: null, transcription: null, rerank: null }
      for (const chosen of await readChoices()) {
        const usable = await findUsable(chosen, user_id)
        if (usable) row[chosen._id] = `${usable.provider.name}:${usable.model}`
        else if (!(await isHidden(chosen, user_id)))
          row.disabled = { ...row.disabled, [chosen._id]: chosen.reference }
      }
      return row
    },

    /** Changes choices; null removes one. Throws MODEL_NOT_SUITABLE before anything is changed. */
    async change(choices: Partial<Record<MediaKind, string | null>>): Promise<void> {
      const { findGlobal } = await visibleProviders.of(SERVER)
      const changes: (ModelDefaultDocument | MediaKind)[] = []
      for (const kind of MEDIA_KINDS) {
        const reference = choices[kind]
        if (reference === undefined) continue
        if (reference === null) {
          changes.push(kind)
          continue
        }
        const parsed = parseReference(reference)
        const usable =
          parsed && (await findOffered(findGlobal(parsed.provider), { kind, model: parsed.model }))
        if (!usable) throw new AppError('MODEL_NOT_SUITABLE', { model: reference, model_kind: kind })
        changes.push({ _id: kind, provider_id: usable.provider._id, model: usable.model, reference })
      }
      for (const change of changes)
        if (typeof change === 'string') await model_defaults.deleteOne({ _id: change })
        else await model_defaults.replaceOne({ _id: change._id }, change, { upsert: true })
      recent.drop()
    },
  }
}

const isOffered = (model: ModelDescription, kind: MediaKind) =>
  model.enabled !== false && kindOf(model) === kind
