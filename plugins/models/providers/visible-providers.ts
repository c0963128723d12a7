import type { Cradle } from './manifest.ts'
import { usableBy } from './provider-access.ts'
import type { ProviderDocument } from './types.ts'

/** Changes by other processes are seen after this time, and the 300 ms for which accounts are in memory. */
const VALID_MS = 700

/** The user id of the server itself, which uses all of its own providers. */
export const SERVER = ''

/** The most users with providers in memory. */
const MAX_USERS = 1000

/** Splits `<provider>:<model>` at the first colon, since a model's id may contain more; undefined if a part is missing. */
export function parseReference(reference: string): { provider: string; model: string } | undefined {
  const colon = reference.indexOf(':')
  if (colon < 1 || colon === reference.length - 1) return undefined
  return { provider: reference.slice(0, colon), model: reference.slice(colon + 1) }
}

/** The providers that one user may use, and the active model, at most one second old. */
export interface Visible {
  /** All visible providers, except global ones with the name of one of the user's own. */
  readonly providers: readonly ProviderDocument[]
  /** Finds a provider; a user's own takes precedence over a global one with the same name. */
  find(name: string): ProviderDocument | undefined
  findGlobal(name: string): ProviderDocument | undefined
  findById(id: string): ProviderDocument | undefined
  /** Null if none was chosen, or if the user may not use its provider. */
  readonly active: string | null
}

/** Caches the providers that users see, so that a turn does not wait for the database. */
export type VisibleProviders = ReturnType<typeof createVisibleProviders>

/** Creates the cache. */
export function createVisibleProviders({ collections, clock, prices, users }: Cradle) {
  const cache = new Map<string, { until: number; visible: Promise<Visible> }>()

  const readRights = async (id: string) => {
    const account = await users.findRecent(id)
    return { id, role: account?.role ?? 'user', groups: account?.group_ids ?? [] }
  }

  /** Returns the active model, unless its provider is not for this user. */
  const readActive = async (
    active: string | null,
    globals: ReadonlyMap<string, ProviderDocument>,
    user_id: string,
  ): Promise<string | null> => {
    const provider = parseReference(active ?? '')?.provider
    if (provider === undefined || user_id === SERVER || globals.has(provider)) return active
    return (await of(SERVER)).findGlobal(provider) ? null : active
  }

  async function load(user_id: string): Promise<Visible> {
    const filter = user_id === SERVER ? { owner_id: null } : usableBy(await readRights(user_id))
    const [documents, settings] = await Promise.all([
      collections.providers.find(filter).sort({ name: 1 }).toArray(),
      collections.model_settings.findOne({ _id: 'active' }),
      prices.load(),
    ])
    const globals = new Map(documents.filter(isGlobal).map((provider) => [provider.name, provider]))
    const byId = new Map(documents.map((provider) => [provider._id, provider]))
    const own = documents.filter((provider) => !isGlobal(provider))
    const byName = new Map([...globals, ...own.map((provider) => [provider.name, provider] as const)])
    return {
      providers: [...byName.values()],
      find: (name) => byName.get(name),
      findGlobal: (name) => globals.get(name),
      findById: (id) => byId.get(id),
      active: await readActive(settings?.model ?? null, globals, user_id),
    }
  }

  function of(user_id: string): Promise<Visible> {
    const now = clock.now()
    const cached = cache.get(user_id)
    if (cached && cached.until > now) return cached.visible
    if (cache.size >= MAX_USERS) cache.clear()
    const visible = load(user_id)
    cache.set(user_id, { until: now + VALID_MS, visible })
    visible.catch(() => cache.delete(user_id))
    return visible
  }

  return {
    of,
    /** Clears the cache; called after each change in this process, also of the rights of accounts. */
    forget: () => cache.clear(),
  }
}

const isGlobal = ({ scope }: ProviderDocument) => scope === 'global'
