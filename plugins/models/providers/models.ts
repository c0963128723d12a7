import {
  AppError,
  MODEL_KINDS,
  type ModelDescription,
  type ModelKind,
  type ModelPrice,
  pageOf,
} from '#plugin-api'
import { applyLessons } from './lessons.ts'
import { kindOf } from './listed-models.ts'
import type { Cradle } from './manifest.ts'
import { OPENERS } from './media-defaults.ts'
import type { ModelOwner, ModelRow, Models, ProviderDocument } from './types.ts'
import { parseReference, SERVER, type Visible } from './visible-providers.ts'
import { readWholeAnswer } from './whole-answer.ts'

/** Creates the service that resolves `<provider>:<model>` for a user. */
export function createModels({
  config,
  collections,
  visibleProviders,
  modelCatalog,
  openedModels,
  prices,
  extensions,
}: Cradle): Models {
  const isUsable = ({ enabled, kind }: ProviderDocument, modelKind: ModelKind = 'chat') =>
    enabled && !!extensions['providers.kinds'].get(kind)?.[OPENERS[modelKind]]

  const findUsable = (find: Visible['find'], reference: string) => {
    const parsed = parseReference(reference)
    const provider = parsed && find(parsed.provider)
    if (!provider || !isUsable(provider)) return undefined
    return offers(provider.models, parsed.model) ? { provider, model: parsed.model } : undefined
  }

  async function assertListed(find: Visible['find'], reference: string): Promise<void> {
    const usable = findUsable(find, reference)
    if (!usable || !offers(await modelCatalog.waitForList(usable.provider), usable.model))
      throw new AppError('PROVIDER_NOT_VISIBLE', { model: reference })
  }

  return {
    first_token_ms: config.first_token_seconds * 1000,
    readWhole: readWholeAnswer,

    async list(user_id, { kind, q, ...page }) {
      const { providers } = await visibleProviders.of(user_id)
      const isOpened = (provider: ProviderDocument, model: ModelDescription) =>
        (kind === 'any' || kindOf(model) === kind) && isUsable(provider, kindOf(model))
      const lists = providers.map(async (provider) => {
        if (!MODEL_KINDS.some((modelKind) => isUsable(provider, modelKind))) return []
        const models = await modelCatalog.waitForList(provider)
        return models
          .filter((model) => model.enabled !== false && isOpened(provider, model))
          .map((model) => ({ provider, model }))
      })
      const words = q?.toLowerCase().split(/\s+/) ?? []
      const matches = (listed: ListedModel) => {
        const text = `${toReference(listed)} ${listed.model.name}`.toLowerCase()
        return words.every((word) => text.includes(word))
      }
      const { rows, next } = pageOf((await Promise.all(lists)).flat().filter(matches), toReference, page)
      const complete = ({ provider, model }: ListedModel) =>
        toRow(
          { provider, model: applyLessons(provider, modelCatalog.complete(provider, model)) },
          prices.findOverride(provider.name, model.id),
        )
      return { rows: rows.map(complete), next }
    },

    async active(user_id = SERVER) {
      const { active, findGlobal } = await visibleProviders.of(user_id)
      if (active === null || findUsable(findGlobal, active)) return { model: active }
      return { model: null, disabled_model: active }
    },

    async activate(model) {
      // All users share the active model, so it must belong to a global provider.
      const { findGlobal } = await visibleProviders.of(SERVER)
      await assertListed(findGlobal, model)
      await collections.model_settings.updateOne({ _id: 'active' }, { $set: { model } }, { upsert: true })
      visibleProviders.forget()
    },

    async assertUsable(reference, user_id) {
      const { find } = await visibleProviders.of(user_id)
      await assertListed(find, reference)
    },

    async open(chosen, user_id, agent) {
      const { findGlobal, active, ...visible } = await visibleProviders.of(user_id)
      const choice = chosen.find(Boolean)
      const lender =
        agent && agent.owner_id !== user_id && (!choice || isNamedBy(agent, choice)) ? agent.owner_id : null
      const ownersProviders = lender === null ? undefined : await visibleProviders.of(lender)
      const find = (name: string) => visible.find(name) ?? findLent(ownersProviders, name)
      const named = choice ?? (agent && findDefault(user_id, agent, find))
      const reference = named ?? active
      if (reference === null) throw new AppError('NO_MODEL')
      // The upstream's list is not consulted: it may omit models that work, and the upstream refuses those that do not.
      const usable =
        (named && findUsable(find, named)) ||
        // The active model is global, even for a user whose own provider has the same name.
        (reference === active && findUsable(findGlobal, active))
      if (!usable) throw new AppError('MODEL_DISABLED', { model: reference })
      const { provider, model } = usable
      const isLent = visible.findById(provider._id) === undefined
      return openedModels.open(provider, model, async () => {
        const { findById } = await visibleProviders.of(isLent ? lender! : user_id)
        if (!findById(provider._id)) throw new AppError('PROVIDER_NOT_VISIBLE', { model: reference })
      })
    },
  }
}

/** Returns an agent's default model for a user: other users cannot use a private provider of the agent's owner. */
function findDefault(
  user_id: string,
  { owner_id, default_model }: ModelOwner,
  find: Visible['find'],
): string | null {
  if (default_model === null || owner_id === user_id) return default_model
  return find(parseReference(default_model)?.provider ?? '') ? default_model : null
}

/** True if an agent names a model, as its own one or as a fallback. */
const isNamedBy = ({ default_model, config }: ModelOwner, reference: string): boolean =>
  reference === default_model ||
  (Array.isArray(config?.fallback_models) && config.fallback_models.includes(reference))

/** Finds a provider of the server that the owner of an agent may use; their own ones are for nobody else. */
function findLent(owners: Visible | undefined, name: string): ProviderDocument | undefined {
  const provider = owners?.find(name)
  return provider?.scope === 'global' ? provider : undefined
}

const isOffered = (model: ModelDescription, kind: ModelKind) =>
  model.enabled !== false && kindOf(model) === kind

/** True if a list contains this model and it can chat; an empty list excludes nothing. */
const offers = (models: readonly ModelDescription[], id: string) =>
  models.length === 0 || models.some((model) => model.id === id && isOffered(model, 'chat'))

interface ListedModel {
  provider: ProviderDocument
  model: ModelDescription
}

const toReference = ({ provider, model }: ListedModel) => `${provider.name}:${model.id}`

const toRow = ({ provider, model }: ListedModel, override: ModelPrice | undefined): ModelRow => ({
  id: toReference({ provider, model }),
  provider: provider.name,
  model: model.id,
  name: model.name,
  kind: provider.kind,
  model_kind: kindOf(model),
  context_window: model.context_window ?? null,
  max_output_tokens: model.max_output_tokens ?? null,
  input: model.input ?? null,
  tools: model.tools ?? null,
  reasoning: model.reasoning ?? null,
  price: override ?? model.price ?? null,
})
