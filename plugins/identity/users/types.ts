import type { Grants, Locale, Sharer } from '#plugin-api'

/** The role of an account; administrators hold every permission. */
export type Role = 'user' | 'admin'

/** The money that an account may spend in each window, which begins at midnight, on Monday or on the first of a month. */
export interface Budget {
  /** In the currency of the server. */
  amount: number
  window: 'day' | 'week' | 'month'
  /** The group that the budget of an account comes from; missing for its own. */
  group_id?: string
}

/** An identity at another service with which an account signs in. */
export interface LinkedIdentity {
  /** The way of signing in, such as `oidc`; an account has at most one identity of each kind. */
  kind: string
  /** Identifies the person at that service; unique among all accounts. */
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
  /** The granted permissions; an administrator's list keeps what was stored before. */
  permissions: string[]
  /** The groups whose rights the account has as well; missing if it was never in one. */
  group_ids?: string[]
  /** Null if the account cannot sign in with a password. */
  password_hash: string | null
  must_change_password: boolean
  /** Absent if no identity was ever linked. */
  identities?: LinkedIdentity[]
  workspace_root_dir: string | null
  token_quota: number | null
  budget: Budget | null
  /** The IANA name of the zone in which budgets begin anew; null for that of the server. */
  timezone: string | null
  /** False if agents remember nothing about the account; missing in accounts that have not switched it off. */
  memory?: boolean
  tokens_used: number
  created_at: number
  updated_at: number
  /** The time of the last change that other processes must notice. */
  changed_at: number
  /** The last time at which somebody signed in; absent before the first. */
  last_login_at?: number
  /** The last request or sign-in, to about five minutes; 0 before the first. */
  last_seen_at: number
  /** The username and the display name in a form that sorts in natural order. */
  username_key: string
  display_name_key: string
  /** Set until every plugin has created what a new account starts with. */
  creation_pending?: true
}

/** The rights that each member of a group has by it. */
export type GroupRights = OwnRights & { _id: string; name: string }

/** The rights of an account that its groups may extend. */
type OwnRights = Pick<UserDocument, 'permissions' | 'token_quota' | 'budget'>

/**
 * An account with the rights that it has: its own and the rights of its groups. A quota or budget of its own replaces
 * the quotas or budgets of its groups, of which otherwise the largest counts.
 */
export interface Account extends UserDocument {
  group_ids: string[]
  /** The rights that are stored in the account itself. */
  own: OwnRights
}

/** The limits of the model calls of an account. */
export type SpendingLimits = Pick<UserDocument, 'token_quota' | 'budget' | 'timezone'>

/** A requested language: any well-formed tag, stored as the nearest supported language. */
interface WantedLocale {
  locale?: string | null
}

/** An account that has changed. */
export type ChangedAccount = Pick<UserDocument, '_id' | 'enabled' | 'changed_at'>

/** The fields of a new account; every field but the name has a default. */
export type NewUser = Pick<UserDocument, 'username'> & { id?: string } & Partial<
    Pick<
      UserDocument,
      | 'role'
      | 'display_name'
      | 'email'
      | 'permissions'
      | 'identities'
      | 'workspace_root_dir'
      | 'token_quota'
      | 'group_ids'
      | 'budget'
      | 'timezone'
    >
  > &
  WantedLocale & { password?: string }

/** The fields of an account that its user or a user manager may change. */
export type UserChanges = Partial<
  Pick<
    UserDocument,
    | 'role'
    | 'display_name'
    | 'email'
    | 'enabled'
    | 'permissions'
    | 'workspace_root_dir'
    | 'token_quota'
    | 'budget'
    | 'timezone'
    | 'memory'
  >
> &
  WantedLocale

/** The fields that the entity tag of an account is made from. */
export const userFields = [
  'role',
  'display_name',
  'email',
  'enabled',
  'permissions',
  'workspace_root_dir',
  'token_quota',
  'budget',
  'locale',
  'timezone',
  'memory',
] as const

/** A condition that an account must still match when it is written. */
export type UserCondition = Partial<Pick<UserDocument, (typeof userFields)[number] | 'password_hash'>>

/** A deletion in progress; `_id` is the id of the account, `begun_at` is in Unix seconds. */
export interface UserDeletionDocument {
  _id: string
  username: string
  begun_at: number
}

/** A lock across all processes; it expires at `until`, in Unix milliseconds. */
interface UserLockDocument {
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
    /** An account was created, with everything it starts with. May be emitted again after a crash. */
    'user.created': { user_id: string; username: string }
    /** The role, permissions, language, profile or enabled flag of an account have changed. */
    'user.changed': { user_id: string }
    /** A group has other rights, or is gone: the rights of all who are or were its members may have changed. */
    'group.changed': { group_id: string; user_ids: readonly string[] }
    /** An account and all its data were deleted. May be emitted again after a crash. */
    'user.deleted': { user_id: string; username: string }
  }
  interface ExtensionPoints {
    /** Returns the rights of the groups with these ids, by id; ids of missing groups are left out. */
    'users.groups': (question: { ids: readonly string[] }) => Promise<ReadonlyMap<string, GroupRights>>
    /** Returns the groups that exist under these ids or names, whatever their case, each by the name as it was asked for. */
    'users.named_groups': (question: {
      names: readonly string[]
    }) => Promise<ReadonlyMap<string, GroupRights>>
    /** Returns the groups that new accounts are in. */
    'users.first_groups': (question: object) => Promise<readonly string[]>
    /**
     * Throws an AppError if an account may not share something of its own with these people and groups, each of which
     * is `user:<id>`, `group:<id>` or `everyone`.
     */
    'users.sharing': (question: {
      sharer: { id: string; role: Role; groups: readonly string[] }
      with: readonly string[]
    }) => unknown
    /**
     * Returns with whom a thing of a kind is shared, after replacing it if `entries` are given. Throws the error of the
     * kind, NOT_FOUND if its plugin is switched off, FORBIDDEN, VALIDATION_FAILED, SHARING_OFF, SHARING_LIMITED.
     */
    'users.grants': (question: {
      caller: Sharer
      kind: string
      key: string
      entries?: Grants
    }) => Promise<Grants>
    /** Creates what a new account starts with. Called again after a crash. */
    'users.creation': (question: { user_id: string; username: string }) => unknown
    /** Removes what a plugin stores about an account. Called again after a crash. */
    'users.removal': (question: { user_id: string; username: string }) => unknown
  }
}
