import type { TypeOf } from '#kernel'
import type { KindName } from './kinds/registry.ts'
import type { claimRule } from './schemas.ts'

/** A rule that grants a role or permissions to users with a claim of this value. */
export type ClaimRule = TypeOf<typeof claimRule>

/** The settings of one way to sign in, with its secret in the clear. */
export interface SsoSettings {
  kind: string
  enabled: boolean
  display_name: string
  /** OpenID Connect only. */
  issuer: string | null
  /** The id of the company for WeCom. */
  client_id: string
  client_secret: string
  /** WeCom only: the id of the application. */
  agent_id: string | null
  /** Separated by spaces. */
  scopes: string
  /** The origin of the console; null if it is at the server's public address. */
  dashboard_origin: string | null
  rules: ClaimRule[]
}

/** The settings as they are stored; `_id` is the kind. */
export interface SsoProviderDocument extends Omit<SsoSettings, 'kind' | 'display_name' | 'client_secret'> {
  _id: string
  /** Null to show the kind's own name in the reader's language. */
  display_name: string | null
  /** Encrypted for the purpose `sso:<_id>`; null if there is none. */
  client_secret: string | null
  /** The origin of the issuer that may receive the secret; empty until there was an issuer. */
  secret_place?: string
  /** Increases with every change. */
  revision: number
  /** Unix seconds. */
  updated_at: number
}

/** The path prefixes under which the same routes exist: `/auth/oauth` for every kind, `/auth/oidc` for one. */
export type EntryPoint = 'oauth' | 'oidc'

/** A sign-in in progress at another service; `_id` is the SHA-256 of the state, base64url. */
export interface SsoAttemptDocument {
  _id: string
  kind: KindName
  entry: EntryPoint
  /** The revision of the settings that the attempt began with. */
  revision: number
  redirect_after: string
  redirect_uri: string
  /** The nonce and the code verifier as JSON, encrypted for the purpose `sso_attempt:<_id>`. */
  challenge: string
  /** The account to link the identity to, and the session that began the attempt; null for a sign-in. */
  user_id: string | null
  session_id: string | null
  /** Unix seconds. */
  expires_at: number
  /** `expires_at` as a date, for the TTL index. */
  delete_at: Date
}

/** A completed sign-in whose code can be exchanged once; `_id` is the SHA-256 of the code, base64url. */
export interface SsoCodeDocument {
  _id: string
  user_id: string
  /** The key of the identity that signed in. */
  identity_key: string
  /** The attempt that was completed. */
  attempt_id: string
  /** Unix milliseconds. */
  expires_at: number
  /** `expires_at` as a date, for the TTL index. */
  delete_at: Date
}
