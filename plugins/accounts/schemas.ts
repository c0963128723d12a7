import { LOCALES, languageTag, nullable, objectOf, rowOf, type TypeOf } from '#kernel'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const time = { type: 'integer', description: 'Unix seconds' } as const
const password = { type: 'string', minLength: 1, maxLength: 200, writeOnly: true } as const
const role = { enum: ['user', 'admin'] } as const
/** The language as it is stored. */
const locale = nullable({ enum: LOCALES })
const wantedLocale = nullable(languageTag)
const email = nullable({ type: 'string', format: 'email', maxLength: 254 })
const display_name = nullable({ type: 'string', minLength: 1, maxLength: 128 })
const permissions = {
  type: 'array',
  items: { type: 'string', maxLength: 64 },
  maxItems: 256,
  uniqueItems: true,
} as const
const workspace_root_dir = nullable({
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  pattern: '^\\P{Cc}*$',
  description:
    "An absolute path of a folder that the account's agents may write to, in addition to their workspaces",
})
const token_quota = nullable({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const newAccount = objectOf(
  {
    username: { type: 'string', minLength: 1, maxLength: 64 },
    password,
    role,
    display_name,
    email,
    locale: wantedLocale,
    permissions,
    workspace_root_dir,
    token_quota,
  },
  ['username', 'password'],
)

export const accountChanges = objectOf({
  role,
  display_name,
  email,
  enabled: flag,
  locale: wantedLocale,
  permissions,
  workspace_root_dir,
  token_quota,
})

export const newPassword = rowOf({ new_password: password })

/** An account as user managers see it. */
export const accountRow = {
  title: 'User',
  ...rowOf({
    id: text,
    username: text,
    role,
    display_name: nullable(text),
    email: nullable(text),
    enabled: flag,
    locale,
    permissions: { type: 'array', items: text },
    workspace_root_dir: nullable(text),
    token_quota: nullable({ type: 'integer' }),
    tokens_used: { type: 'integer' },
    has_password: flag,
    sso_linked: flag,
    login_locked: flag,
    login_retry_after_seconds: nullable({ type: 'integer' }),
    must_change_password: flag,
    created_at: time,
    updated_at: time,
  }),
} as const

export type AccountRow = TypeOf<typeof accountRow>

export const permissionRows = {
  type: 'array',
  items: {
    title: 'Permission',
    ...rowOf({ key: text, category: text, label: text, description: text }),
  },
} as const
