import type { budgetState, Locale, TypeOf } from '#plugin-api'
import type { Account, Budget, Role } from '../users/types.ts'

/** Addresses of the services that people sign in with, by kind and name; those left out are the vendor's own. */
export type SignInEndpoints = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The account that makes a request, as it was stored at the time of the request. */
export interface AuthCaller {
  id: string
  username: string
  role: Role
  /** Sorted; every declared permission for administrators. */
  permissions: string[]
  /** The ids of its groups. */
  groups: readonly string[]
  locale: Locale | null
  /** In LLM tokens per quota window; null if unlimited. */
  token_quota: number | null
  /** The money that it may spend; null if unlimited. */
  budget: Budget | null
  /** The zone in which its budget begins anew; null for that of the server. */
  timezone: string | null
  /** False if agents remember nothing about it. */
  memory: boolean
  /** The id of the session, or of the credential that takes its place. */
  session_id: string
  must_change_password: boolean
  /** The required actions of its session, before it can be used; missing if none is left. */
  required_actions?: readonly string[]
  /** Missing if the request was made with a session. */
  credential?: Credential
}

/** The part of an account from which its rights follow. */
export type Rights = Pick<AuthCaller, 'role' | 'permissions'>

/** A credential that takes the place of a session, such as an API key. */
export interface Credential {
  name: string
  /** The names of its rights, which it has only while its account has them too. */
  scopes: readonly string[]
  /** Unix seconds; null if it never expires. */
  expires_at: number | null
}

/** The headers of a request. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** The request with which a user signs in; with `cookie`, the browser keeps a refresh token. */
export interface SignInRequest {
  readonly ip: string
  readonly headers: Headers
  readonly body: { readonly cookie?: boolean }
}

/** The sign-in of an account whose password was right, with the one-time code that the user entered. */
export interface PasswordSignIn {
  user: Account
  code: string | undefined
}

/** Something that a session must do before it can be used, such as setting up a second factor. */
export interface RequiredAction {
  name: string
  /** The routes with which it is done, `METHOD /path`; they are open to the session. */
  routes: readonly string[]
  /** True if a session must do it that a user opens now. */
  isDue(signIn: { user: Account; method: SignInMethod }): Promise<boolean>
}

/** The network address and browser that a login came from. */
export interface Origin {
  ip: string
  user_agent: string | null
}

/** The refresh tokens of a session: the number of the current one, and when it took the place of the former one. */
export interface RefreshState {
  number: number
  /** Unix milliseconds. */
  rotated_at: number
}

/** One login, from the first token to its end; `_id` is the `jti` of its tokens. */
export interface SessionDocument extends Origin {
  _id: string
  user_id: string
  created_at: number
  expires_at: number
  /** Unix milliseconds; null while the session lives. */
  ended_at: number | null
  /** The state of its refresh tokens; missing in sessions without a cookie. */
  refresh?: RefreshState
  /** The required actions before it can be used; missing if it never had any. */
  required_actions?: string[]
  /** `expires_at` as a date, for the TTL index. */
  delete_at: Date
}

/** Login attempts on an account name, existing or not; `_id` is the name in lower case. Times are Unix milliseconds. */
interface LoginAttemptsDocument {
  _id: string
  /** Attempts since the last success or lock, the one being evaluated included. */
  failures: number
  /** 0 if not locked. */
  locked_until: number
  /** The attempt that is being evaluated, and the time until which it keeps all others waiting. */
  lease: string
  lease_until: number
  delete_at: Date
}

/** Points counted against a key, such as a network address; written by rate-limiter-flexible. */
interface PointsDocument {
  key: string
  points: number
  expire: Date
}

/** The key that signs tokens; the only document is `jwt`. */
export interface SigningKeyDocument {
  _id: string
  sealed: string
  /** Increases with every rotation. */
  epoch: number
  created_at: number
}

/** The way a user was authenticated. */
export type SignInMethod = 'password' | 'invite' | 'sso' | 'passkey'

declare module '#kernel/types' {
  interface Collections {
    auth: {
      sessions: SessionDocument
      login_attempts: LoginAttemptsDocument
      login_addresses: PointsDocument
      limited_calls: PointsDocument
      signing_keys: SigningKeyDocument
    }
  }
  interface GuardContexts {
    /** The bearer of a valid token, before its scopes are checked; a guard of a route comes after `user` instead. */
    bearer: { caller: AuthCaller }
    /** Every signed-in account. */
    user: { caller: AuthCaller }
    /** Everybody; somebody who is signed in by their account. */
    visitor: { caller?: AuthCaller }
    /** Accounts that hold the permission in the argument, e.g. `['permission', 'users']`; administrators hold all. */
    permission: { caller: AuthCaller }
    /** Administrators. */
    admin: { caller: AuthCaller }
  }
  interface Events {
    /** A session ended, for any reason. */
    'session.ended': { session_id: string; user_id: string }
    /** A user signed in to an account. */
    'account.signed_in': { user_id: string; method: SignInMethod }
  }
  interface ExtensionPoints {
    /** Finds the credential that a bearer token without the form of a JWT belongs to. */
    'auth.bearer': (question: {
      token: string
    }) => Promise<{ user_id: string; id: string; credential: Credential } | undefined>
    /** Returns the state of the budget of an account; null if it has none. At most one plugin answers. */
    'auth.budgets': (question: { account: Account }) => Promise<TypeOf<typeof budgetState> | null>
    /** Returns the credentials that are still valid; sockets of the others are closed. */
    'auth.live_credentials': (question: { ids: readonly string[] }) => Promise<readonly string[]>
    /**
     * Checks the second factor of a sign-in with a right password: `wrong` counts as a failed sign-in, as a wrong
     * password does; `missing` asks the user for a code.
     */
    'auth.second_factors': (signIn: PasswordSignIn) => Promise<'not_needed' | 'passed' | 'missing' | 'wrong'>
    /** Actions that sessions must take before they can be used. */
    'auth.required_actions': RequiredAction
    /** Ends the credentials of an account whose password a user manager or an operator has reset. */
    'auth.password_reset': (question: { user_id: string }) => unknown
  }
}
