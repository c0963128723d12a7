import type { LocalizedText } from '#kernel'
import type { SsoSettings } from './types.ts'

/** Why nobody was signed in, as the console is told it. */
export type SignInFailureReason =
  | 'state'
  | 'denied'
  | 'disabled'
  | 'misconfigured'
  | 'invalid_token'
  | 'exchange'
  | 'generic'

/** A sign-in that failed for a known reason. The message is logged and shown to who manages the settings; no secret is in it. */
export class SignInFailure extends Error {
  readonly reason: SignInFailureReason

  constructor(reason: SignInFailureReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SignInFailure'
    this.reason = reason
  }
}

/** What is made anew for each sign-in, and known to the browser only as far as the protocol says. */
export interface SignInChallenge {
  redirect_uri: string
  state: string
  nonce: string
  /** Of PKCE; 43 to 128 characters. */
  code_verifier: string
}

/** Who somebody is at another service. */
export interface ForeignIdentity {
  /** Whose word it is: with `subject` it says who this is, whatever else changes. */
  issuer: string
  subject: string
  /** A wish, which need not fit the rules for usernames nor be free. */
  username: string | null
  display_name: string | null
  /** Null too where the service has not verified it. */
  email: string | null
  /** All that the service says, for the rules that give roles and permissions. */
  claims: Readonly<Record<string, unknown>>
}

/** A way to sign in with an account of another service. Every call ends within 30 seconds and as soon as `signal` is aborted. */
export interface SignInKind {
  readonly kind: string
  readonly label: LocalizedText
  /** The settings without which nobody can sign in. */
  readonly required: readonly (keyof SsoSettings)[]
  readonly default_scopes: string
  /** The address that the browser is sent to. Throws SignInFailure. */
  authorize(settings: SsoSettings, challenge: SignInChallenge, signal: AbortSignal): Promise<URL>
  /** Who came back; `callback` is the whole address that they came back to. Throws SignInFailure. */
  identify(
    settings: SsoSettings,
    challenge: SignInChallenge,
    callback: URL,
    signal: AbortSignal,
  ): Promise<ForeignIdentity>
  /** Finds out, as far as it can be without a person, whether the settings are right. Throws SignInFailure. */
  test(settings: SsoSettings, signal: AbortSignal): Promise<void>
}
