import {
  AppError,
  type Conditional,
  findPage,
  isDuplicateKey,
  type Locale,
  MODEL_KINDS,
  type ModelDescription,
  type Page,
  type PageRequest,
  placeOf,
  requireUnchanged,
  secretsElsewhere,
  showManaged,
  type TypeOf,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import { openSecretOptions, replaceOptions, sealOptions } from './connections.ts'
import { describeLessons, keepLessons } from './lessons.ts'
import { kindOf, readPrice } from './listed-models.ts'
import type { Cradle } from './manifest.ts'
import { OPENERS } from './media-defaults.ts'
import { lentTo, usableBy } from './provider-access.ts'
import type { kindRow, listedModel, newProvider, providerChanges, providerRow } from './schemas.ts'
import type { ProviderDocument } from './types.ts'
import { parseReference } from './visible-providers.ts'

/** Small enough for several providers on one page of a list. */
const MAX_MODELS_BYTES = 256 * 1024

export type NewProvider = TypeOf<typeof newProvider>
/** A provider that is not stored, so that it needs no name. */
export type ProviderDraft = Omit<NewProvider, 'name'> & { name?: string }
export type ProviderChanges = TypeOf<typeof providerChanges>
export type ProviderRow = TypeOf<typeof providerRow>
export type KindRow = TypeOf<typeof kindRow>

/** The owner of providers: a user, or null for the global ones. */
export type Holder = Pick<AuthCaller, 'id' | 'username' | 'role' | 'groups'> | null

/** The fields that the entity tag of a provider is made from. */
export const providerFields = ['revision'] as const

/** The providers as their owners see and change them. */
export type Providers = ReturnType<typeof createProviders>

/** Creates the service. When a provider is named, its name must be unique among those that the user sees. */
export function createProviders({
  collections,
  clock,
  guardedFetch,
  ids,
  limits,
  modelCatalog,
  prices,
  providerConnections,
  extensions,
  secrets,
  visibleProviders,
}: Cradle) {
  const { providers } = collections
  const ownedBy = (holder: Holder) => ({ owner_id: holder?.id ?? null })
  const visibleTo = (holder: Holder) => (holder ? usableBy(holder) : ownedBy(null))

  async function findOwn(holder: Holder, id: string): Promise<ProviderDocument> {
    const provider = await providers.findOne({ _id: id, ...ownedBy(holder) })
    if (provider) return provider
    if (holder && (await providers.countDocuments({ _id: id, ...lentTo(holder) })) > 0)
      throw new AppError('FORBIDDEN')
    throw new AppError('NOT_FOUND')
  }

  /**
   * A global provider that is created or shared later may have the name of a user's own provider, which still takes
   * precedence for that user.
   */
  async function assertNameFree(holder: Holder, name: string): Promise<void> {
    if (holder && (await providers.countDocuments({ name, ...lentTo(holder) })) > 0)
      throw new AppError('PROVIDER_NAME_TAKEN', { name })
  }

  async function assertUnreferenced({ name, scope, owner_id }: ProviderDocument): Promise<void> {
    const users: Record<string, unknown> = {}
    const active = await collections.model_settings.findOne({ _id: 'active' })
    if (scope === 'global' && active && parseReference(active.model)?.provider === name)
      users.active_model = active.model
    Object.assign(users, ...(await extensions['providers.references'].ask({ name, scope, owner_id })))
    if (Object.keys(users).length > 0) throw new AppError('PROVIDER_REFERENCED', { name, ...users })
  }

  async function checkAddress(holder: Holder, kindName: string, base_url: string | null): Promise<void> {
    const kind = providerConnections.findKind(kindName)
    const address = base_url ?? kind.default_base_url
    if (address === undefined) {
      if (!kind.requires_base_url) return
      throw invalid('/base_url', 'required', `is required for providers of kind ${kind.kind}`)
    }
    if (!isTrusted(holder)) await guardedFetch.assertAllowed(address)
  }

  /** Throws VALIDATION_FAILED for secrets that stay as they are while the address changes. */
  function assertSecretsStay(old: ProviderDocument, { base_url, api_key, options }: ProviderChanges): void {
    const kind = providerConnections.findKind(old.kind)
    const toPlace = (url: string | null | undefined) => placeOf(url ?? kind.default_base_url)
    if (toPlace(base_url) === toPlace(old.base_url)) return
    const unchangedNames = Object.keys(openSecretOptions(old, secrets)).filter(
      (name) => options?.[name] === undefined,
    )
    const paths = unchangedNames.map((name) => `/options/${name}`)
    if (old.api_key !== null && api_key === undefined) paths.push('/api_key')
    if (paths.length > 0) throw secretsElsewhere(paths)
  }

  const save = async (name: string, write: Promise<ProviderDocument | null>) => {
    try {
      return await write
    } catch (error) {
      if (isDuplicateKey(error)) throw new AppError('PROVIDER_NAME_TAKEN', { name })
      throw error
    } finally {
      visibleProviders.forget()
    }
  }

  const draft = async (holder: Holder, body: ProviderDraft): Promise<ProviderDocument> => {
    const { name = '', kind, base_url = null, api_key = null, models = [], options = {} } = body
    await checkAddress(holder, kind, base_url)
    const id = ids.make()
    const now = clock.seconds()
    return {
      _id: id,
      name,
      kind,
      scope: holder ? 'user' : 'global',
      ...ownedBy(holder),
      is_trusted: isTrusted(holder),
      base_url,
      api_key: api_key === null ? null : secrets.seal(api_key, `provider:${id}`),
      models: toModels(models, now, prices.currency),
      ...sealOptions(id, options, providerConnections.findKind(kind), secrets),
      max_concurrency: body.max_concurrency ?? null,
      enabled: body.enabled ?? true,
      revision: 1,
      created_at: now,
      updated_at: now,
    }
  }

  return {
    kinds: (locale: Locale): KindRow[] =>
      extensions['providers.kinds'].list().map((kind) => ({
        kind: kind.kind,
        label: kind.label[locale],
        config_schema: kind.config_schema,
        embedding: kind.embeddingModel !== undefined,
        model_kinds: MODEL_KINDS.filter((modelKind) => kind[OPENERS[modelKind]] !== undefined),
        default_base_url: kind.default_base_url ?? null,
      })),

    /** Lists a user's own and then the global ones that they may use, or all of the latter, by name. Throws VALIDATION_FAILED for an unknown cursor. */
    async list(holder: Holder, page: PageRequest, locale: Locale): Promise<Page<ProviderRow>> {
      const parts = holder ? [ownedBy(holder), lentTo(holder)] : [ownedBy(null)]
      const show = (provider: ProviderDocument) => toProviderRow(provider, holder, { locale, extensions })
      const bytesOf = (provider: ProviderDocument) => Buffer.byteLength(JSON.stringify(show(provider)))
      const { rows, next } = await findPage(providers, { parts, sort: { name: 1 }, bytesOf }, page)
      return { rows: rows.map(show), next }
    },

    /** Returns a provider as it would be stored, with the same checks. */
    draft,

    async create(holder: Holder, body: NewProvider): Promise<ProviderDocument> {
      const { name } = body
      const provider = await draft(holder, body)
      await assertNameFree(holder, name)
      const store = async () => {
        await save(
          name,
          providers.insertOne(provider).then(() => provider),
        )
      }
      await (holder ? limits.within('providers', holder.id, store) : store())
      await modelCatalog.list(provider)
      return provider
    },

    /** Throws PRECONDITION_FAILED. */
    async update(
      holder: Holder,
      id: string,
      changes: ProviderChanges,
      request: Conditional,
    ): Promise<ProviderDocument> {
      const { name, base_url, api_key, models, options, max_concurrency, enabled } = changes
      // Retried if another change came in between, because options are merged here.
      for (;;) {
        const old = await findOwn(holder, id)
        requireUnchanged(request, old, providerFields)
        if (base_url !== undefined) {
          await checkAddress(holder, old.kind, base_url)
          assertSecretsStay(old, changes)
        }
        if (name !== undefined && name !== old.name) {
          await assertNameFree(holder, name)
          await assertUnreferenced(old)
        }
        const kind = options && providerConnections.findKind(old.kind)
        const set: Partial<ProviderDocument> = {
          ...(name !== undefined && { name }),
          ...(base_url !== undefined && { base_url }),
          ...(api_key !== undefined && { api_key: api_key && secrets.seal(api_key, `provider:${id}`) }),
          ...(models !== undefined && { models: toModels(models, clock.seconds(), prices.currency) }),
          ...(kind && sealOptions(id, replaceOptions(old, options, secrets), kind, secrets)),
          ...(max_concurrency !== undefined && { max_concurrency }),
          ...(enabled !== undefined && { enabled }),
          learned: keepLessons(old, changes),
          is_trusted: isTrusted(holder),
          updated_at: clock.seconds(),
        }
        const filter = { _id: id, ...ownedBy(holder), revision: old.revision }
        const update = { $set: set, $inc: { revision: 1 } }
        const changed = providers.findOneAndUpdate(filter, update, { returnDocument: 'after' })
        const saved = await save(name ?? old.name, changed)
        if (!saved) continue
        if (extensions['providers.kinds'].get(saved.kind)) await modelCatalog.list(saved)
        return saved
      }
    },

    async remove(holder: Holder, id: string): Promise<{ name: string }> {
      const provider = await findOwn(holder, id)
      await assertUnreferenced(provider)
      await providers.deleteOne({ _id: id, ...ownedBy(holder) })
      visibleProviders.forget()
      await modelCatalog.remove([id])
      return { name: provider.name }
    },

    /** Returns a provider that the holder sees: any of those listed. Throws NOT_FOUND. */
    async find(holder: Holder, id: string): Promise<ProviderDocument> {
      const provider = await providers.findOne({ _id: id, ...visibleTo(holder) })
      if (!provider) throw new AppError('NOT_FOUND')
      return provider
    },

    /** Removes the providers of a deleted account. */
    async removeOwn(user_id: string): Promise<void> {
      const own = await providers.find({ owner_id: user_id }, { projection: { _id: 1 } }).toArray()
      await providers.deleteMany({ owner_id: user_id })
      visibleProviders.forget()
      await modelCatalog.remove(own.map(({ _id }) => _id))
    },
  }
}

/** True if the address is not checked, since an administrator entered it. */
const isTrusted = (holder: Holder) => holder === null || holder.role === 'admin'

const invalid = (path: string, rule: string, message: string) =>
  new AppError('VALIDATION_FAILED', { issues: [{ path, rule, message }] })

/** Converts models for storage; throws for a duplicate id and for a list that is too long. */
function toModels(
  models: NonNullable<NewProvider['models']>,
  now: number,
  currency: string,
): ProviderDocument['models'] {
  const as_of = new Date(now * 1000).toISOString().slice(0, 10)
  if (Buffer.byteLength(JSON.stringify(models)) > MAX_MODELS_BYTES)
    throw invalid('/models', 'maxLength', `must be at most ${MAX_MODELS_BYTES} bytes of JSON`)
  const ids = new Set<string>()
  return models.map(({ model_kind, embedding, price, ...model }, index) => {
    if (ids.has(model.id))
      throw invalid(`/models/${index}/id`, 'uniqueItems', 'must not be the id of another model')
    ids.add(model.id)
    const datedPrice = price && readPrice({ ...NO_PRICE, currency, ...price, as_of })
    return {
      name: model.id,
      ...withoutNulls(model),
      model_kind: kindOf({ model_kind, embedding }),
      ...(datedPrice && { price: datedPrice }),
    }
  })
}

const NO_PRICE = { input: null, output: null, cache_read: null, cache_write: null }

type WithoutNulls<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], null> }

