import { setTimeout as pause } from 'node:timers/promises'
import { untilAborted, withDeadline } from '#kernel'
import type { ModelDescription } from '#plugin-api'
import { redactError } from './failure.ts'
import type { Cradle } from './manifest.ts'
import { inferUses } from './model-uses.ts'
import type { ProviderDocument } from './types.ts'

/** Milliseconds that a list of an upstream's models stays good, and that a failure is not tried again. */
const VALIDITY = 5 * 60_000
const FAILURE_VALIDITY = 30_000

/** Milliseconds that an upstream has to list its models. */
const LIMIT = 15_000

/** Milliseconds for which a reader waits for the first list of an upstream. */
const FIRST_LIST_MS = 2000

/** Lists kept in memory. */
const MAX_PROVIDERS = 500

/** Models of one list. */
export const MAX_MODELS = 2000

/** The models of providers: as entered, or as their upstreams last listed them. */
export interface ModelCatalog {
  /** All models that are known now, embedding ones included; what is old is asked anew behind the caller's back. */
  list(provider: ProviderDocument): Promise<readonly ModelDescription[]>
  /** The same, after a short wait if the upstream is asked for the first time. */
  waitForList(provider: ProviderDocument): Promise<readonly ModelDescription[]>
  /** The description of one model, as far as it is in memory. */
  describe(provider: ProviderDocument, model: string): ModelDescription
  /** Forgets what upstreams of providers that are gone have listed. */
  remove(provider_ids: readonly string[]): Promise<void>
  /** Leaves the upstreams that are being asked. */
  close(): Promise<void>
}

/** The models that an upstream listed when its provider had this revision; kept for the next start and for all servers. */
export interface ModelListDocument {
  /** The provider's. */
  _id: string
  revision: number
  models: readonly ModelDescription[]
  /** Unix milliseconds. */
  listed_at: number
}

interface Entry {
  revision: number
  models: readonly ModelDescription[]
  /** Unix milliseconds from which on the upstream is asked again. */
  due_at: number
  /** Settles when what is stored has been read. */
  stored: Promise<void>
  refreshing: Promise<void> | undefined
  /** False until the upstream was asked once, with whatever outcome. */
  wasAsked: boolean
  /** Ends the refreshing of a list that nobody wants any more. */
  abort: AbortController
}

/** Makes the catalog. */
export function createModelCatalog({ collections, providerConnections, clock, log }: Cradle): ModelCatalog {
  const entries = new Map<string, Entry>()
  const { model_lists, providers } = collections

  /** Takes over what this server or another one has stored. */
  async function readStored({ _id, revision }: ProviderDocument, entry: Entry): Promise<void> {
    const found = await model_lists.findOne({ _id, revision })
    if (!found) return
    entry.models = found.models
    entry.due_at = found.listed_at + VALIDITY
  }

  async function ask(provider: ProviderDocument, entry: Entry): Promise<void> {
    const { _id, name, revision } = provider
    const { kind, connection, redact } = providerConnections.connect(provider)
    let listed: ModelDescription[]
    try {
      listed = await withDeadline(LIMIT, [entry.abort.signal], (signal) =>
        untilAborted(signal, kind.listModels(connection, signal)),
      )
    } catch (error) {
      const found = { error: redactError(error, redact), provider: name, provider_id: _id }
      if (!entry.abort.signal.aborted) log.warn(found, 'the models cannot be listed')
      return
    }
    if (entry.abort.signal.aborted) return
    const list = { revision, models: inferUses(listed).slice(0, MAX_MODELS), listed_at: clock.now() }
    await model_lists.updateOne({ _id }, { $set: list }, { upsert: true })
    // Its provider may have been deleted before the list was stored.
    if ((await providers.countDocuments({ _id })) === 0) await model_lists.deleteOne({ _id })
    entry.models = list.models
    entry.due_at = list.listed_at + VALIDITY
  }

  /** Another server may have asked meanwhile. */
  async function refresh(provider: ProviderDocument, entry: Entry): Promise<void> {
    try {
      await readStored(provider, entry)
      if (entry.due_at > clock.now()) return
      entry.due_at = clock.now() + FAILURE_VALIDITY
      await ask(provider, entry)
    } catch (error) {
      log.error({ error, provider_id: provider._id }, 'the list of models cannot be kept')
    } finally {
      entry.refreshing = undefined
      entry.wasAsked = true
    }
  }

  async function drop(id: string): Promise<void> {
    const entry = entries.get(id)
    entries.delete(id)
    entry?.abort.abort()
    await entry?.refreshing
  }

  function entryOf(provider: ProviderDocument): Entry {
    const { _id, revision } = provider
    const found = entries.get(_id)
    if (found?.revision === revision) return found
    void drop(_id)
    if (entries.size >= MAX_PROVIDERS) void drop(entries.keys().next().value!)
    const entry: Entry = {
      revision,
      models: [],
      due_at: 0,
      stored: Promise.resolve(),
      refreshing: undefined,
      wasAsked: false,
      abort: new AbortController(),
    }
    entries.set(_id, entry)
    entry.stored = readStored(provider, entry)
    entry.stored.catch(() => entries.delete(_id))
    return entry
  }

  /** The entry of a provider whose models are asked of its upstream, which is done where it is due. */
  async function attend(provider: ProviderDocument): Promise<Entry> {
    const entry = entryOf(provider)
    await entry.stored
    if (entry.due_at <= clock.now()) entry.refreshing ??= refresh(provider, entry)
    return entry
  }

  return {
    async list(provider) {
      return provider.models.length > 0 ? provider.models : (await attend(provider)).models
    },
    async waitForList(provider) {
      if (provider.models.length > 0) return provider.models
      const entry = await attend(provider)
      if (!entry.wasAsked && entry.refreshing)
        await Promise.race([entry.refreshing, pause(FIRST_LIST_MS, undefined, { ref: false })])
      return entry.models
    },
    describe(provider, model) {
      const listed = provider.models.length > 0 ? provider.models : entries.get(provider._id)?.models
      return listed?.find(({ id }) => id === model) ?? { id: model, name: model }
    },
    async remove(provider_ids) {
      await Promise.all(provider_ids.map(drop))
      await model_lists.deleteMany({ _id: { $in: [...provider_ids] } })
    },
    close: async () => void (await Promise.all([...entries.keys()].map(drop))),
  }
}
