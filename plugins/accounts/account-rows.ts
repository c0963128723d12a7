import type { AccountLockout } from '../auth/account-lockout.ts'
import type { UserDocument } from '../users/types.ts'
import type { AccountRow } from './schemas.ts'

/** Returns the rows of accounts for user managers; looks up the login locks of all of them in one query. */
export async function toAccountRows(
  users: readonly UserDocument[],
  { accountLockout }: { accountLockout: AccountLockout },
): Promise<AccountRow[]> {
  const locks = await accountLockout.listLocks(users.map(({ username }) => username))
  return users.map(({ _id, password_hash, identities = [], changed_at, creation_pending, ...shown }) => {
    const seconds = locks.get(shown.username)
    return {
      id: _id,
      ...shown,
      has_password: password_hash !== null,
      sso_linked: identities.length > 0,
      login_locked: seconds !== undefined,
      login_retry_after_seconds: seconds ?? null,
    }
  })
}

/** Returns the row of one account. */
export async function toAccountRow(
  user: UserDocument,
  cradle: { accountLockout: AccountLockout },
): Promise<AccountRow> {
  const [row] = await toAccountRows([user], cradle)
  return row!
}
