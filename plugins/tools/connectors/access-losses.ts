import { AppError } from '#plugin-api'
import type { CredentialsKey } from './credentials/credentials.ts'
import type { Cradle } from './manifest.ts'
import { readViewer } from './visibility.ts'

/** Removes the credentials of accounts for connectors that they may no longer use. */
export type AccessLosses = ReturnType<typeof createAccessLosses>

/** Creates the service. */
export function createAccessLosses({
  collections: { connector_credentials, connectors },
  connectionPool,
  credentials,
  revocation,
  signIns,
  usable,
  users,
}: Cradle) {
  /** False if the account may no longer use the connector, which exists; deleted accounts lose theirs elsewhere. */
  const mayUse = async ({ connector_id, user_id }: CredentialsKey): Promise<boolean> => {
    const viewer = await readViewer(users, user_id)
    if (!viewer) return true
    try {
      await usable.find(viewer, connector_id)
      return true
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return false
      throw error
    }
  }

  const settle = async (selected: { connector_id: string } | { user_id: { $in: string[] } }) => {
    const stored = await connector_credentials
      .find(selected, { projection: { connector_id: 1, user_id: 1 } })
      .toArray()
    for (const { connector_id, user_id } of stored) {
      if (await mayUse({ connector_id, user_id })) continue
      const connector = await connectors.findOne({ _id: connector_id })
      if (connector) await revocation.end(connector, user_id)
      await credentials.remove({ connector_id, user_id })
      await signIns.removeAllOf({ connector_id, user_id })
      await connectionPool.drop(`${connector_id}:${user_id}`)
    }
  }

  return {
    /** Removes the credentials for a connector of all who may no longer use it. */
    ofConnector: (connector_id: string) => settle({ connector_id }),

    /** Removes the credentials of accounts for all connectors that these may no longer use. */
    ofAccounts: (user_ids: readonly string[]) => settle({ user_id: { $in: [...user_ids] } }),
  }
}
