import { ConnectorFailure } from '../connections/failure.ts'

/** The parts of a refusal that say for what to sign in, and where the server describes its authorization servers. */
export interface Challenge {
  scope?: string
  resource_metadata_url?: string
}

/** An account lacks credentials: headers with these names, or a sign-in if there are no names. */
export class MissingCredentials extends ConnectorFailure {
  readonly fields: readonly string[] | undefined
  /** The refusal of the server, if it was asked. */
  readonly challenge: Challenge | undefined

  constructor({ fields, challenge }: { fields?: readonly string[]; challenge?: Challenge } = {}) {
    super(
      'unauthorized',
      fields ? 'Credentials of your own are needed for this connector.' : 'You must sign in first.',
    )
    this.fields = fields
    this.challenge = challenge
  }
}
