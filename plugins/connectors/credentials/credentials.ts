import type { Cradle } from '../manifest.ts'
import type { OAuthState } from './oauth-client.ts'

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
  /** JSON, sealed for the purpose `connector-credentials:<_id>`. */
  sealed: string
  /** Increases with every change. */
  revision: number
  /** Changes unless tokens are only refreshed. */
  generation: number
  /** The time in Unix milliseconds until which a process refreshes the tokens. */
  claimed_until?: number
  /** Unix seconds. */
  updated_at: number
}

/** Credentials in the clear, with the number of their version. */
export interface OpenedCredentials extends AccountCredentials {
  revision: number
  generation: number
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
export function createCredentials({ collections, clock, secrets }: Cradle) {
  const { connector_credentials } = collections
  const seal = (id: string, credentials: AccountCredentials) =>
    secrets.seal(JSON.stringify(credentials), purposeOf(id))

  return {
    async find(key: CredentialsKey): Promise<OpenedCredentials | undefined> {
      const found = await connector_credentials.findOne({ _id: idOf(key) })
      if (!found) return undefined
      const { revision, generation } = found
      return { ...JSON.parse(secrets.open(found.sealed, purposeOf(found._id))), revision, generation }
    },

    /** Replaces the credentials; with `isNew`, connections that use the former ones are not used any more. */
    async put(
      key: CredentialsKey,
      credentials: AccountCredentials,
      { isNew = false }: { isNew?: boolean } = {},
    ): Promise<void> {
      const _id = idOf(key)
      const $set = { ...key, sealed: seal(_id, credentials), updated_at: clock.seconds() }
      await connector_credentials.updateOne(
        { _id },
        { $set, $inc: { revision: 1, generation: isNew ? 1 : 0 }, $unset: { claimed_until: '' } },
        { upsert: isNew },
      )
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

    /** Returns false if there were none. */
    async remove(key: CredentialsKey): Promise<boolean> {
      const { deletedCount } = await connector_credentials.deleteOne({ _id: idOf(key) })
      return deletedCount > 0
    },

    /** Returns those of these connectors for which an account has credentials. */
    async listConnectors(user_id: string, connector_ids: readonly string[]): Promise<Set<string>> {
      const ids = connector_ids.map((connector_id) => idOf({ connector_id, user_id }))
      const found = await connector_credentials
        .find({ _id: { $in: ids } }, { projection: { connector_id: 1 } })
        .toArray()
      return new Set(found.map(({ connector_id }) => connector_id))
    },

    removeAllOf: (filter: Partial<CredentialsKey>) => connector_credentials.deleteMany(filter),
  }
}
