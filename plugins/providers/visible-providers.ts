import type { Cradle } from './manifest.ts'
import type { ProviderDocument } from './types.ts'

/** Milliseconds after which a change made by another process is seen. */
const VALIDITY = 1000

/** Users whose providers are kept at most. */
const MAX_USERS = 1000

/** The providers that one user sees, and the active model, as of about now. */
export interface Visible {
  /** Without the globals whose name one of the user's own has. */
  readonly providers: readonly ProviderDocument[]
  /** A user's own provider wins over a global one of its name, which may have come later. */
  find(name: string): ProviderDocument | undefined
  findGlobal(name: string): ProviderDocument | undefined
  readonly active: string | null
}

/** Keeps what users see in memory, so that a turn does not wait for the database. */
export interface VisibleProviders {
  of(user_id: string): Promise<Visible>
  /** Forgets everything; called after each change in this process. */
  forget(): void
}

/** Makes the memory of what users see. */
export function createVisibleProviders({ collections, clock }: Cradle): VisibleProviders {
  const kept = new Map<string, { until: number; visible: Promise<Visible> }>()

  async function load(user_id: string): Promise<Visible> {
    const [documents, settings] = await Promise.all([
      collections.providers
        .find({ owner_id: { $in: [null, user_id] } })
        .sort({ name: 1 })
        .toArray(),
      collections.model_settings.findOne({ _id: 'active' }),
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
    of(user_id) {
      const now = clock.now()
      const found = kept.get(user_id)
      if (found && found.until > now) return found.visible
      if (kept.size >= MAX_USERS) kept.clear()
      const visible = load(user_id)
      kept.set(user_id, { until: now + VALIDITY, visible })
      visible.catch(() => kept.delete(user_id))
      return visible
    },
    forget: () => kept.clear(),
  }
}

const isGlobal = ({ scope }: ProviderDocument) => scope === 'global'
