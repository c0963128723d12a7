/** What has become of an invite. */
export type InviteStatus = 'pending' | 'used' | 'expired' | 'revoked'

/** One invite. Times are Unix seconds unless told otherwise. */
export interface InviteDocument {
  _id: string
  /** SHA-256 of the code, base64url; the code itself is kept nowhere. */
  code_hash: string
  note: string | null
  /** What the new account is meant to get; what of it still counts is found out on redemption. */
  permissions: string[]
  created_by: string
  created_by_id: string
  created_at: number
  expires_at: number
  revoked_at: number | null
  used_at: number | null
  /** The new account's name; null while there is none and after it was deleted. */
  used_by: string | null
  /**
   * The id of the only account that this invite can make: chosen with the invite, so that a second attempt
   * collides with the first. Null once that account was deleted.
   */
  user_id: string | null
  /** Until when it is somebody's to redeem, in Unix milliseconds; 0 while it is nobody's. */
  claimed_until: number
  /** Some time after its end, as the TTL index wants it. */
  delete_at: Date
}

declare module '#kernel/types' {
  interface Collections {
    invites: {
      invites: InviteDocument
    }
  }
}
