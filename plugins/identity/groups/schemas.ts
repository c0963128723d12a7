import { access, budgetRow, managedRow, nullable, objectOf, pageQuery, rowOf, type TypeOf } from '#plugin-api'
import { SHARING } from './manifest.ts'

const text = { type: 'string' } as const
const groupId = { ...text, examples: ['grp_01KDVMF0000000000000000001'] } as const
const name = {
  ...text,
  minLength: 1,
  maxLength: 64,
  pattern: '^[^\\p{Cc};,]*[^\\p{Cc};,\\s][^\\p{Cc};,]*$',
  description: 'Unique, whatever the case; without `,` and `;`',
  examples: ['Sales'],
} as const

const settings = {
  name,
  description: { ...nullable({ ...text, maxLength: 500 }), examples: ['Everybody who talks to customers'] },
  permissions: {
    type: 'array',
    items: { ...text, maxLength: 64 },
    maxItems: 256,
    uniqueItems: true,
    description: 'Keys of `GET /users/permissions`, which every member has',
    examples: [['channels', 'knowledge_bases']],
  },
  token_quota: {
    ...nullable({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    description:
      'Tokens that each member may use in a window of the server; null for no limit. An account’s own quota replaces it; of several groups, the largest counts',
    examples: [1_000_000],
  },
  budget: {
    ...budgetRow,
    description:
      'The money that each member may spend in each window, in the currency of the server; null for no limit. An account’s own budget replaces it; of several groups, the one with most a day counts',
  },
  is_default: { type: 'boolean', description: 'True if new accounts join it', examples: [false] },
} as const

/** The path of a group. */
export const groupParams = rowOf({
  id: { ...text, maxLength: 64, description: 'A group, by its id or name' },
})

/** The path of a member. */
export const memberParams = rowOf({
  ...groupParams.properties,
  username: { ...text, description: 'A username or an id' },
})

/** The query of the list. */
export const groupQuery = objectOf({
  ...pageQuery,
  q: {
    ...text,
    minLength: 1,
    maxLength: 64,
    description: 'A part of the name, whatever the case',
    examples: ['sal'],
  },
})

/** The settings of a new group. */
export const newGroup = objectOf(settings, ['name'])

/** The changes of a group. */
export const groupChanges = { ...objectOf(settings), minProperties: 1 } as const

/** A group as the API shows it. */
export const groupRow = {
  title: 'Group',
  ...rowOf({
    id: groupId,
    ...settings,
    member_count: { type: 'integer', minimum: 0, examples: [12] },
    ...managedRow,
    created_at: { type: 'integer', description: 'Unix seconds' },
  }),
} as const

export type GroupRow = TypeOf<typeof groupRow>
export type NewGroup = TypeOf<typeof newGroup>
export type GroupChanges = TypeOf<typeof groupChanges>

export const groupRows = { type: 'array', items: groupRow } as const

/** A member of a group. */
const memberRow = {
  title: 'GroupMember',
  ...rowOf({
    id: text,
    username: { ...text, examples: ['ada'] },
    display_name: nullable({ ...text, examples: ['Ada Lovelace'] }),
    enabled: { type: 'boolean', description: 'False if the account cannot sign in' },
  }),
} as const

export const memberRows = { type: 'array', items: memberRow } as const

/** The query of the directory. */
export const directoryQuery = objectOf({
  q: {
    ...text,
    maxLength: 64,
    default: '',
    description: 'A part of a username, of a display name, or of the name of a group, whatever the case',
    examples: ['ada'],
  },
  kind: { title: 'DirectoryKind', enum: ['user', 'group'], description: 'People or groups only' },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 50,
    default: 20,
    description: 'The most groups and people, together',
  },
})

/** The people and groups with whom the caller may share. */
export const directoryRows = {
  type: 'array',
  items: {
    title: 'DirectoryEntry',
    ...rowOf({
      kind: { title: 'DirectoryKind', enum: ['user', 'group'] },
      id: text,
      name: { ...text, description: 'The username, or the name of the group', examples: ['ada'] },
      display_name: nullable({ ...text, examples: ['Ada Lovelace'] }),
    }),
  },
} as const

export type DirectoryRows = TypeOf<typeof directoryRows>

/** The rules of sharing that apply to the caller. */
export const directorySettings = {
  title: 'DirectorySettings',
  ...rowOf({
    sharing: {
      enum: SHARING,
      description:
        'With whom the caller may share: `everyone`, the own `groups` and their members, or nobody (`off`)',
    },
  }),
} as const

const source = {
  type: 'array',
  items: text,
  description: '`account`, `administrator`, or the name of a group',
  examples: [['account', 'Sales']],
} as const

/** The rights of an account, with where each comes from. */
export const accessRow = {
  title: 'AccountAccess',
  ...rowOf(
    {
      username: { ...text, examples: ['ada'] },
      role: { title: 'Role', enum: ['user', 'admin'] },
      groups: { type: 'array', items: rowOf({ id: groupId, name: { ...text, examples: ['Sales'] } }) },
      permissions: {
        type: 'array',
        items: rowOf({
          key: { ...text, examples: ['channels'] },
          label: { ...text, examples: ['Channels'] },
          from: source,
        }),
      },
      token_quota: rowOf({
        value: { ...nullable({ type: 'integer' }), description: 'Null for no limit', examples: [1_000_000] },
        from: source,
      }),
      budget: rowOf({ value: budgetRow, from: source }),
      things: {
        type: 'array',
        description: 'The first 200 of each kind that others share with the account; for administrators',
        items: rowOf({
          kind: { ...text, examples: ['agent'] },
          label: { ...text, description: 'The kind in words', examples: ['Agent'] },
          id: text,
          name: { ...text, examples: ['Trip planner'] },
          access,
          from: { ...source, description: '`account`, `everyone`, or the name of a group' },
        }),
      },
    },
    ['things'],
  ),
} as const

export type AccessRow = TypeOf<typeof accessRow>
