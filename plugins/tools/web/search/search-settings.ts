import {
  type AnyConfig,
  AppError,
  type Conditional,
  createRecentValues,
  createSealedConfigs,
  type Issue,
  isDuplicateKey,
  jointWriterOf,
  type Locale,
  makeTag,
  requireUnchanged,
} from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import type { KnownEngine } from './engine-kinds.ts'
import type { NewSearchSettings, SearchSettingsRow } from './schemas.ts'
import type { SearchEngineDocument } from './types.ts'

const TAGGED = ['revision'] as const

/** An engine that can be asked, with its settings in the clear. */
export interface SetEngine {
  engine: KnownEngine
  config: AnyConfig
  price: number | null
}

/** The engines that are set, and the limit of searches. */
export type SearchSettings = ReturnType<typeof createSearchSettings>

/** Creates the store. Changes by other server processes are seen within half a second. */
export function createSearchSettings({
  collections: { search_engines, search_settings },
  engineKinds,
  secrets,
}: Pick<Cradle, 'collections' | 'engineKinds' | 'secrets'>) {
  const configs = createSealedConfigs('search_engine', { secrets }, '')
  const jointWriter = jointWriterOf(search_engines)

  const read = async () => {
    const [engines, settings] = await Promise.all([
      search_engines.find().sort({ position: 1 }).toArray(),
      search_settings.findOne({ _id: 'settings' }),
    ])
    return { engines, per_day: settings?.per_day ?? null, revision: settings?.revision ?? 0 }
  }
  // Each turn asks if there is an engine.
  const recent = createRecentValues(async ([key = '']) => new Map([[key, await read()]]))
  const readRecent = async () => (await recent.get('all'))!

  /** Returns the settings to store of one entry of a body. Throws VALIDATION_FAILED with paths in the entry. */
  function toDocument(
    { kind, label, price = null, ...sent }: NewSearchSettings['engines'][number],
    { engine, stored, position }: { engine: KnownEngine; stored?: SearchEngineDocument; position: number },
  ): SearchEngineDocument {
    const storedConfig = stored && configs.open(stored)
    const storedSecrets = Object.entries(storedConfig ?? {}).filter(([name]) =>
      engine.secret_fields.includes(name),
    )
    const merged = { ...Object.fromEntries(storedSecrets), ...configs.unmask(sent, engine, stored) }
    const config = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
    engine.assertValid(config)
    if (storedConfig && `${engine.placesIn(config)}` !== `${engine.placesIn(storedConfig)}`)
      configs.assertAllSent(sent, config, engine)
    return { ...configs.seal(kind, config, engine), position, price }
  }

  return {
    /** Returns true if at least one engine can be asked. */
    hasEngine: async (): Promise<boolean> =>
      (await readRecent()).engines.some(({ _id }) => engineKinds.find(_id)),

    /** Returns the engines that can be asked, in their order, and the limit of searches of an account in a day. */
    async open(): Promise<{ engines: SetEngine[]; per_day: number | null }> {
      const { engines, per_day } = await readRecent()
      return {
        engines: engines.flatMap((stored) => {
          const engine = engineKinds.find(stored._id)
          return engine ? [{ engine, config: configs.open(stored), price: stored.price }] : []
        }),
        per_day,
      }
    },

    /** Throws a sentence if an engine that is set is not installed any more, or its secrets cannot be read. */
    async check(): Promise<void> {
      for (const stored of (await readRecent()).engines) {
        if (!engineKinds.find(stored._id))
          throw new Error(`the search engine "${stored._id}" is set, but it is switched off or not installed`)
        configs.open(stored)
      }
    },

    /** Returns the settings with masked secrets, and their entity tag. */
    async show(locale: Locale): Promise<{ row: SearchSettingsRow; tag: string }> {
      const { engines, per_day, revision } = await read()
      const row = {
        engines: engines.map((stored) => ({
          ...configs.mask(stored),
          kind: stored._id,
          label: engineKinds.find(stored._id)?.label[locale] ?? stored._id,
          price: stored.price,
        })),
        per_day,
      }
      return { row, tag: makeTag({ revision }, TAGGED) }
    },

    /**
     * Replaces the engines, and the limit if there is one. Throws VALIDATION_FAILED, SEARCH_ENGINE_UNSUPPORTED, and
     * PRECONDITION_FAILED if the request names another version, before anything is changed.
     */
    async replace(settings: NewSearchSettings, request: Conditional): Promise<void> {
      const { engines, per_day } = settings
      const { engines: storedEngines, per_day: storedLimit, revision } = await read()
      requireUnchanged(request, { revision }, TAGGED)
      const limit = per_day === undefined ? storedLimit : per_day
      const stored = new Map(storedEngines.map((document) => [document._id, document]))
      const documents = engines.map((entry, position) =>
        withPath(`/engines/${position}`, () => {
          if (engines.findIndex(({ kind }) => kind === entry.kind) < position) throw repeated()
          const engine = engineKinds.get(entry.kind)
          return toDocument(entry, { engine, stored: stored.get(entry.kind), position })
        }),
      )
      const kinds = documents.map(({ _id }) => _id)
      const writes = [
        // First: after another change there is no such document, and the writes end with a duplicate of its id.
        {
          name: 'replaceOne' as const,
          namespace: search_settings.namespace,
          filter: { _id: 'settings', revision },
          replacement: { _id: 'settings', per_day: limit, revision: revision + 1 },
          upsert: true,
        },
        ...documents.map((document) => ({
          name: 'replaceOne' as const,
          namespace: search_engines.namespace,
          filter: { _id: document._id },
          replacement: document,
          upsert: true,
        })),
        {
          name: 'deleteMany' as const,
          namespace: search_engines.namespace,
          filter: { _id: { $nin: kinds } },
        },
      ]
      try {
        await jointWriter.write(writes)
      } catch (error) {
        // Another change was first; this one is checked against it.
        if (isDuplicateKey(error)) return this.replace(settings, request)
        throw error
      } finally {
        recent.drop()
      }
    },
  }
}

const repeated = () =>
  new AppError('VALIDATION_FAILED', {
    issues: [{ path: '/kind', rule: 'uniqueItems', message: 'is listed twice' }],
  })

/** Puts a path before the paths of the issues of a VALIDATION_FAILED. */
function withPath<Result>(path: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') throw error
    const issues = (error.details.issues as Issue[]).map((issue) => ({
      ...issue,
      path: `${path}${issue.path}`,
    }))
    throw new AppError('VALIDATION_FAILED', { issues }, { cause: error })
  }
}
