import type { Locale } from '#kernel'
import type { Role } from '../users/types.ts'

/** Where the services are reached that people sign in with, by kind and name; what is not named here is the vendor's. */
export type SignInEndpoints = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Who is asking, as the database has it at the time of the request. */
export interface AuthCaller {
  id: string
  username: string
  role: Role
  /** What the caller may do: for administrators every permission there is. */
  permissions: string[]
  locale: Locale | null
  /** In tokens; null where there is none. */
  token_quota: number | null
  session_id: string
  must_change_password: boolean
}

/** Where a login comes from. */
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
  /** `expires_at` as the TTL index wants it. */
  delete_at: Date
}

/** Attempts on one account name, known or not; `_id` is the name in lower case. Times are Unix milliseconds. */
export interface LoginAttemptsDocument {
  _id: string
  /** Attempts since the last success or lock, the one being evaluated included. */
  failures: number
  /** 0 while not locked. */
  locked_until: number
  /** Which attempt is being evaluated, and for how long nobody else may be. */
  lease: string
  lease_until: number
  delete_at: Date
}

/** Points counted against a key, such as a network address; written by rate-limiter-flexible. */
export interface PointsDocument {
  key: string
  points: number
  expire: Date
}

/** The key that tokens are signed with; there is one, `jwt`. */
export interface SigningKeyDocument {
  _id: string
  sealed: string
  /** Rises with every rotation. */
  epoch: number
  created_at: number
}

/** By what somebody has shown who they are. */
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
    /** Everybody who has signed in. */
    user: { caller: AuthCaller }
    /** Accounts that hold the permission in the argument, e.g. `['permission', 'users']`; administrators hold all. */
    permission: { caller: AuthCaller }
    /** Administrators. */
    admin: { caller: AuthCaller }
  }
  interface Events {
    /** A session has ended, for whatever reason. */
    'session.ended': { session_id: string; user_id: string }
    /** Somebody has signed in to an account. */
    'account.signed_in': { user_id: string; method: SignInMethod }
  }
}
