import { AppError, type Locale, type TypeOf } from '#plugin-api'
import type { Account } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import { findRefusal, type InviteDocument } from './invite.ts'
import type { Invites } from './invites.ts'
import type { Cradle } from './manifest.ts'
import type { redemption } from './schemas.ts'

/** The code of an invite, with the account to create. */
type Redemption = TypeOf<typeof redemption> & { locale: Locale }

/** Creates the account of each invite. */
export type Redemptions = ReturnType<typeof createRedemptions>

/** Creates the redemption of invites. */
export function createRedemptions({
  invites,
  users,
  permissionCatalog,
  extensions,
  clock,
}: { invites: Invites; users: Users } & Pick<Cradle, 'permissionCatalog' | 'extensions' | 'clock'>) {
  const findPending = async (code: string): Promise<InviteDocument> => {
    const invite = await invites.findByCode(code)
    const refusal = findRefusal(invite, clock.seconds())
    if (refusal) throw refusal
    return invite!
  }

  /** Returns the inviter; undefined if that account is deleted or may no longer invite, which revokes the invite. */
  const findInviter = async ({ created_by_id }: InviteDocument): Promise<Account | undefined> => {
    const inviter = await users.find(created_by_id)
    return inviter && users.isManager(inviter) ? inviter : undefined
  }

  /** Returns the permissions of an invite that its inviter could still grant and that a plugin still declares. */
  const selectPermissions = (
    { permissions }: InviteDocument,
    { role, permissions: inviterPermissions }: Account,
  ) =>
    permissions.filter(
      (key) => permissionCatalog.get(key) && (role === 'admin' || inviterPermissions.includes(key)),
    )

  /** Returns the groups of an invite that still exist and whose permissions its inviter could still grant. */
  const selectGroups = async (
    { group_ids = [] }: InviteDocument,
    { role, permissions: inviterPermissions }: Account,
  ): Promise<string[]> => {
    const answers = await extensions['users.groups'].ask({ ids: group_ids })
    const groups = answers.flatMap((byId) => [...byId.values()])
    const isHeld = (key: string) => !permissionCatalog.get(key) || inviterPermissions.includes(key)
    return groups
      .filter(({ permissions }) => role === 'admin' || permissions.every(isHeld))
      .map(({ _id }) => _id)
  }

  const createAccount = async (
    claimed: InviteDocument,
    { username, password, display_name = null, locale }: Redemption,
  ): Promise<Account> => {
    const inviter = await findInviter(claimed)
    if (!inviter) {
      await invites.revokeClaimed(claimed)
      throw new AppError('INVITE_REVOKED')
    }
    const user = await users.create({
      id: claimed.user_id!,
      username,
      password,
      display_name,
      locale,
      role: 'user',
      permissions: selectPermissions(claimed, inviter),
      group_ids: await selectGroups(claimed, inviter),
    })
    await invites.markUsed(claimed, user)
    return user
  }

  return {
    /** Returns the pending invite of a code. Throws INVITE_INVALID, INVITE_USED, INVITE_EXPIRED, INVITE_REVOKED. */
    async validate(code: string): Promise<InviteDocument> {
      const invite = await findPending(code)
      if (!(await findInviter(invite))) throw new AppError('INVITE_REVOKED')
      return invite
    },

    /**
     * Creates the account. Throws the errors of `validate`, USERNAME_TAKEN, VALIDATION_FAILED, PASSWORD_TOO_WEAK or
     * PASSWORD_CHECKS_BUSY; after any of them the invite can still be redeemed.
     */
    async redeem(redemption: Redemption): Promise<Account> {
      const { _id } = await findPending(redemption.code)
      // Checked after the code, so that only invited people can find out which usernames exist.
      if (await users.findByUsername(redemption.username)) throw new AppError('USERNAME_TAKEN')
      users.assertStrongPassword(redemption.password)
      const claimed = await invites.claim(_id)
      try {
        return await createAccount(claimed, redemption)
      } catch (error) {
        const released = await invites.release(claimed)
        // The taken name may be this invite's own account, created by a redemption that outlasted its claim.
        if (error instanceof AppError && error.code === 'USERNAME_TAKEN' && released?.used_at)
          throw new AppError('INVITE_USED', {}, { cause: error })
        throw error
      }
    },
  }
}
