import type { Locale } from '#kernel'

/** What an account may be; administrators hold every permission. */
export type Role = 'user' | 'admin'

/** An identity at another service with which an account signs in. */
export interface LinkedIdentity {
  /** The way of signing in, such as `oidc`; an account has one identity of each. */
  kind: string
  /** Says who it is at that service, in a form that is unique among all accounts. */
  key: string
  /** Unix seconds. */
  linked_at: number
}

/** One account. `changed_at` is Unix milliseconds, the other times are Unix seconds. */
export interface UserDocument {
  _id: string
  /** Lower case, unique. */
  username: string
  display_name: string | null
  email: string | null
  role: Role
  enabled: boolean
  locale: Locale | null
  /** As granted; an administrator's list stays as it was stored. */
  permissions: string[]
  /** Null for accounts that have no password to sign in with. */
  password_hash: string | null
  must_change_password: boolean
  /** Absent where there never was one. */
  identities?: LinkedIdentity[]
  workspace_root_dir: string | null
  token_quota: number | null
  tokens_used: number
  created_at: number
  updated_at: number
  /** The last change of what other processes keep of this account. */
  changed_at: number
  /** Until everybody has made what a new account is to have. */
  creation_pending?: true
}

/** A language as it was wished for: any well-formed tag, stored as the nearest language that there is. */
interface WantedLocale {
  locale?: string | null
}

/** What a new account is made of; all but the name has a default. */
export type NewUser = Pick<UserDocument, 'username'> & { id?: string } & Partial<
    Pick<
      UserDocument,
      'role' | 'display_name' | 'email' | 'permissions' | 'identities' | 'workspace_root_dir' | 'token_quota'
    >
  > &
  WantedLocale & { password?: string }

/** The fields of an account that its own user or a user manager may set. */
export type UserChanges = Partial<
  Pick<
    UserDocument,
    'role' | 'display_name' | 'email' | 'enabled' | 'permissions' | 'workspace_root_dir' | 'token_quota'
  >
> &
  WantedLocale

/** A condition that an account must still fit when it is changed. */
export type UserCondition = Partial<
  Pick<
    UserDocument,
    'role' | 'password_hash' | 'permissions' | 'workspace_root_dir' | 'token_quota' | 'email' | 'enabled'
  >
>

/** The deletion of an account that is under way; `_id` is the account's, `begun_at` Unix seconds. */
export interface UserDeletionDocument {
  _id: string
  username: string
  begun_at: number
}

/** A change that is under way alone on all processes, until a time in Unix milliseconds at most. */
export interface UserLockDocument {
  _id: string
  lease: string
  until: number
}

declare module '#kernel/types' {
  interface Collections {
    users: {
      users: UserDocument
      user_deletions: UserDeletionDocument
      user_locks: UserLockDocument
    }
  }
  interface Events {
    /** An account was created, with all that it begins with. May come again after a crash. */
    'user.created': { user_id: string; username: string }
    /** The role, permissions, language, profile or enabled flag of an account have changed. */
    'user.changed': { user_id: string }
    /** An account and all that was kept of it is gone. May come again after a crash. */
    'user.deleted': { user_id: string; username: string }
  }
  interface ExtensionPoints {
    /** Makes what a new account begins with. Called again after a crash. */
    'users.creation': (asked: { user_id: string; username: string }) => unknown
    /** Removes what a plugin keeps of an account. Called again after a crash. */
    'users.removal': (asked: { user_id: string; username: string }) => unknown
  }
}
