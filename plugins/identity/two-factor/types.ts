/** The authenticator app of an account; `_id` is the account's. Times are Unix seconds. */
export interface TotpFactorDocument {
  _id: string
  /** Changes when another app replaces this one. */
  factor_id: string
  /** The sealed secret in Base32. */
  secret: string
  /** The time step of the last code that was accepted; no code of it or an earlier one is accepted again. */
  last_step: number
  /** Hashes of the recovery codes that were not used yet. */
  recovery_hashes: string[]
  confirmed_at: number
  last_used_at: number
}

/** An authenticator app that its user is setting up; `_id` is the account's. */
export interface TotpSetupDocument {
  _id: string
  setup_id: string
  /** The only session that can confirm it. */
  session_id: string
  /** The app that it replaces; null if the account had none. */
  replaces: string | null
  /** The sealed secret in Base32. */
  secret: string
  /** Unix seconds. */
  expires_at: number
  delete_at: Date
}

/** A passkey; `_id` is the id of the credential in Base64url. Times are Unix seconds. */
export interface PasskeyDocument {
  _id: string
  user_id: string
  name: string
  /** In the form of COSE, Base64url. */
  public_key: string
  /** The domain that it belongs to. */
  rp_id: string
  /** The number of uses that the authenticator reported last; 0 if it does not count. */
  counter: number
  transports: string[]
  /** True if it is also stored elsewhere, such as in an account at the maker of the device. */
  backed_up: boolean
  created_at: number
  /** Null before the first use. */
  last_used_at: number | null
}

/** The purpose of a challenge. */
export type ChallengePurpose = 'register' | 'sign_in'

/** A challenge that an authenticator has to sign; `_id` is the challenge in Base64url. */
export interface PasskeyChallengeDocument {
  _id: string
  purpose: ChallengePurpose
  /** The account that a passkey is added to; null for a sign-in. */
  user_id: string | null
  /** Unix seconds. */
  expires_at: number
  delete_at: Date
}

declare module '#kernel/types' {
  interface Collections {
    'two-factor': {
      totp_factors: TotpFactorDocument
      totp_setups: TotpSetupDocument
      passkeys: PasskeyDocument
      passkey_challenges: PasskeyChallengeDocument
    }
  }
}