const withoutNulls = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as WithoutNulls<Fields>

/** Converts a model of a provider to a row, with a value for every field. */
export const toListedModel = (model: ModelDescription): TypeOf<typeof listedModel> => ({
  id: model.id,
  name: model.name,
  enabled: model.enabled ?? true,
  embedding: kindOf(model) === 'embedding',
  model_kind: kindOf(model),
  context_window: model.context_window ?? null,
  max_output_tokens: model.max_output_tokens ?? null,
  input: model.input ?? null,
  tools: model.tools ?? null,
  reasoning: model.reasoning ?? null,
  ...(model.price && { price: model.price }),
})

/** True if a provider of the server hides its address and options from a reader, since they may be internal. */
const isConfidential = ({ scope }: ProviderDocument, reader: Holder) =>
  scope === 'global' && reader !== null && reader.role !== 'admin'

/** Converts a provider to its row. */
export const toProviderRow = (
  provider: ProviderDocument,
  holder: Holder,
  { locale, extensions }: { locale: Locale; extensions: Cradle['extensions'] },
): ProviderRow => ({
  id: provider._id,
  name: provider.name,
  kind: provider.kind,
  scope: provider.scope,
  owner: provider.scope === 'user' ? holder!.username : null,
  can_edit: provider.scope === 'user' || holder === null || holder.role === 'admin',
  base_url: isConfidential(provider, holder) ? null : provider.base_url,
  has_api_key: provider.api_key !== null,
  models: provider.models.map(toListedModel),
  options: isConfidential(provider, holder) ? {} : provider.options,
  max_concurrency: provider.max_concurrency ?? null,
  enabled: provider.enabled,
  learned: describeLessons(provider, extensions['providers.kinds'].get(provider.kind), locale),
  ...showManaged(provider),
  created_at: provider.created_at,
  updated_at: provider.updated_at,
})
