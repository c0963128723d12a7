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
export interface SsoProviderDocument extends Omit<SsoSettings, 'kind' | 'client_secret'> {
  _id: string
  /** Sealed for the purpose `sso:<_id>`; null where there is none. */
  client_secret: string | null
  /** Rises with every change. */
  revision: number
  /** Unix seconds. */
  updated_at: number
}
