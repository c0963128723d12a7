import type { AccountLockout } from '../auth/account-lockout.ts'
import type { Account } from '../users/types.ts'
import type { Cradle } from './manifest.ts'
import type { AccountRow } from './schemas.ts'

/** The parts that rows of accounts are made with. */
type Parts = { accountLockout: AccountLockout } & Pick<Cradle, 'extensions' | 'users'>

/** Returns the rows of accounts for user managers; looks up the login locks of all of them in one query. */
export async function toAccountRows(
  accounts: readonly Account[],
  { accountLockout, extensions, users: { storedOf } }: Parts,
): Promise<AccountRow[]> {
  const group_ids = [...new Set(accounts.flatMap((account) => account.group_ids))]
  const [locks, factors, groupAnswers] = await Promise.all([
    accountLockout.listLocks(accounts.map(({ username }) => username)),
    extensions['accounts.second_factors'].ask({ user_ids: accounts.map(({ _id }) => _id) }),
    extensions['users.groups'].ask({ ids: group_ids }),
  ])
  const groups = new Map(groupAnswers.flatMap((byId) => [...byId]))
  return accounts
    .map(storedOf)
    .map(
      ({
        _id,
        password_hash,
        identities = [],
        changed_at,
        creation_pending,
        username_key,
        display_name_key,
        group_ids: ids = [],
        last_login_at = null,
        budget = null,
        timezone = null,
        last_seen_at,
        ...shown
      }) => {
        const seconds = locks.get(shown.username)
        const second_factors = factors.flatMap((byUser) => [...(byUser.get(_id) ?? [])])
        return {
          id: _id,
          ...shown,
          budget,
          timezone,
          groups: ids.flatMap((group_id) => {
            const group = groups.get(group_id)
            return group ? [{ id: group._id, name: group.name }] : []
          }),
          last_login_at,
          last_seen: last_seen_at || null,
          has_password: password_hash !== null,
          sso_linked: identities.length > 0,
          login_locked: seconds !== undefined,
          login_retry_after_seconds: seconds ?? null,
          ...(second_factors.length > 0 && { second_factors }),
        }
      },
    )
}

/** Returns the row of one account. */
export async function toAccountRow(user: Account, cradle: Parts): Promise<AccountRow> {
  const [row] = await toAccountRows([user], cradle)
  return row!
}
