import type { Cradle } from './manifest.ts'
import type { ProviderDocument } from './types.ts'

/** The time after which changes by other processes are seen. */
const VALID_MS = 1000

/** The most users with providers in memory. */
const MAX_USERS = 1000

/** Splits `<provider>:<model>` at the first colon, since a model's id may contain more; undefined if a part is missing. */
export function parseReference(reference: string): { provider: string; model: string } | undefined {
  const colon = reference.indexOf(':')
  if (colon < 1 || colon === reference.length - 1) return undefined
  return { provider: reference.slice(0, colon), model: reference.slice(colon + 1) }
}

/** The providers that one user sees, and the active model, at most one second old. */
export interface Visible {
  /** All visible providers, except global ones with the name of one of the user's own. */
  readonly providers: readonly ProviderDocument[]
  /** Finds a provider; a user's own takes precedence over a global one with the same name. */
  find(name: string): ProviderDocument | undefined
  findGlobal(name: string): ProviderDocument | undefined
  readonly active: string | null
}

/** Caches the providers that users see, so that a turn does not wait for the database. */
export type VisibleProviders = ReturnType<typeof createVisibleProviders>

/** Creates the cache. */
export function createVisibleProviders({ collections, clock, prices }: Cradle) {
  const cache = new Map<string, { until: number; visible: Promise<Visible> }>()

  async function load(user_id: string): Promise<Visible> {
    const [documents, settings] = await Promise.all([
      collections.providers
        .find({ owner_id: { $in: [null, user_id] } })
        .sort({ name: 1 })
        .toArray(),
      collections.model_settings.findOne({ _id: 'active' }),
      prices.load(),
    ])
    const globals = new Map(documents.filter(isGlobal).map((provider) => [provider.name, provider]))
    const own = documents.filter((provider) => !isGlobal(provider))
    const byName = new Map([...globals, ...own.map((provider) => [provider.name, provider] as const)])
    return {
      providers: [...byName.values()],
      find: (name) => byName.get(name),
      findGlobal: (name) => globals.get(name),
      active: settings?.model ?? null,
    }
  }

  return {
    of(user_id: string): Promise<Visible> {
      const now = clock.now()
      const cached = cache.get(user_id)
      if (cached && cached.until > now) return cached.visible
      if (cache.size >= MAX_USERS) cache.clear()
      const visible = load(user_id)
      cache.set(user_id, { until: now + VALID_MS, visible })
      visible.catch(() => cache.delete(user_id))
      return visible
    },
    /** Clears the cache; called after each change in this process. */
    forget: () => cache.clear(),
  }
}

const isGlobal = ({ scope }: ProviderDocument) => scope === 'global'
