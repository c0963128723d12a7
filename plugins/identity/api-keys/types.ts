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
