import { AppError, type Cradle, type ModelDescription } from '#kernel'
import { parseReference } from './reference.ts'
import type { ModelRow, Models, ProviderDocument } from './types.ts'
import type { Visible } from './visible-providers.ts'

/** Makes the service that resolves `<provider>:<model>` for a user. */
export function createModels({
  collections,
  visibleProviders,
  modelCatalog,
  openedModels,
  registries,
}: Cradle): Models {
  const isUsable = ({ enabled, kind }: ProviderDocument) => enabled && !!registries.provider_kinds.get(kind)

  const findUsable = (find: Visible['find'], reference: string) => {
    const parsed = parseReference(reference)
    const provider = parsed && find(parsed.provider)
    if (!provider || !isUsable(provider)) return undefined
    return offers(provider.models, parsed.model) ? { provider, model: parsed.model } : undefined
  }

  async function assertListed(find: Visible['find'], reference: string): Promise<void> {
    const found = findUsable(find, reference)
    if (!found || !offers(await modelCatalog.waitForList(found.provider), found.model))
      throw new AppError('PROVIDER_NOT_VISIBLE', { model: reference })
  }

  return {
    async list(user_id) {
      const { providers } = await visibleProviders.of(user_id)
      const rows = providers.filter(isUsable).map(async (provider) => {
        const models = await modelCatalog.waitForList(provider)
        return models.filter(canChat).map((model) => toRow(provider, model))
      })
      return (await Promise.all(rows)).flat()
    },

    async active() {
      const settings = await collections.model_settings.findOne({ _id: 'active' })
      return settings?.model ?? null
    },

    async activate(model) {
      // Everybody uses it, so it must be everybody's.
      const { findGlobal } = await visibleProviders.of('')
      await assertListed(findGlobal, model)
      await collections.model_settings.updateOne({ _id: 'active' }, { $set: { model } }, { upsert: true })
      visibleProviders.forget()
    },

    async assertUsable(reference, user_id) {
      const { find } = await visibleProviders.of(user_id)
      await assertListed(find, reference)
    },

    async open(candidates, user_id) {
      const visible = await visibleProviders.of(user_id)
      // An upstream's list is not asked here: it may leave out names that work, and the upstream says so if one does not.
      for (const reference of candidates) {
        const found = reference && findUsable(visible.find, reference)
        if (found) return openedModels.open(found.provider, found.model)
      }
      const active = visible.active !== null && findUsable(visible.findGlobal, visible.active)
      if (!active) throw new AppError('NO_MODEL')
      return openedModels.open(active.provider, active.model)
    },
  }
}

const canChat = ({ enabled, embedding }: ModelDescription) => enabled !== false && embedding !== true

/** Whether a list has a model to chat with; an empty one says nothing. */
const offers = (models: readonly ModelDescription[], id: string) =>
  models.length === 0 || models.some((model) => model.id === id && canChat(model))

const toRow = (provider: ProviderDocument, model: ModelDescription): ModelRow => ({
  id: `${provider.name}:${model.id}`,
  provider: provider.name,
  model: model.id,
  name: model.name,
  kind: provider.kind,
  context_window: model.context_window ?? null,
  max_output_tokens: model.max_output_tokens ?? null,
  input: model.input ?? ['text'],
  reasoning: model.reasoning ?? false,
})
