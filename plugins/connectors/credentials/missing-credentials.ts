import { ConnectorFailure } from '../connections/failure.ts'

/** An account lacks credentials: headers with these names, or a sign-in if there are no names. */
export class MissingCredentials extends ConnectorFailure {
  readonly fields: readonly string[] | undefined

  constructor(fields?: readonly string[]) {
    super(
      'unauthorized',
      fields ? 'Credentials of your own are needed for this connector.' : 'You must sign in first.',
    )
    this.fields = fields
  }
}
