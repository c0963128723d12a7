import { nullable, objectOf, rowOf } from '#kernel'
import { KIND_NAMES } from './kinds/registry.ts'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const time = { type: 'integer', description: 'Unix seconds' } as const
const kind = { enum: KIND_NAMES } as const
const secret = { type: 'string', minLength: 1, maxLength: 4096, pattern: '^[\\x20-\\x7e]+$' } as const

const redirect_after = {
  type: 'string',
  minLength: 1,
  maxLength: 2048,
  description: 'A path of the console; /chat by default',
} as const

/** Refuses addresses with user information or a query, which may contain secrets, before anything logs them. */
const address = {
  type: 'string',
  format: 'url',
  pattern: '^https?://[^\\s/?#@\\\\]+(/[^\\s?#@\\\\]*)?$',
  maxLength: 2048,
} as const

export const startBody = rowOf({ kind, redirect_after }, ['redirect_after'])
export const oidcStartBody = objectOf({ redirect_after })

/** The browser also stores the state as a cookie, which the callback checks. */
export const started = {
  title: 'StartedSignIn',
  ...rowOf({ authorization_url: text, state: text }),
} as const

/** Open, because services add parameters of their own to the callback. */
export const callbackQuery = { type: 'object', additionalProperties: true } as const

const secretText = { type: 'string', minLength: 1, maxLength: 128, writeOnly: true } as const

/** A console that sends the state it began with cannot be tricked into completing the sign-in of somebody else. */
export const exchangeBody = rowOf({ code: secretText, state: secretText }, ['state'])

export const kindBody = rowOf({ kind })

export const signInStatus = rowOf({
  providers: {
    type: 'array',
    items: rowOf({ kind, display_name: text, enabled: flag }),
  },
})

export const oidcStatus = rowOf({ enabled: flag, display_name: text })

export const bindings = {
  type: 'array',
  items: {
    title: 'SignInBinding',
    ...rowOf({ kind: text, display_name: text, linked_at: time }),
  },
} as const

export const claimRule = {
  title: 'ClaimRule',
  ...rowOf(
    {
      claim: {
        type: 'string',
        minLength: 1,
        maxLength: 256,
        description:
          'The path of a claim, such as realm_access.roles; a claim whose name contains dots precedes a nested one',
      },
      value: {
        type: 'string',
        maxLength: 256,
        description: 'The value of the claim, or of one of its elements',
      },
      role: { const: 'admin' },
      permissions: {
        type: 'array',
        items: { type: 'string', maxLength: 64 },
        maxItems: 256,
        uniqueItems: true,
      },
    },
    ['role', 'permissions'],
  ),
} as const

const rules = { type: 'array', maxItems: 100, items: claimRule } as const

export const settingChanges = objectOf({
  enabled: flag,
  display_name: nullable({ type: 'string', minLength: 1, maxLength: 128 }),
  client_id: { type: 'string', maxLength: 512, pattern: '^[\\x21-\\x7e]*$' },
  client_secret: nullable({ ...secret, writeOnly: true } as const),
  scopes: { type: 'string', maxLength: 1024, pattern: '^[\\x20-\\x7e]*$' },
  issuer: nullable(address),
  agent_id: nullable({ type: 'string', minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' }),
  dashboard_origin: nullable(address),
  rules,
})

export const settingsRow = {
  title: 'SignInSettings',
  ...rowOf({
    kind,
    enabled: flag,
    display_name: text,
    client_id: text,
    has_client_secret: flag,
    scopes: text,
    issuer: nullable(text),
    agent_id: nullable(text),
    dashboard_origin: nullable(text),
    rules,
    redirect_uri: nullable({ type: 'string', description: 'Null if no public URL is configured' }),
    updated_at: nullable(time),
  }),
} as const

export const testResult = {
  title: 'SignInTest',
  ...rowOf({ ok: flag, detail: text, reason: text }, ['reason']),
} as const

export const previewBody = rowOf({ claims: { type: 'object' }, rules }, ['rules'])

export const preview = {
  title: 'ClaimRulesPreview',
  ...rowOf({
    role: { enum: ['user', 'admin'] },
    permissions: { type: 'array', items: text },
    matched: {
      type: 'array',
      items: { type: 'integer' },
      description: 'Positions of the rules that apply',
    },
    unknown_permissions: { type: 'array', items: text },
  }),
} as const
