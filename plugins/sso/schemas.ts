import { nullable, objectOf } from '#kernel'
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

export const startBody = objectOf({ kind, redirect_after }, ['kind'])
export const oidcStartBody = objectOf({ redirect_after })

/** The browser also stores the state as a cookie, which the callback checks. */
export const started = {
  title: 'StartedSignIn',
  ...objectOf({ authorization_url: text, state: text }, ['authorization_url', 'state']),
} as const

/** Open, because services add parameters of their own to the callback. */
export const callbackQuery = { type: 'object', additionalProperties: true } as const

const secretText = { type: 'string', minLength: 1, maxLength: 128, writeOnly: true } as const

/** A console that sends the state it began with cannot be tricked into completing the sign-in of somebody else. */
export const exchangeBody = objectOf({ code: secretText, state: secretText }, ['code'])

export const kindBody = objectOf({ kind }, ['kind'])

export const signInStatus = objectOf(
  {
    providers: {
      type: 'array',
      items: objectOf({ kind, display_name: text, enabled: flag }, ['kind', 'display_name', 'enabled']),
    },
  },
  ['providers'],
)

export const oidcStatus = objectOf({ enabled: flag, display_name: text }, ['enabled', 'display_name'])

export const bindings = {
  type: 'array',
  items: {
    title: 'SignInBinding',
    ...objectOf({ kind: text, display_name: text, linked_at: time }, ['kind', 'display_name', 'linked_at']),
  },
} as const

const rules = {
  type: 'array',
  maxItems: 100,
  items: {
    title: 'ClaimRule',
    ...objectOf(
      {
        claim: { type: 'string', minLength: 1, maxLength: 256 },
        value: { type: 'string', maxLength: 256 },
        role: { const: 'admin' },
        permissions: {
          type: 'array',
          items: { type: 'string', maxLength: 64 },
          maxItems: 256,
          uniqueItems: true,
        },
      },
      ['claim', 'value'],
    ),
  },
} as const

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
  ...objectOf(
    {
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
    },
    [
      'kind',
      'enabled',
      'display_name',
      'client_id',
      'has_client_secret',
      'scopes',
      'issuer',
      'agent_id',
      'dashboard_origin',
      'rules',
      'redirect_uri',
      'updated_at',
    ],
  ),
} as const

export const testResult = {
  title: 'SignInTest',
  ...objectOf({ ok: flag, detail: text, reason: text }, ['ok', 'detail']),
} as const

export const previewBody = objectOf({ claims: { type: 'object' }, rules }, ['claims'])

export const preview = {
  title: 'ClaimRulesPreview',
  ...objectOf(
    {
      role: { enum: ['user', 'admin'] },
      permissions: { type: 'array', items: text },
      matched: {
        type: 'array',
        items: { type: 'integer' },
        description: 'Positions of the rules that apply',
      },
      unknown_permissions: { type: 'array', items: text },
    },
    ['role', 'permissions', 'matched', 'unknown_permissions'],
  ),
} as const
