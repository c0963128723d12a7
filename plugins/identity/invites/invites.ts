import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Filter } from 'mongodb'
import { AppError, findPage, type Page, type PageRequest, type TypeOf } from '#plugin-api'
import type { Grants } from '../accounts/grants.ts'
import type { GroupGrants } from '../accounts/group-grants.ts'
import type { AuthCaller } from '../auth/types.ts'
import type { Account } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import { findRefusal, type InviteDocument } from './invite.ts'
import type { Cradle } from './manifest.ts'
import type { newInvite } from './schemas.ts'

const CODE_BYTES = 24
const DAY_SECONDS = 86_400
const RETENTION_SECONDS = 90 * DAY_SECONDS
/** The longest that one redemption keeps an invite; a process that dies leaves it for this long. */
const CLAIM_MS = 10_000
const CLAIM_POLL_MS = 50

/** The fields of a new invite. */
type NewInvite = TypeOf<typeof newInvite>

/** The store of invites, and of the claims of their redemptions. */
export type Invites = ReturnType<typeof createInvites>

/** Creates the store of invites. */
export function createInvites({
  collections: { invites },
  users,
  grants,
  groupGrants,
  clock,
  ids,
}: { users: Users; grants: Grants; groupGrants: GroupGrants } & Pick<
  Cradle,
  'collections' | 'clock' | 'ids'
>) {
  /** Records that the account was created, unless that is recorded already. */
  const markUsed = async ({ _id }: InviteDocument, { _id: user_id, username }: Account): Promise<void> => {
    const used_at = clock.seconds()
    await invites.updateOne(
      { _id, user_id, used_at: null },
      { $set: { used_at, used_by: username, claimed_until: 0, delete_at: toDeletionDate(used_at) } },
    )
  }

  /** Ends a claim: if its account exists, the invite is used; otherwise it can be claimed again. */
  const release = async (claimed: InviteDocument): Promise<InviteDocument | null> => {
    const { _id, user_id, claimed_until } = claimed
    const user = user_id === null ? null : await users.find(user_id)
    if (user) await markUsed(claimed, user)
    else await invites.updateOne({ _id, claimed_until }, { $set: { claimed_until: 0 } })
    return invites.findOne({ _id })
  }

  /** Ends an expired claim, whose process died, and returns the invite as it is then. */
  const settle = async (invite: InviteDocument): Promise<InviteDocument | null> =>
    invite.claimed_until > 0 && invite.claimed_until <= clock.now() ? release(invite) : invite

  const find = async (filter: Filter<InviteDocument>): Promise<InviteDocument | null> => {
    const invite = await invites.findOne(filter)
    return invite && settle(invite)
  }

  /** Changes a pending invite in one write, after any redemption in progress; throws `refuse` for other invites. */
  const changePending = async (
    _id: string,
    change: () => Partial<InviteDocument>,
    refuse: (invite: InviteDocument | null, reason: AppError) => AppError,
  ): Promise<InviteDocument> => {
    for (;;) {
      const changed = await invites.findOneAndUpdate(
        { _id, used_at: null, revoked_at: null, expires_at: { $gt: clock.seconds() }, claimed_until: 0 },
        { $set: change() },
        { returnDocument: 'after' },
      )
      if (changed) return changed
      const invite = await find({ _id })
      const reason = findRefusal(invite, clock.seconds())
      if (reason) throw refuse(invite, reason)
      if (invite!.claimed_until > 0) await pause(CLAIM_POLL_MS)
    }
  }

  const makeRevocation = () => {
    const revoked_at = clock.seconds()
    return { revoked_at, claimed_until: 0, delete_at: toDeletionDate(revoked_at) }
  }

  return {
    /**
     * Creates an invite; returns it with its code, which is not stored. Throws VALIDATION_FAILED, GRANT_EXCEEDS,
     * AUTH_FAILED if the caller's account was deleted meanwhile.
     */
    async create(
      caller: AuthCaller,
      { expires_in_days, note = null, permissions, groups }: NewInvite,
    ): Promise<{ invite: InviteDocument; code: string }> {
      grants.assertGrantable(caller, { permissions })
      const group_ids = await groupGrants.resolve(caller, groups)
      const code = randomBytes(CODE_BYTES).toString('base64url')
      const created_at = clock.seconds()
      const expires_at = created_at + expires_in_days * DAY_SECONDS
      const invite: InviteDocument = {
        _id: ids.make(),
        code_hash: hashCode(code),
        note,
        permissions,
        ...(group_ids.length > 0 && { group_ids }),
        created_by: caller.username,
        created_by_id: caller.id,
        created_at,
        expires_at,
        revoked_at: null,
        used_at: null,
        used_by: null,
        user_id: ids.make(),
        claimed_until: 0,
        delete_at: toDeletionDate(expires_at),
      }
      await invites.insertOne(invite)
      // If the inviter was deleted meanwhile, that deletion did not see this invite.
      if (!(await users.find(caller.id))) {
        await invites.deleteOne({ _id: invite._id })
        throw new AppError('AUTH_FAILED')
      }
      return { invite, code }
    },

    /** Lists the invites, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    async list(page: PageRequest): Promise<Page<InviteDocument>> {
      const listing = { parts: [{}], sort: { created_at: -1, _id: -1 } } as const
      const { rows, next } = await findPage(invites, listing, page)
      const settled = await Promise.all(rows.map(settle))
      return { rows: settled.filter((invite) => invite !== null), next }
    },

    findByCode: (code: string) => find({ code_hash: hashCode(code) }),

    /** Revokes a pending invite. Throws NOT_FOUND, INVITE_NOT_PENDING. */
    revoke: (invite_id: string) =>
      changePending(
        invite_id,
        makeRevocation,
        (invite) => new AppError(invite ? 'INVITE_NOT_PENDING' : 'NOT_FOUND'),
      ),

    /** Reserves a pending invite for CLAIM_MS. Throws the error of redeeming it if it is no longer pending. */
    claim: (invite_id: string) =>
      changePending(
        invite_id,
        () => ({ claimed_until: clock.now() + CLAIM_MS }),
        (_, reason) => reason,
      ),

    /** Revokes an invite on behalf of the holder of the claim. */
    async revokeClaimed({ _id, claimed_until }: InviteDocument): Promise<void> {
      await invites.updateOne({ _id, claimed_until, used_at: null }, { $set: makeRevocation() })
    },

    markUsed,
    release,

    /** Removes the invites of a deleted account, and the account from the invite that created it. */
    async forgetUser(user_id: string): Promise<void> {
      await invites.deleteMany({ created_by_id: user_id })
      const used_at = clock.seconds()
      // The account existed, so its invite must not become redeemable again if its use was not recorded yet.
      await invites.updateMany(
        { user_id, used_at: null },
        { $set: { used_at, claimed_until: 0, delete_at: toDeletionDate(used_at) } },
      )
      await invites.updateMany({ user_id }, { $set: { used_by: null, user_id: null } })
    },
  }
}

const hashCode = (code: string) => createHash('sha256').update(code).digest('base64url')

const toDeletionDate = (seconds: number) => new Date((seconds + RETENTION_SECONDS) * 1000)
