import type { TypeOf } from '#kernel'
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
