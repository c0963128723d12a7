import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Filter } from 'mongodb'
import { AppError, findPage, type Page, type PageRequest } from '#kernel'
import type { Grants } from '../accounts/grants.ts'
import type { AuthCaller } from '../auth/types.ts'
import type { UserDocument } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import { refusalOf } from './invite-status.ts'
import type { Cradle } from './manifest.ts'
import type { InviteDocument } from './types.ts'

const CODE_BYTES = 24
const DAY_SECONDS = 86_400
const KEPT_SECONDS = 90 * DAY_SECONDS
/** How long a redemption keeps others away at most, also when its process dies during it. */
const CLAIM_MS = 10_000
const CLAIM_POLL_MS = 50

/** What an invite is made of. */
export type NewInvite = { expires_in_days: number; note?: string | null; permissions: string[] }

/** The invites: what user managers do with them, and the claims of those who redeem them. */
export type Invites = ReturnType<typeof createInvites>

/** Makes the store of invites. */
export function createInvites({
  collections: { invites },
  users,
  grants,
  clock,
  ids,
}: { users: Users; grants: Grants } & Pick<Cradle, 'collections' | 'clock' | 'ids'>) {
  /** Writes down that the account was made, unless that is written down already. */
  const markUsed = async (
    { _id }: InviteDocument,
    { _id: user_id, username }: UserDocument,
  ): Promise<void> => {
    const used_at = clock.seconds()
    await invites.updateOne(
      { _id, user_id, used_at: null },
      { $set: { used_at, used_by: username, claimed_until: 0, delete_at: deletionAfter(used_at) } },
    )
  }

  /** Ends a claim: if the account is there the invite is used, if not the next may have it. */
  const release = async (claimed: InviteDocument): Promise<InviteDocument | null> => {
    const { _id, user_id, claimed_until } = claimed
    const user = user_id === null ? null : await users.find(user_id)
    if (user) await markUsed(claimed, user)
    else await invites.updateOne({ _id, claimed_until }, { $set: { claimed_until: 0 } })
    return invites.findOne({ _id })
  }

  /** The invite as it is once a claim has ended that outlived its process. */
  const settle = async (invite: InviteDocument): Promise<InviteDocument | null> =>
    invite.claimed_until > 0 && invite.claimed_until <= clock.now() ? release(invite) : invite

  const find = async (filter: Filter<InviteDocument>): Promise<InviteDocument | null> => {
    const invite = await invites.findOne(filter)
    return invite && settle(invite)
  }

  /** Changes an invite in one write, after any redemption in flight; throws `refuse` of one not pending. */
  const changePending = async (
    _id: string,
    change: () => Partial<InviteDocument>,
    refuse: (standing: InviteDocument | null, reason: AppError) => AppError,
  ): Promise<InviteDocument> => {
    for (;;) {
      const changed = await invites.findOneAndUpdate(
        { _id, used_at: null, revoked_at: null, expires_at: { $gt: clock.seconds() }, claimed_until: 0 },
        { $set: change() },
        { returnDocument: 'after' },
      )
      if (changed) return changed
      const standing = await find({ _id })
      const reason = refusalOf(standing, clock.seconds())
      if (reason) throw refuse(standing, reason)
      if (standing!.claimed_until > 0) await pause(CLAIM_POLL_MS)
    }
  }

  const revocation = () => {
    const revoked_at = clock.seconds()
    return { revoked_at, claimed_until: 0, delete_at: deletionAfter(revoked_at) }
  }

  return {
    /** Gives the code too, for the only time. Throws VALIDATION_FAILED, GRANT_EXCEEDS, AUTH_FAILED. */
    async create(
      caller: AuthCaller,
      { expires_in_days, note = null, permissions }: NewInvite,
    ): Promise<{ invite: InviteDocument; code: string }> {
      grants.assertGrantable(caller, { permissions })
      const code = randomBytes(CODE_BYTES).toString('base64url')
      const created_at = clock.seconds()
      const expires_at = created_at + expires_in_days * DAY_SECONDS
      const invite: InviteDocument = {
        _id: ids.make(),
        code_hash: hashOf(code),
        note,
        permissions,
        created_by: caller.username,
        created_by_id: caller.id,
        created_at,
        expires_at,
        revoked_at: null,
        used_at: null,
        used_by: null,
        user_id: ids.make(),
        claimed_until: 0,
        delete_at: deletionAfter(expires_at),
      }
      await invites.insertOne(invite)
      // A deletion of the inviter that was quicker has already removed what it knew of.
      if (!(await users.find(caller.id))) {
        await invites.deleteOne({ _id: invite._id })
        throw new AppError('AUTH_FAILED')
      }
      return { invite, code }
    },

    /** The invites that are still kept, the newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    async list(page: PageRequest): Promise<Page<InviteDocument>> {
      const listing = { parts: [{}], sort: { created_at: -1, _id: -1 } } as const
      const { rows, next } = await findPage(invites, listing, page)
      const settled = await Promise.all(rows.map(settle))
      return { rows: settled.filter((invite) => invite !== null), next }
    },

    findByCode: (code: string) => find({ code_hash: hashOf(code) }),

    /** Throws NOT_FOUND, INVITE_NOT_PENDING. */
    revoke: (invite_id: string) =>
      changePending(
        invite_id,
        revocation,
        (standing) => new AppError(standing ? 'INVITE_NOT_PENDING' : 'NOT_FOUND'),
      ),

    /** Keeps everybody else away for a while. Throws the refusal of an invite that is no longer pending. */
    claim: (invite_id: string) =>
      changePending(
        invite_id,
        () => ({ claimed_until: clock.now() + CLAIM_MS }),
        (_, reason) => reason,
      ),

    /** Revokes an invite in the name of whoever has claimed it. */
    async revokeClaimed({ _id, claimed_until }: InviteDocument): Promise<void> {
      await invites.updateOne({ _id, claimed_until, used_at: null }, { $set: revocation() })
    },

    markUsed,
    release,

    /** Removes what an account that goes has created, and its name from the invite that made it. */
    async forgetUser(user_id: string): Promise<void> {
      await invites.deleteMany({ created_by_id: user_id })
      const used_at = clock.seconds()
      // The account was there, so its invite must not become free again if nobody has written that down yet.
      await invites.updateMany(
        { user_id, used_at: null },
        { $set: { used_at, claimed_until: 0, delete_at: deletionAfter(used_at) } },
      )
      await invites.updateMany({ user_id }, { $set: { used_by: null, user_id: null } })
    },
  }
}

const hashOf = (code: string) => createHash('sha256').update(code).digest('base64url')

const deletionAfter = (seconds: number) => new Date((seconds + KEPT_SECONDS) * 1000)
