import { createHash } from 'node:crypto'
import type { CheckedObject } from './declared-checks.ts'
import type { KindName } from './object-kinds.ts'
import type { ObjectReader } from './object-reader.ts'
import type { Json } from './server-api.ts'

/** The ids of the objects that files name. */
export type References = Awaited<ReturnType<typeof readReferences>>

const toKey = (name: unknown) => String(name).normalize('NFKC').trim().toLowerCase()

/** Reads the ids of all objects that files may name; objects that are made later are added. */
export async function readReferences(reader: ObjectReader) {
  const [agents, connectors, groups, bases] = await Promise.all([
    reader.listAgents(),
    reader.once('/connectors'),
    reader.once('/groups'),
    reader.once('/knowledge-bases'),
  ])
  const ids = {
    agent: new Map(agents.map((row) => [reader.agentName(row), String(row.id)])),
    connector: new Map(connectors.map(({ name, id }) => [String(name), String(id)])),
    group: new Map(groups.map(({ name, id }) => [toKey(name), String(id)])),
    knowledge_base: new Map(bases.map(({ name, id }) => [String(name), String(id)])),
  }

  const agentOf = (form: Json) => ids.agent.get(String(form.agent))
  const listIds = (names: unknown, to: 'connector' | 'knowledge_base') =>
    (names as string[]).map((name) => ids[to].get(name))
  const grantsOf = ({ grants }: Json) =>
    ((grants ?? []) as Json[]).map(({ group, ...grant }) =>
      group === undefined ? grant : { ...grant, group: ids.group.get(toKey(group)) },
    )
  const connectorsOf = ({ connectors }: Json) =>
    ((connectors ?? []) as Json[]).map(({ name, ...settings }) => ({
      id: ids.connector.get(String(name)),
      ...settings,
    }))

  return {
    agentOf,
    listIds,
    grantsOf,
    connectorsOf,

    /** Adds an object that was made. */
    add(kind: KindName, key: string, id: string): void {
      if (kind === 'agent' || kind === 'connector' || kind === 'group') ids[kind].set(key, id)
    },

    /** Returns the hash of all that an apply would store, secrets and the ids of what it names included. */
    digestOf({ kind, form, files }: CheckedObject): string {
      const named = Object.entries(kind.references).map(([field, { to }]) => listIds(form[field], to))
      const own = kind.name === 'agent' ? connectorsOf(form) : []
      const content = [
        form,
        agentOf(form),
        named,
        own,
        grantsOf(form),
        files.map(({ path, sha256 }) => [path, sha256]),
      ]
      return createHash('sha256').update(JSON.stringify(content, sortFields)).digest('hex')
    },
  }
}

/** Makes JSON independent of the order of fields. */
const sortFields = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
