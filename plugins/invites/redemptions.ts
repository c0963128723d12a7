import { AppError } from '#kernel'
import type { UserDocument } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import { refusalOf } from './invite-status.ts'
import type { Invites } from './invites.ts'
import type { Cradle } from './manifest.ts'
import type { InviteDocument } from './types.ts'

/** Who redeems an invite, and with which code. */
export type Redemption = { code: string; username: string; password: string; display_name?: string | null }

/** Turns each invite into one account. */
export type Redemptions = ReturnType<typeof createRedemptions>

/** Makes the redeemer of invites. */
export function createRedemptions({
  invites,
  users,
  permissionCatalog,
  clock,
}: { invites: Invites; users: Users } & Pick<Cradle, 'permissionCatalog' | 'clock'>) {
  const findPending = async (code: string): Promise<InviteDocument> => {
    const invite = await invites.findByCode(code)
    const refusal = refusalOf(invite, clock.seconds())
    if (refusal) throw refusal
    return invite!
  }

  /** Nothing where the inviter has gone or may no longer invite, which makes the invite a revoked one. */
  const findInviter = async ({ created_by_id }: InviteDocument): Promise<UserDocument | undefined> => {
    const inviter = await users.find(created_by_id)
    return inviter && users.isManager(inviter) ? inviter : undefined
  }

  /** What of the invite its inviter could still grant and some plugin still declares. */
  const permissionsFrom = ({ permissions }: InviteDocument, { role, permissions: held }: UserDocument) =>
    permissions.filter((key) => permissionCatalog.get(key) && (role === 'admin' || held.includes(key)))

  const createAccount = async (
    claimed: InviteDocument,
    { username, password, display_name = null }: Redemption,
  ): Promise<UserDocument> => {
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
      role: 'user',
      permissions: permissionsFrom(claimed, inviter),
    })
    await invites.markUsed(claimed, user)
    return user
  }

  return {
    /** The pending invite of a code. Throws INVITE_INVALID, INVITE_USED, INVITE_EXPIRED, INVITE_REVOKED. */
    async validate(code: string): Promise<InviteDocument> {
      const invite = await findPending(code)
      if (!(await findInviter(invite))) throw new AppError('INVITE_REVOKED')
      return invite
    },

    /**
     * Makes the account. Throws what `validate` does, USERNAME_TAKEN, VALIDATION_FAILED, PASSWORD_TOO_WEAK or
     * PASSWORD_CHECKS_BUSY, none of which uses the invite up.
     */
    async redeem(redemption: Redemption): Promise<UserDocument> {
      const { _id } = await findPending(redemption.code)
      // After the code, so that only the invited can find out which usernames there are.
      if (await users.findByUsername(redemption.username)) throw new AppError('USERNAME_TAKEN')
      users.assertStrongPassword(redemption.password)
      const claimed = await invites.claim(_id)
      try {
        return await createAccount(claimed, redemption)
      } catch (error) {
        const released = await invites.release(claimed)
        // What is taken may be the id, by somebody who needed longer than a claim lasts and was still first.
        if (error instanceof AppError && error.code === 'USERNAME_TAKEN' && released?.used_at)
          throw new AppError('INVITE_USED', {}, { cause: error })
        throw error
      }
    },
  }
}
