import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument } from '../types.ts'
import type { Audiences } from './audiences.ts'
import type { OAuthState } from './oauth-state.ts'

/** The credentials that an account has entered for a connector, or got by signing in. */
export interface AccountCredentials {
  headers?: Record<string, string>
  oauth?: OAuthState
}

/** The credentials of one account for one connector; `_id` is `<connector>:<account>`. */
export interface CredentialsDocument {
  _id: string
  connector_id: string
  user_id: string
  /** The origin, or for a sign-in the resource, that they were entered for; they are sent nowhere else. */
  audience: string
  /** JSON, sealed for the purpose `connector-credentials:<_id>`. */
  sealed: string
  /** Increases with every change. */
  revision: number
  /** Changes unless tokens are only refreshed. */
  generation: number
  /** The time in Unix milliseconds until which a process refreshes the tokens. */
  claimed_until?: number
  /** The scopes to sign in for, because the scopes of the tokens did not suffice. */
  wanted_scope?: string
  /** Unix seconds. */
  updated_at: number
}

/** Credentials in the clear, with the number of their version. */
export interface OpenedCredentials extends AccountCredentials {
  revision: number
  generation: number
  wanted_scope?: string
}

/** The place of credentials. */
export interface CredentialsKey {
  connector_id: string
  user_id: string
}

/** The store of the credentials of accounts. */
export type Credentials = ReturnType<typeof createCredentials>

const idOf = ({ connector_id, user_id }: CredentialsKey) => `${connector_id}:${user_id}`
const purposeOf = (id: string) => `connector-credentials:${id}`

/** Creates the store. */
export function createCredentials({ collections, clock, credentialAudiences, secrets }: Cradle) {
  const { connector_credentials } = collections
  const seal = (id: string, credentials: AccountCredentials) =>
    secrets.seal(JSON.stringify(credentials), purposeOf(id))

  return {
    /** Finds the credentials that may be sent to a server; others are missing. */
    async find(key: CredentialsKey, audiences: Audiences): Promise<OpenedCredentials | undefined> {
      const audience = { $in: Object.values(audiences) }
      const stored = await connector_credentials.findOne({ _id: idOf(key), audience })
      if (!stored) return undefined
      const { revision, generation, wanted_scope } = stored
      const opened = JSON.parse(secrets.open(stored.sealed, purposeOf(stored._id)))
      return { ...opened, revision, generation, wanted_scope }
    },

    /**
     * Replaces credentials, those for another audience as well; connections that use the former ones are not used any
     * more.
     */
    async put(key: CredentialsKey, credentials: AccountCredentials, audience: string): Promise<void> {
      const _id = idOf(key)
      const $set = { ...key, audience, sealed: seal(_id, credentials), updated_at: clock.seconds() }
      const $unset = { claimed_until: '', wanted_scope: '' } as const
      const update = { $set, $inc: { revision: 1, generation: 1 }, $unset }
      await connector_credentials.updateOne({ _id }, update, { upsert: true })
    },

    /** Replaces the tokens of a sign-in by refreshed ones if the credentials have this revision. */
    async renew(key: CredentialsKey, revision: number, oauth: OAuthState): Promise<void> {
      const _id = idOf(key)
      const $set = { sealed: seal(_id, { oauth }), updated_at: clock.seconds() }
      const update = { $set, $inc: { revision: 1 }, $unset: { claimed_until: '' } } as const
      await connector_credentials.updateOne({ _id, revision }, update)
    },

    /** Returns the scopes of the tokens of an account, wherever these may be sent. */
    async findScopes(key: CredentialsKey): Promise<{ revision: number; scopes: string[] } | undefined> {
      const stored = await connector_credentials.findOne({ _id: idOf(key) })
      if (!stored) return undefined
      const { oauth } = JSON.parse(secrets.open(stored.sealed, purposeOf(stored._id))) as AccountCredentials
      const scopes = [oauth?.tokens?.scope, oauth?.scope].filter((scope) => scope !== undefined)
      return oauth?.tokens && { revision: stored.revision, scopes }
    },

    /** Notes the scopes that the next sign-in asks for, unless the credentials have changed. */
    async want(key: CredentialsKey, revision: number, wanted_scope: string): Promise<void> {
      await connector_credentials.updateOne({ _id: idOf(key), revision }, { $set: { wanted_scope } })
    },

    /** Lets one process at a time refresh tokens; false if another one does, or has. */
    async claim(key: CredentialsKey, revision: number, milliseconds: number): Promise<boolean> {
      const now = clock.now()
      const { modifiedCount } = await connector_credentials.updateOne(
        {
          _id: idOf(key),
          revision,
          $or: [{ claimed_until: { $exists: false } }, { claimed_until: { $lt: now } }],
        },
        { $set: { claimed_until: now + milliseconds } },
      )
      return modifiedCount > 0
    },

    /** Lets another refresh begin after one that failed. */
    async release(key: CredentialsKey, revision: number): Promise<void> {
      await connector_credentials.updateOne({ _id: idOf(key), revision }, { $unset: { claimed_until: '' } })
    },

    /** Removes the credentials, if they have this revision. */
    remove: (key: CredentialsKey, revision?: number) =>
      connector_credentials.deleteOne({ _id: idOf(key), ...(revision !== undefined && { revision }) }),

    /** Removes the credentials of all accounts that were entered for other places than these. */
    removeOthers: (connector_id: string, audiences: Audiences | undefined) =>
      connector_credentials.deleteMany({ connector_id, audience: { $nin: Object.values(audiences ?? {}) } }),

    /** Returns the ids of the connectors for which an account has credentials, or sufficient ones. */
    async listConnectors(
      user_id: string,
      connectors: readonly ConnectorDocument[],
      { isSufficient = false }: { isSufficient?: boolean } = {},
    ): Promise<Set<string>> {
      const places = connectors.flatMap((connector) => {
        const audiences = credentialAudiences.of(connector)
        const _id = idOf({ connector_id: connector._id, user_id })
        return audiences ? [{ _id, audience: { $in: Object.values(audiences) } }] : []
      })
      if (places.length === 0) return new Set()
      const sufficient = isSufficient && { wanted_scope: { $exists: false } }
      const stored = await connector_credentials
        .find({ $or: places, ...sufficient }, { projection: { connector_id: 1 } })
        .toArray()
      return new Set(stored.map(({ connector_id }) => connector_id))
    },

    removeAllOf: (filter: Partial<CredentialsKey>) => connector_credentials.deleteMany(filter),
  }
}
