import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'api-keys',
  summary: 'API keys: named bearer tokens of an account for programs, limited to scopes',
  tag: {
    name: 'API keys',
    order: 14,
    description: 'Bearer tokens for programs, which may do what their scopes and the account allow.',
  },
  depends: ['users', 'auth'],
  errors: {
    API_KEY_NAME_TAKEN: {
      status: 409,
      message: { en: 'You already have an API key with this name.', zh: '您已有同名的 API 密钥。' },
    },
    SCOPE_EXCEEDS: {
      status: 403,
      code: 'FORBIDDEN',
      message: {
        en: 'An API key cannot have permissions that your account lacks. The details list them.',
        zh: 'API 密钥不能拥有您账号没有的权限，详细信息中列出了缺少的权限。',
      },
    },
  },
  limits: { api_keys: { default: 20, description: 'API keys of an account, expired ones included' } },
})

declare module '#kernel/types' {
  interface Manifests {
    'api-keys': typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute

/** One API key; times are Unix seconds. */
export interface ApiKeyDocument {
  _id: string
  user_id: string
  /** Unique within the account. */
  name: string
  /** SHA-256 of the secret, in Base64url. */
  secret_hash: string
  scopes: string[]
  created_at: number
  /** Null if it never expires. */
  expires_at: number | null
  /** At most a minute too early; null before the first use. */
  last_used_at: number | null
  /** Set if it expires, for the TTL index. */
  delete_at: Date | null
}

declare module '#kernel/types' {
  interface Collections {
    'api-keys': {
      api_keys: ApiKeyDocument
    }
  }
}
