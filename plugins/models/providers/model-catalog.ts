import { setTimeout as pause } from 'node:timers/promises'
import { type ModelDescription, untilAborted, withDeadline } from '#plugin-api'
import { redactError } from './failure.ts'
import { readListed } from './listed-models.ts'
import type { Cradle } from './manifest.ts'
import type { ProviderDocument } from './types.ts'

/** The time for which an upstream's list of models is used, and after which a failed listing is tried again. */
const VALID_MS = 5 * 60_000
const RETRY_MS = 30_000

/** The time that an upstream has to list its models. */
const LISTING_MS = 15_000

/** The time that a reader waits for the first list of an upstream. */
const FIRST_LIST_MS = 2000

/** The most lists in memory. */
const MAX_PROVIDERS = 500

/** The models that an upstream listed for this revision of its provider, stored for the next start and for all servers. */
export interface ModelListDocument {
  /** The id of the provider. */
  _id: string
  revision: number
  models: readonly ModelDescription[]
  /** Unix milliseconds. */
  listed_at: number
}

interface Entry {
  revision: number
  models: readonly ModelDescription[]
  /** The time at which the upstream is asked again, in Unix milliseconds. */
  due_at: number
  /** Settles when the stored list has been read. */
  stored: Promise<void>
  refreshing: Promise<void> | undefined
  /** True once the upstream was asked, whether it answered or not. */
  wasAsked: boolean
  /** Ends the refresh of a dropped list. */
  abort: AbortController
}

/** The models of providers: as entered, or as last listed by their upstreams. */
export type ModelCatalog = ReturnType<typeof createModelCatalog>

/** Creates the catalog. */
export function createModelCatalog({ collections, modelFacts, providerConnections, clock, log }: Cradle) {
  const entries = new Map<string, Entry>()
  const { model_lists, providers } = collections

  /** Reads the list that this or another server has stored. */
  async function readStored({ _id, revision }: ProviderDocument, entry: Entry): Promise<void> {
    const stored = await model_lists.findOne({ _id, revision })
    if (!stored) return
    entry.models = stored.models
    entry.due_at = stored.listed_at + VALID_MS
  }

  async function fetchList(provider: ProviderDocument, entry: Entry): Promise<void> {
    const { _id, name, revision } = provider
    const { kind, connection, redact } = providerConnections.connect(provider)
    let listed: ModelDescription[]
    try {
      listed = await withDeadline(LISTING_MS, [entry.abort.signal], (signal) =>
        untilAborted(signal, kind.listModels(connection, signal)),
      )
    } catch (error) {
      const facts = { error: redactError(error, redact), provider: name, provider_id: _id }
      if (!entry.abort.signal.aborted) log.warn(facts, 'the models cannot be listed')
      return
    }
    if (entry.abort.signal.aborted) return
    const list = { revision, models: readListed(listed), listed_at: clock.now() }
    await model_lists.updateOne({ _id }, { $set: list }, { upsert: true })
    // The provider may have been deleted before the list was stored.
    if ((await providers.countDocuments({ _id })) === 0) await model_lists.deleteOne({ _id })
    entry.models = list.models
    entry.due_at = list.listed_at + VALID_MS
  }

  /** Refreshes an entry from the database, where another server may have stored a list, or from the upstream. */
  async function refresh(provider: ProviderDocument, entry: Entry): Promise<void> {
    try {
      await readStored(provider, entry)
      if (entry.due_at > clock.now()) return
      entry.due_at = clock.now() + RETRY_MS
      await fetchList(provider, entry)
    } catch (error) {
      log.error({ error, provider_id: provider._id }, 'the list of models cannot be stored')
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

  function ensureEntry(provider: ProviderDocument): Entry {
    const { _id, revision } = provider
    const existing = entries.get(_id)
    if (existing?.revision === revision) return existing
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

  /** Reads the entry of a provider, and refreshes it in the background if it is due. */
  async function readEntry(provider: ProviderDocument): Promise<Entry> {
    const entry = ensureEntry(provider)
    await entry.stored
    if (entry.due_at <= clock.now()) entry.refreshing ??= refresh(provider, entry)
    return entry
  }

  return {
    /** Returns all known models, of every kind; an outdated list is refreshed in the background. */
    async list(provider: ProviderDocument): Promise<readonly ModelDescription[]> {
      await modelFacts.load(provider)
      return provider.models.length > 0 ? provider.models : (await readEntry(provider)).models
    },
    /** Returns the same, after a short wait if the upstream is asked for the first time. */
    async waitForList(provider: ProviderDocument): Promise<readonly ModelDescription[]> {
      await modelFacts.load(provider)
      if (provider.models.length > 0) return provider.models
      const entry = await readEntry(provider)
      if (!entry.wasAsked && entry.refreshing)
        await Promise.race([entry.refreshing, pause(FIRST_LIST_MS, undefined, { ref: false })])
      return entry.models
    },
    /** Returns the description of one model for its calls, with the details that are in memory. */
    describe(provider: ProviderDocument, model: string): ModelDescription {
      const listed = provider.models.length > 0 ? provider.models : entries.get(provider._id)?.models
      const description = listed?.find(({ id }) => id === model) ?? { id: model, name: model }
      // Without a limit an answer may be as long as the model writes; many upstreams refuse, or charge against the rate of
      // a key, a limit that leaves no room for the prompt. So only a limit that the upstream itself names is sent.
      return {
        ...modelFacts.complete(provider, description),
        max_output_tokens: description.max_output_tokens,
      }
    },
    /** Adds to a listed model what is known of it elsewhere. */
    complete: modelFacts.complete,
    /** Removes the lists of deleted providers. */
    async remove(provider_ids: readonly string[]): Promise<void> {
      await Promise.all(provider_ids.map(drop))
      await model_lists.deleteMany({ _id: { $in: [...provider_ids] } })
    },
    /** Aborts all running listings. */
    close: async () => void (await Promise.all([...entries.keys()].map(drop))),
  }
}
