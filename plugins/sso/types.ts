import type { KindName } from './kinds/index.ts'

/** What a claim must be for a rule to give its role and permissions. */
export interface ClaimRule {
  /** The path to a claim, such as `realm_access.roles`; a claim whose own name has dots goes before a nested one. */
  claim: string
  /** What the claim must be, or have among its elements. */
  value: string
  role?: 'admin'
  permissions?: string[]
}

/** The settings of one way to sign in, with its secret in the clear. */
export interface SsoSettings {
  kind: string
  enabled: boolean
  display_name: string
  /** Of OIDC. */
  issuer: string | null
  /** At WeCom the id of the company. */
  client_id: string
  client_secret: string
  /** Of WeCom: the id of the application. */
  agent_id: string | null
  /** Separated by spaces. */
  scopes: string
  /** Where the console is, if not at the server's public address. */
  dashboard_origin: string | null
  rules: ClaimRule[]
}

/** The same as it is stored; `_id` is the kind. */
export interface SsoProviderDocument extends Omit<SsoSettings, 'kind' | 'display_name' | 'client_secret'> {
  _id: string
  /** Null for the kind's own name in the reader's language. */
  display_name: string | null
  /** Sealed for the purpose `sso:<_id>`; null where there is none. */
  client_secret: string | null
  /** Rises with every change. */
  revision: number
  /** Unix seconds. */
  updated_at: number
}

/** The names under which the same routes are offered. */
export type EntryName = 'oauth' | 'oidc'

/** Somebody on the way to another service and back; `_id` is the SHA-256 of the state, base64url. */
export interface SsoAttemptDocument {
  _id: string
  kind: KindName
  entry: EntryName
  /** Of the settings that it was started with. */
  revision: number
  redirect_after: string
  redirect_uri: string
  /** The nonce and the verifier as JSON, sealed for the purpose `sso_attempt:<_id>`. */
  challenge: string
  /** Whose account the identity is to be linked to, and the session that asked for it; null for a sign-in. */
  user_id: string | null
  session_id: string | null
  /** Unix seconds. */
  expires_at: number
  /** The same as the TTL index wants it. */
  delete_at: Date
}

/** A sign-in that the console can fetch once; `_id` is the SHA-256 of the code, base64url. */
export interface SsoCodeDocument {
  _id: string
  user_id: string
  /** Which identity of the account it was. */
  identity_key: string
  /** The attempt that it came of. */
  attempt_id: string
  /** Unix milliseconds. */
  expires_at: number
  /** The same as the TTL index wants it. */
  delete_at: Date
}
