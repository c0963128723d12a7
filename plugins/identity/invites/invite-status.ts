import { AppError, type TypeOf } from '#kernel'
import type { inviteRow } from './schemas.ts'
import type { InviteDocument, InviteStatus } from './types.ts'

const REFUSALS = { used: 'INVITE_USED', expired: 'INVITE_EXPIRED', revoked: 'INVITE_REVOKED' } as const

/** Returns the status of an invite at a time in Unix seconds; `used` takes precedence over the others. */
function getStatus({ used_at, revoked_at, expires_at }: InviteDocument, now: number): InviteStatus {
  if (used_at !== null) return 'used'
  if (revoked_at !== null) return 'revoked'
  return expires_at <= now ? 'expired' : 'pending'
}

/** Returns the error of redeeming an invite at a time in Unix seconds; undefined if it can be redeemed. */
export function findRefusal(invite: InviteDocument | null, now: number): AppError | undefined {
  if (!invite) return new AppError('INVITE_INVALID')
  const status = getStatus(invite, now)
  return status === 'pending' ? undefined : new AppError(REFUSALS[status])
}

/** Returns an invite as user managers see it. */
export function toInviteRow(invite: InviteDocument, now: number): TypeOf<typeof inviteRow> {
  const { _id: id, code_hash, created_by_id, user_id, claimed_until, delete_at, ...shown } = invite
  return { id, invite_id: id, ...shown, status: getStatus(invite, now) }
}
