import { cookieWish, currentUser, nullable, objectOf, rowOf } from '#plugin-api'
import { KIND_NAMES } from './sign-in-kind.ts'

const text = { type: 'string' } as const
const display_name = { ...text, description: 'For buttons', examples: ['Example login'] } as const
const flag = { type: 'boolean' } as const
const time = { type: 'integer', description: 'Unix seconds' } as const
const kind = { title: 'SignInKind', enum: KIND_NAMES } as const

/** The path of the settings of a kind. */
export const kindParams = rowOf({ kind: { type: 'string', description: `One of ${KIND_NAMES.join(', ')}` } })

const secret = { type: 'string', minLength: 1, maxLength: 4096, pattern: '^[\\x20-\\x7e]+$' } as const

const redirect_after = {
  type: 'string',
  minLength: 1,
  maxLength: 2048,
  pattern: '^/(?!/)[^\\\\\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'A path of the console to return to; /chat by default',
  examples: ['/chat'],
} as const

/** Refuses addresses with user information or a query, which may contain secrets, before anything logs them. */
const address = {
  type: 'string',
  format: 'url',
  pattern: '^https?://[^\\s/?#@\\\\]+(/[^\\s?#@\\\\]*)?$',
  maxLength: 2048,
  examples: ['https://login.example.com'],
} as const

export const startBody = rowOf({ kind, redirect_after }, ['redirect_after'])
export const oidcStartBody = objectOf({ redirect_after })

/** The browser also stores the state as a cookie, which the callback checks. */
export const started = {
  title: 'StartedSignIn',
  ...rowOf({
    authorization_url: {
      ...text,
      description: 'The address to send the browser to',
      examples: ['https://login.example.com/authorize?client_id=agents&state=u8WqkX3v'],
    },
    state: { ...text, description: 'To be sent with the code of this attempt', examples: ['u8WqkX3v'] },
  }),
} as const

/** Open, because services add parameters of their own to the callback. */
export const callbackQuery = { type: 'object', additionalProperties: true } as const

const secretText = { type: 'string', minLength: 1, maxLength: 128, writeOnly: true } as const

/** A console that sends the state it began with cannot be tricked into completing the sign-in of somebody else. */
export const exchangeBody = rowOf(
  {
    code: { ...secretText, description: 'From the address of the redirect', examples: ['Q2xT0vEw8mZr5uHn'] },
    state: { ...secretText, description: 'From the reply to the start', examples: ['u8WqkX3v'] },
    cookie: cookieWish,
  },
  ['state', 'cookie'],
)

export const kindBody = rowOf({ kind })

export const signInStatus = rowOf({
  providers: {
    type: 'array',
    items: { title: 'SignInMethod', ...rowOf({ kind, display_name, enabled: flag }) },
  },
})

export const oidcStatus = { title: 'OidcStatus', ...rowOf({ enabled: flag, display_name }) } as const

export const bindings = {
  type: 'array',
  items: {
    title: 'SignInBinding',
    ...rowOf({ kind: { ...text, examples: ['oidc'] }, display_name, linked_at: time }),
  },
} as const

export const claimRule = {
  title: 'ClaimRule',
  examples: [{ claim: 'realm_access.roles', value: 'team-leads', permissions: ['channels'] }],
  ...rowOf(
    {
      claim: {
        type: 'string',
        minLength: 1,
        maxLength: 256,
        description:
          'The path of a claim, such as realm_access.roles; a claim whose name contains dots precedes a nested one',
        examples: ['realm_access.roles'],
      },
      value: {
        type: 'string',
        maxLength: 256,
        description: 'The value of the claim, or of one of its elements',
        examples: ['team-leads'],
      },
      role: { const: 'admin' },
      permissions: {
        type: 'array',
        items: { type: 'string', maxLength: 64 },
        maxItems: 256,
        uniqueItems: true,
        description: 'Granted to new accounts',
        examples: [['channels']],
      },
      groups: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 64 },
        maxItems: 100,
        uniqueItems: true,
        description:
          'Ids or names of groups that accounts join and leave with the claim at each sign-in; a reply has the names, and the ids of groups that were deleted',
        examples: [['Sales']],
      },
    },
    ['role', 'permissions', 'groups'],
  ),
} as const

