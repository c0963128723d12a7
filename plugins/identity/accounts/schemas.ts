import {
  budgetRow,
  currentUser,
  languageTag,
  nullable,
  objectOf,
  pageQuery,
  rowOf,
  type TypeOf,
  timeZone,
} from '#plugin-api'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const time = { type: 'integer', description: 'Unix seconds' } as const
/** A new password. */
export const password = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  writeOnly: true,
  description: '8 to 200 characters with a letter and a digit; common passwords are refused',
  examples: ['correct horse battery staple 7'],
} as const
const newUsername = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'Letters, digits, `.`, `_` and `-`; stored in lower case',
  examples: ['ada'],
} as const
/** Groups that a new account joins. */
const newGroups = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 64 },
  maxItems: 100,
  uniqueItems: true,
  description: 'Ids or names of groups that it joins besides the groups of all new accounts',
  examples: [['Sales']],
} as const
const { id, username, role, must_change_password } = currentUser.properties
const wantedLocale = { ...nullable(languageTag), examples: ['en'] } as const
const email = {
  ...nullable({ type: 'string', format: 'email', maxLength: 254 }),
  examples: ['ada@example.com'],
} as const
const display_name = {
  ...nullable({ type: 'string', minLength: 1, maxLength: 128 }),
  examples: ['Ada Lovelace'],
} as const
const permissions = {
  type: 'array',
  items: { type: 'string', maxLength: 64 },
  maxItems: 256,
  uniqueItems: true,
  description: 'Keys of `GET /users/permissions`; they replace the present ones',
  examples: [['channels', 'skill_packages']],
} as const
const workspace_root_dir = nullable({
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  pattern: '^/\\P{Cc}*$',
  description:
    "An absolute path of a folder that the account's agents may write to, in addition to their workspaces",
})
const token_quota = {
  ...nullable({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  description: 'Tokens that the account may use in a window of the server; null for no limit',
  examples: [5_000_000],
} as const

const budget = {
  ...budgetRow,
  description:
    'The money that the account may spend in each window, in the currency of the server; null for no limit',
} as const
const timezone = {
  ...nullable(timeZone),
  description: 'The zone in which its budget begins anew; null for that of the server',
} as const
const orders = ['username', 'display_name', 'created_at', 'last_seen'] as const

/** The query of the list. */
export const accountQuery = objectOf({
  ...pageQuery,
  q: {
    type: 'string',
    minLength: 1,
    maxLength: 128,
    description: 'A part of the username, the display name or the email address, whatever the case',
    examples: ['ada'],
  },
  group: { type: 'string', minLength: 1, maxLength: 64, description: 'The id or name of a group' },
  role: { ...role, description: 'Accounts with this role' },
  enabled: { ...flag, description: 'Only accounts that can sign in, or only disabled ones' },
  sort: {
    title: 'UserOrder',
    enum: [...orders, ...orders.map((order) => `-${order}` as const)],
    default: 'username',
    description: '`-` reverses the order; numbers in names count by their value',
  },
})

/** The path of an account. */
export const accountParams = rowOf({ id: { type: 'string', description: 'A username or an id' } })

export const newAccount = objectOf(
  {
    username: newUsername,
    password,
    role,
    display_name,
    email,
    locale: wantedLocale,
    permissions,
    groups: newGroups,
    workspace_root_dir,
    token_quota,
    budget,
    timezone,
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
  budget,
  timezone,
})

export const newPassword = rowOf({
  new_password: { ...password, examples: ['violet umbrella quartz meadow 4'] },
})

/** The part of a new account that a row of an import describes. */
export const newImportedAccount = objectOf(
  { username: newUsername, display_name, email, groups: newGroups, password },
  ['username'],
)

/** The result of a row of an import. */
export const importResult = {
  title: 'ImportResult',
  ...rowOf(
    {
      row: {
        type: 'integer',
        description: 'In the file; the row with the names of the columns is 1',
        examples: [2],
      },
      username: { ...nullable(text), description: 'Null if the row has none', examples: ['ada'] },
      status: { const: 201, description: 'Present if the account was created' },
      id: { ...text, description: 'Of the new account' },
      set_password_url: {
        ...text,
        description:
          'The page where the user sets the first password, once and before `expires_at`; begins with a slash if no public URL is configured. Only this reply contains it. Missing if the row has a password',
        examples: ['https://agents.example.com/set-password?token=Yk1oQ2xT0vEw8mZr5uHnJ3aKpXsD7fGb'],
      },
      expires_at: { ...time, examples: [1_767_830_400] },
      error: {
        description: 'The reason why the account was not created',
        ...rowOf({
          code: { ...text, examples: ['USERNAME_TAKEN'] },
          message: { ...text, examples: ['This username is already taken.'] },
          details: { type: 'object', additionalProperties: true },
          request_id: text,
        }),
      },
    },
    ['status', 'id', 'set_password_url', 'expires_at', 'error'],
  ),
} as const

/** An account as user managers see it. */
export const accountRow = {
  title: 'User',
  ...rowOf(
    {
      id,
      username,
      role,
      display_name: currentUser.properties.display_name,
      email: currentUser.properties.email,
      enabled: { ...flag, description: 'False if the account cannot sign in' },
      locale: currentUser.properties.locale,
      permissions: {
        type: 'array',
        items: text,
        description: 'Granted permissions; an administrator has all of them anyway',
        examples: [['channels', 'skill_packages']],
      },
      workspace_root_dir: nullable({ ...text, examples: ['/srv/projects'] }),
      token_quota: {
        ...nullable({ type: 'integer', examples: [5_000_000] }),
        description: 'Tokens in a window of the server; null for no limit',
      },
      budget,
      timezone,
      tokens_used: { type: 'integer', description: 'For all time', examples: [48_210] },
      groups: {
        type: 'array',
        items: rowOf({ id: text, name: { ...text, examples: ['Sales'] } }),
        description: 'The groups that the account is in',
      },
      last_seen: {
        ...nullable({ type: 'integer' }),
        description: 'The last request or sign-in, to about five minutes; null before the first',
        examples: [1_767_225_600],
      },
      last_login_at: {
        ...nullable({ type: 'integer' }),
        description: 'The last sign-in, in Unix seconds; null before the first',
        examples: [1_767_225_600],
      },
      has_password: { ...flag, description: 'False if the account can sign in only with another service' },
      sso_linked: {
        ...flag,
        description: 'True if an identity at another service is linked',
        examples: [false],
      },
      login_locked: { ...flag, description: 'True after too many wrong passwords', examples: [false] },
      login_retry_after_seconds: {
        ...nullable({ type: 'integer' }),
        description: 'Seconds until the lock ends; null without a lock',
        examples: [null],
      },
      second_factors: {
        type: 'array',
        items: text,
        description:
          'What the account signs in with besides or instead of its password: `totp`, `passkey`; missing if nothing',
        examples: [['totp']],
      },
      must_change_password,
      created_at: time,
      updated_at: time,
    },
    ['second_factors'],
  ),
} as const

export type AccountRow = TypeOf<typeof accountRow>

export const permissionRows = {
  type: 'array',
  items: {
    title: 'Permission',
    ...rowOf({
      key: { ...text, description: 'To be granted', examples: ['channels'] },
      category: { ...text, description: 'Groups permissions in a form', examples: ['settings'] },
      label: { ...text, examples: ['Channels'] },
      description: { ...text, examples: ['Link one’s own agents to messaging platforms.'] },
      is_suggested: {
        type: 'boolean',
        description: 'True if forms for new accounts and invites suggest it',
        examples: [false],
      },
    }),
  },
} as const
