import { isDeepStrictEqual } from 'node:util'
import { MASK } from '#plugin-api'
import { defaultOf, type ObjectKind } from './object-kinds.ts'
import type { Json, ServerApi } from './server-api.ts'

/** The sign of a value that the server does not show. */
export const HIDDEN = '••••'

/** An object on the server: its id, the path of its routes, and the form in which a file declares it. */
export interface StoredObject {
  id: string
  path: string
  key: string
  form: Json
}

/** Reads the objects of a server, and the names that files use in place of ids. */
export type ObjectReader = ReturnType<typeof createObjectReader>

/** Creates the reader; what several objects refer to is read once. */
export function createObjectReader(api: ServerApi) {
  const memory = new Map<string, Promise<Json[]>>()
  const once = (path: string): Promise<Json[]> => {
    const rows = memory.get(path) ?? api.list(path).catch(emptyIfUnknown)
    memory.set(path, rows)
    return rows
  }
  const listAgents = () => once('/agents?scope=all')
  const agentName = ({ owner, name }: Json) => `${owner}/${name}`

  /** Lists the rows of a kind, those below an agent with the agent. */
  const listRows = async (kind: ObjectKind): Promise<{ row: Json; agent?: Json }[]> => {
    if (!kind.isBelowAgent)
      return (await once(kind.list)).filter((row) => kind.isOwn?.(row) ?? true).map((row) => ({ row }))
    const rows: { row: Json; agent: Json }[] = []
    for (const agent of await listAgents())
      for (const row of await once(`/agents/${agent.id}${kind.list}`)) rows.push({ row, agent })
    return rows
  }

  const nameOf = async (path: string, id: unknown): Promise<string | undefined> =>
    (await once(path)).find((row) => row.id === id)?.name as string | undefined

  const readGrants = async (path: string): Promise<Json[]> => {
    const grants = (await api.find<Json[]>(`${path}/grants`)) ?? []
    const named = grants.map(async ({ user, group, everyone, access }) => {
      if (group !== undefined) return { group: (await nameOf('/groups', group)) ?? group, access }
      return user === undefined ? { everyone, access } : { user, access }
    })
    return sortGrants(await Promise.all(named))
  }

  const readConnectors = async (path: string): Promise<Json[]> => {
    const settings = await api.find<{ connectors: Json[] }>(`${path}/connectors`)
    const named = (settings?.connectors ?? []).map(async ({ id, tools = {} }) => {
      const chosen = Object.entries(tools as Record<string, Json>)
        .filter(([, { enabled, approval }]) => enabled === false || approval !== undefined)
        .map(([tool, { enabled, approval }]) => [
          tool,
          { ...(enabled === false && { enabled }), ...(approval !== undefined && { approval }) },
        ])
      const name = await nameOf('/connectors', id)
      return { name: name ?? id, ...(chosen.length > 0 && { tools: sortKeys(Object.fromEntries(chosen)) }) }
    })
    return Promise.all(named)
  }

  /** The tools that can be switched, and the tools of plugins that are on. */
  const readTools = async (path: string): Promise<Json> => {
    const settings = await api.find<{ builtin: Json[]; plugins: Json[] }>(`${path}/tool-settings`)
    const builtin = (settings?.builtin ?? []).filter(({ disableable }) => disableable)
    const plugins = (settings?.plugins ?? []).filter(({ enabled }) => enabled)
    return sortKeys(Object.fromEntries([...builtin, ...plugins].map(({ name, enabled }) => [name, enabled])))
  }

  return {
    once,
    listAgents,
    listRows,
    agentName,
    readGrants,

    /** Forgets what was read, after something was created. */
    forget: () => memory.clear(),

    /** Reads an object whole. */
    async read(kind: ObjectKind, { row, agent }: { row: Json; agent?: Json }): Promise<StoredObject> {
      const path = (agent ? `/agents/${agent.id}` : '') + kind.itemOf(String(row.id))
      const isListedWhole = !['agent', 'schedule'].includes(kind.name)
      const whole = isListedWhole ? row : ((await api.find(path)) ?? row)
      const form: Json = {}
      if (agent) form.agent = agentName(agent)
      if (kind.name === 'agent') form.owner = whole.owner
      if (kind.name === 'expert') {
        const source = (await listAgents()).find(({ id }) => id === whole.source_agent_id)
        if (source) form.agent = agentName(source)
      }
      for (const field of kind.fields) {
        if (kind.hidden?.includes(field)) continue
        let value = field === 'models' ? (whole.models as Json[]).map(toModelEntry) : whole[field]
        if (kind.config?.field === field) value = hideMasks(value)
        if (kind.secret?.field === field && whole[kind.secret.shownBy]) value = HIDDEN
        form[field] = value ?? defaultOf(kind, field)
      }
      for (const [field, { field: ids, to }] of Object.entries(kind.references)) {
        const list = to === 'connector' ? '/connectors' : '/knowledge-bases'
        const names = ((whole[ids] as string[] | undefined) ?? []).map(
          async (id) => (await nameOf(list, id)) ?? id,
        )
        form[field] = await Promise.all(names)
      }
      if (kind.name === 'agent') {
        form.connectors = await readConnectors(path)
        form.tools = await readTools(path)
        form.stopped = ['stopped', 'stopping'].includes(String(whole.state))
      }
      if (kind.grants) form.grants = await readGrants(path)
      return { id: String(row.id), path, key: kind.keyOf(form), form }
    },
  }
}

/** Returns the fields of a form that are not the defaults of its kind, in the order of a file. */
export function withoutDefaults(kind: ObjectKind, form: Json): Json {
  const isDefault = ([field, value]: [string, unknown]): boolean => {
    if (field === 'owner' || value === undefined) return true
    if (field === 'grants') return isDeepStrictEqual(value, kind.grants!(form))
    if (['connectors', 'knowledge_bases'].includes(field)) return (value as unknown[]).length === 0
    if (field === 'tools') return Object.keys(value as Json).length === 0
    if (field === 'stopped') return value === false
    return kind.fields.includes(field) && isDeepStrictEqual(value, defaultOf(kind, field))
  }
  return Object.fromEntries(Object.entries(form).filter((entry) => !isDefault(entry)))
}

/** Returns grants in the order of files. */
export const sortGrants = (grants: readonly Json[]): Json[] =>
  [...grants].sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))

const rankOf = ({ everyone, group, user }: Json) => (everyone ? '0' : group ? `1${group}` : `2${user}`)

const sortKeys = (object: Json): Json =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Returns the entry of a model without what is known of it anyway. */
export function toModelEntry({ id, name, enabled, model_kind, embedding, ...facts }: Json): Json {
  const stated = Object.entries(facts).filter(([, value]) => value !== null)
  const kind = model_kind ?? (embedding ? 'embedding' : 'chat')
  return {
    id,
    ...(name !== undefined && name !== id && { name }),
    ...(enabled === false && { enabled }),
    ...(kind !== 'chat' && { model_kind: kind }),
    ...Object.fromEntries(stated),
  }
}

/** Replaces the masks of secrets in a config, at any depth. */
function hideMasks(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MASK) ? HIDDEN : value
  if (Array.isArray(value)) return value.map(hideMasks)
  if (typeof value !== 'object' || value === null) return value
  return sortKeys(Object.fromEntries(Object.entries(value).map(([name, part]) => [name, hideMasks(part)])))
}

function emptyIfUnknown(error: unknown): Json[] {
  // No plugin of this server has such objects.
  if ((error as { status?: number }).status === 404) return []
  throw error
}
