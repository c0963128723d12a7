import { AppError } from '#kernel'
import type { InviteDocument, InviteStatus } from './types.ts'

const REFUSALS = { used: 'INVITE_USED', expired: 'INVITE_EXPIRED', revoked: 'INVITE_REVOKED' } as const

/** What has become of an invite at a time in Unix seconds; an account that was made outweighs the rest. */
export function statusOf({ used_at, revoked_at, expires_at }: InviteDocument, now: number): InviteStatus {
  if (used_at !== null) return 'used'
  if (revoked_at !== null) return 'revoked'
  return expires_at <= now ? 'expired' : 'pending'
}

/** Why an invite cannot be redeemed at a time in Unix seconds; nothing where it can. */
export function refusalOf(invite: InviteDocument | null, now: number): AppError | undefined {
  if (!invite) return new AppError('INVITE_INVALID')
  const status = statusOf(invite, now)
  return status === 'pending' ? undefined : new AppError(REFUSALS[status])
}

/** An invite as user managers see it. */
export function showInvite(invite: InviteDocument, now: number) {
  const {
    _id: id,
    note,
    permissions,
    created_by,
    created_at,
    expires_at,
    used_at,
    used_by,
    revoked_at,
  } = invite
  const status = statusOf(invite, now)
  return {
    id,
    invite_id: id,
    note,
    created_by,
    created_at,
    expires_at,
    used_at,
    used_by,
    revoked_at,
    status,
    permissions,
  }
}
