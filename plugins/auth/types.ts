import type { Locale } from '#kernel'
import type { Role } from '../users/types.ts'

/** Addresses of the services that people sign in with, by kind and name; those left out are the vendor's own. */
export type SignInEndpoints = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The account that makes a request, as it was stored at the time of the request. */
export interface AuthCaller {
  id: string
  username: string
  role: Role
  /** Sorted; every declared permission for administrators. */
  permissions: string[]
  locale: Locale | null
  /** In LLM tokens per quota window; null if unlimited. */
  token_quota: number | null
  session_id: string
  must_change_password: boolean
}

/** The network address and browser that a login came from. */
export interface Origin {
  ip: string
  user_agent: string | null
}

/** One login, from the first token to its end; `_id` is the `jti` of its tokens. */
export interface SessionDocument extends Origin {
  _id: string
  user_id: string
  created_at: number
  expires_at: number
  /** Unix milliseconds; null while the session lives. */
  ended_at: number | null
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
export type SignInMethod = 'password' | 'invite' | 'sso'

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
    /** Every signed-in account. */
    user: { caller: AuthCaller }
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
}