const rules = {
  type: 'array',
  maxItems: 100,
  items: claimRule,
  description: 'Rights that new accounts get by the claims of their users',
} as const

export const settingChanges = objectOf({
  enabled: { ...flag, examples: [true] },
  display_name: {
    ...nullable({ type: 'string', minLength: 1, maxLength: 128 }),
    description: 'Null for the name of the kind',
    examples: ['Example login'],
  },
  client_id: { type: 'string', maxLength: 512, pattern: '^[\\x21-\\x7e]*$', examples: ['agents'] },
  client_secret: {
    ...nullable({ ...secret, writeOnly: true } as const),
    description: 'Stored encrypted; null removes it',
    examples: ['Yk1oQ2xT0vEw8mZr5uHnJ3aK'],
  },
  scopes: {
    type: 'string',
    maxLength: 1024,
    pattern: '^[\\x20-\\x7e]*$',
    description: 'Separated by spaces',
    examples: ['openid profile email'],
  },
  issuer: {
    ...nullable(address),
    description: 'The issuer of OpenID Connect',
    examples: ['https://login.example.com'],
  },
  agent_id: {
    ...nullable({ type: 'string', minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' }),
    description: 'The id of the application at WeCom',
  },
  dashboard_origin: {
    ...nullable(address),
    description: 'The console to return to, if it is not on this server; only administrators change it',
  },
  rules,
})

export const settingsRow = {
  title: 'SignInSettings',
  ...rowOf({
    kind,
    enabled: flag,
    display_name,
    client_id: { ...text, examples: ['agents'] },
    has_client_secret: { ...flag, description: 'True if a client secret is stored' },
    scopes: { ...text, examples: ['openid profile email'] },
    issuer: nullable({ ...text, examples: ['https://login.example.com'] }),
    agent_id: { ...nullable(text), description: 'The id of the application at WeCom', examples: [null] },
    dashboard_origin: {
      ...nullable(text),
      description: 'The console to return to, if it is not on this server',
      examples: [null],
    },
    rules,
    redirect_uri: {
      ...nullable({ type: 'string' }),
      description: 'To be entered at the service; null if no public URL is configured',
      examples: ['https://agents.example.com/api/auth/oauth/callback'],
    },
    updated_at: { ...nullable(time), description: 'Unix seconds; null before anything was stored' },
  }),
} as const

export const testResult = {
  title: 'SignInTest',
  examples: [{ ok: true, detail: 'The settings work.' }],
  ...rowOf(
    {
      ok: flag,
      detail: { ...text, description: 'For people', examples: ['The settings work.'] },
      reason: { ...text, description: 'The kind of failure', examples: ['unreachable'] },
    },
    ['reason'],
  ),
} as const

export const previewBody = rowOf(
  {
    claims: {
      type: 'object',
      description: 'Claims as the service returns them',
      examples: [{ realm_access: { roles: ['team-leads'] } }],
    },
    rules,
  },
  ['rules'],
)

export const preview = {
  title: 'ClaimRulesPreview',
  ...rowOf({
    role: currentUser.properties.role,
    permissions: { type: 'array', items: text, examples: [['channels']] },
    groups: {
      type: 'array',
      items: rowOf({ id: text, name: { ...text, examples: ['Sales'] } }),
      description: 'The groups that the account joins besides those of all new accounts',
    },
    matched: {
      type: 'array',
      items: { type: 'integer' },
      description: 'Positions of the rules that apply, from 0',
      examples: [[0]],
    },
    undecided: {
      type: 'array',
      items: { type: 'integer' },
      description:
        'Positions of the rules whose claims the service has left out as too large; an account keeps what they would grant',
      examples: [[]],
    },
    unknown_permissions: {
      type: 'array',
      items: text,
      description: 'Permissions in the rules that no plugin declares; they grant nothing',
      examples: [[]],
    },
    unknown_groups: {
      type: 'array',
      items: text,
      description: 'Groups in the rules that do not exist; nobody joins them',
      examples: [[]],
    },
  }),
} as const
