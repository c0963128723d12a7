import { AppError, type TypeOf } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { inviteRow } from './schemas.ts'

/** The status of an invite. */
export type InviteStatus = TypeOf<typeof inviteRow>['status']

/** One invite. Times are Unix seconds unless stated otherwise. */
export interface InviteDocument {
  _id: string
  /** SHA-256 of the code, base64url; the code itself is not stored. */
  code_hash: string
  note: string | null
  /** Intended for the new account; on redemption, those that the inviter cannot grant any more are dropped. */
  permissions: string[]
  /** The groups to join, under the same condition; missing if there are none. */
  group_ids?: string[]
  created_by: string
  created_by_id: string
  created_at: number
  expires_at: number
  revoked_at: number | null
  used_at: number | null
  /** The new account's name; null until it is created and after it is deleted. */
  used_by: string | null
  /**
   * The id of the only account that this invite can create: chosen with the invite, so that a second redemption
   * collides with the first. Null once that account is deleted.
   */
  user_id: string | null
  /** The end of the claim of a redemption in progress, in Unix milliseconds; 0 if there is none. */
  claimed_until: number
  /** RETENTION_SECONDS after the end of the invite, for the TTL index. */
  delete_at: Date
}

declare module '#kernel/types' {
  interface Collections {
    invites: {
      invites: InviteDocument
    }
  }
}

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

/** Returns invites as user managers see them. */
export async function toInviteRows(
  invites: readonly InviteDocument[],
  { clock, extensions }: Pick<Cradle, 'clock' | 'extensions'>,
): Promise<TypeOf<typeof inviteRow>[]> {
  const ids = [...new Set(invites.flatMap(({ group_ids = [] }) => group_ids))]
  const answers = await extensions['users.groups'].ask({ ids })
  const groups = new Map(answers.flatMap((byId) => [...byId]))
  const now = clock.seconds()
  return invites.map((invite) => {
    const { _id: id, code_hash, created_by_id, user_id, claimed_until, delete_at, ...stored } = invite
    const { group_ids = [], ...shown } = stored
    const named = group_ids.flatMap((group_id) => groups.get(group_id) ?? [])
    return {
      id,
      invite_id: id,
      ...shown,
      groups: named.map(({ _id, name }) => ({ id: _id, name })),
      status: getStatus(invite, now),
    }
  })
}

/** Returns one invite in the same form. */
export async function toInviteRow(invite: InviteDocument, cradle: Pick<Cradle, 'clock' | 'extensions'>) {
  const [row] = await toInviteRows([invite], cradle)
  return row!
}
