import type { Json } from './server-api.ts'

/** The name of a kind of objects, as in `managed` routes. */
export type KindName =
  | 'group'
  | 'provider'
  | 'connector'
  | 'prompt'
  | 'agent'
  | 'expert'
  | 'channel'
  | 'schedule'

/** A kind of objects that files declare. */
export interface ObjectKind {
  name: KindName
  folder: string
  /** The path of the list of all objects; of those below an agent, relative to the agent. */
  list: string
  /** True for objects below an agent, which the field `agent` of a file names. */
  isBelowAgent?: true
  /** The path of the schema of a new object in the documents of the API. */
  schemaPath: string
  /** The path of one object; of those below an agent, relative to the agent. */
  itemOf: (id: string) => string
  /** The fields of files that are fields of the API as well, in their order. */
  fields: readonly string[]
  /** The fields among them that only a creation sets. */
  fixed: readonly string[]
  /** The fields among them that the API does not show. */
  hidden?: readonly string[]
  /** The fields of files whose values are names, and the field of the API that has the ids instead. */
  references: Readonly<Record<string, { field: string; to: 'connector' | 'knowledge_base' }>>
  /** The field that is a config by the schema of the kind in `kinds`, in which `${NAME}` names a variable. */
  config?: { field: string; kinds: string }
  /** The field with a secret that the API never shows, and the field of rows that tells if it is set. */
  secret?: { field: string; shownBy: string }
  /** Values that are left out of files, besides null, false and empty ones. */
  defaults: Json
  /** With whom new objects are shared; missing if they cannot be shared. */
  grants?: (form: Json) => readonly Json[]
  /** True for rows that this account manages. */
  isOwn?: (row: Json) => boolean
  /** The name that identifies an object within its kind, owner and agent. */
  keyOf: (form: Json) => string
}

const FOR_ALL = [{ everyone: true, access: 'use' }]
const lower = (name: unknown) => String(name).normalize('NFKC').trim().toLowerCase()
const name = (form: Json) => String(form.name).trim()
const CHARACTER = ['default_model', 'persona_mbti', 'system_prompt', 'welcome_message'] as const

/** The kinds, in the order in which they refer to each other. */
export const OBJECT_KINDS: readonly ObjectKind[] = [
  {
    name: 'group',
    folder: 'groups',
    list: '/groups',
    schemaPath: '/groups',
    itemOf: (id) => `/groups/${id}`,
    fields: ['name', 'description', 'permissions', 'token_quota', 'budget', 'is_default'],
    fixed: [],
    references: {},
    defaults: {},
    keyOf: (form) => lower(form.name),
  },
  {
    name: 'provider',
    folder: 'providers',
    list: '/admin/providers',
    schemaPath: '/admin/providers',
    itemOf: (id) => `/admin/providers/${id}`,
    fields: ['name', 'kind', 'base_url', 'api_key', 'options', 'models', 'max_concurrency', 'enabled'],
    fixed: ['kind'],
    references: {},
    config: { field: 'options', kinds: '/providers/kinds' },
    secret: { field: 'api_key', shownBy: 'has_api_key' },
    defaults: { enabled: true },
    grants: () => FOR_ALL,
    keyOf: name,
  },
  {
    name: 'connector',
    folder: 'connectors',
    list: '/connectors',
    schemaPath: '/connectors',
    itemOf: (id) => `/connectors/${id}`,
    fields: ['name', 'kind', 'scope', 'config', 'is_default'],
    fixed: ['kind', 'scope'],
    references: {},
    config: { field: 'config', kinds: '/connectors/kinds' },
    defaults: { scope: 'user' },
    grants: ({ scope }) => (scope === 'global' ? FOR_ALL : []),
    isOwn: ({ is_owner }) => is_owner === true,
    keyOf: name,
  },
  {
    name: 'prompt',
    folder: 'prompts',
    list: '/prompts',
    schemaPath: '/prompts',
    itemOf: (id) => `/prompts/${id}`,
    fields: ['name', 'description', 'text'],
    fixed: [],
    references: {},
    defaults: {},
    grants: () => [],
    isOwn: ({ is_owner }) => is_owner === true,
    keyOf: (form) => lower(form.name),
  },
  {
    name: 'agent',
    folder: 'agents',
    list: '/agents?scope=all',
    schemaPath: '/agents',
    itemOf: (id) => `/agents/${id}`,
    fields: ['name', 'description', 'icon', 'color', 'template_name', ...CHARACTER, 'config'],
    fixed: [],
    references: { knowledge_bases: { field: 'knowledge_base_ids', to: 'knowledge_base' } },
    defaults: {},
    grants: () => [],
    keyOf: (form) => `${form.owner}/${name(form)}`,
  },
  {
    name: 'expert',
    folder: 'experts',
    list: '/experts/published',
    schemaPath: '/agents/{id}/publish-expert',
    itemOf: (id) => `/experts/published/${id}`,
    fields: ['name', 'slug', 'description', 'icon', 'color', ...CHARACTER, 'include_files'],
    fixed: ['slug', 'include_files'],
    hidden: [...CHARACTER, 'include_files'],
    references: {},
    defaults: {},
    grants: () => FOR_ALL,
    keyOf: (form) => String(form.slug),
  },
  {
    name: 'channel',
    folder: 'channels',
    list: '/channels',
    isBelowAgent: true,
    schemaPath: '/agents/{id}/channels',
    itemOf: (id) => `/channels/${id}`,
    fields: ['name', 'kind', 'config', 'enabled'],
    fixed: ['kind'],
    references: {},
    config: { field: 'config', kinds: '/channels/kinds' },
    defaults: { enabled: true },
    keyOf: (form) => `${form.agent}/${name(form)}`,
  },
  {
    name: 'schedule',
    folder: 'schedules',
    list: '/cron',
    isBelowAgent: true,
    schemaPath: '/agents/{id}/cron',
    itemOf: (id) => `/cron/${id}`,
    fields: ['name', 'prompt', 'schedule', 'enabled', 'thread', 'model'],
    fixed: [],
    references: {
      knowledge_bases: { field: 'knowledge_base_ids', to: 'knowledge_base' },
      connectors: { field: 'connector_ids', to: 'connector' },
    },
    defaults: { enabled: true, thread: 'new' },
    keyOf: (form) => `${form.agent}/${name(form)}`,
  },
]

/** Returns the value of a field that a file leaves out; `undefined` for a field that must be there. */
export function defaultOf({ defaults }: ObjectKind, field: string): unknown {
  if (field in defaults) return defaults[field]
  if (['permissions', 'models'].includes(field)) return []
  if (['config', 'options'].includes(field)) return {}
  return field.startsWith('is_') ? false : null
}
