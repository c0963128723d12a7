import type { LocalizedText } from '#plugin-api'

/** The kinds of sign-in, in the order in which users see them. */
export const KIND_NAMES = ['oidc', 'feishu', 'dingtalk', 'wecom'] as const

export type KindName = (typeof KIND_NAMES)[number]

/** The settings of one way to sign in that its kind needs, with the secret in the clear. */
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
}

/** The reason of a failed sign-in, as the console receives it. */
export type SignInFailureReason =
  | 'state'
  | 'denied'
  | 'disabled'
  | 'misconfigured'
  | 'invalid_token'
  | 'exchange'
  | 'generic'

/**
 * A failed sign-in with a known reason. Its message is logged and shown to managers of the settings, so it has no
 * secrets.
 */
export class SignInFailure extends Error {
  readonly reason: SignInFailureReason

  constructor(reason: SignInFailureReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SignInFailure'
    this.reason = reason
  }
}

/** The values that are generated for each sign-in; the browser sees only those that the protocol sends through it. */
export interface SignInChallenge {
  redirect_uri: string
  state: string
  nonce: string
  /** The code verifier of PKCE (RFC 7636), 43 to 128 characters. */
  code_verifier: string
}

/** The identity of a user at another service. */
export interface ForeignIdentity {
  /** Identifies the user permanently, together with `subject`. */
  issuer: string
  subject: string
  /** Suggestions, the best first, which may be taken or break the rules for usernames. */
  usernames: readonly string[]
  display_name: string | null
  /** Also null if the service has not verified the address. */
  email: string | null
  /** All claims of the service, for the rules that grant roles and permissions. */
  claims: Readonly<Record<string, unknown>>
  /** The reason why the service did not return all claims, if it did not. */
  incomplete?: string
}

/** A way to sign in with an account of another service. Each call settles within 30 s, and when `signal` is aborted. */
export interface SignInKind {
  readonly kind: string
  readonly label: LocalizedText
  /** The settings that a sign-in requires. */
  readonly required: readonly (keyof SsoSettings)[]
  readonly default_scopes: string
  /** Returns the authorization request as the address that the browser opens. Throws SignInFailure. */
  authorize(settings: SsoSettings, challenge: SignInChallenge, signal: AbortSignal): Promise<URL>
  /** Returns the identity of the user; `callback` is the whole address of the callback. Throws SignInFailure. */
  identify(
    settings: SsoSettings,
    challenge: SignInChallenge,
    callback: URL,
    signal: AbortSignal,
  ): Promise<ForeignIdentity>
  /** Tests what can be tested of the settings without a user. Throws SignInFailure. */
  test(settings: SsoSettings, signal: AbortSignal): Promise<void>
}
