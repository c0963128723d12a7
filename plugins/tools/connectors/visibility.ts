import type { Filter } from 'mongodb'
import { grantedAccess, isGrantedTo } from '#plugin-api'
import type { Users } from '../../identity/users/users.ts'
import type { ConnectorDocument, Viewer } from './types.ts'

/** The part of a connector that decides who sees and changes it. */
type Owned = Pick<ConnectorDocument, 'owner_id' | 'grants'>

/** True if this account owns the connector; administrators own the global ones. */
export const isOwner = ({ owner_id }: Owned, { id, role }: Viewer): boolean =>
  owner_id === null ? role === 'admin' : owner_id === id

/** True if this account may change the connector. */
export const mayChange = (connector: Owned, viewer: Viewer): boolean =>
  isOwner(connector, viewer) || grantedAccess(connector, viewer) === 'edit'

/** True if this account may use the connector. A global one without a list of grants is everybody's. */
export const isVisible = (connector: Owned, viewer: Viewer): boolean =>
  isOwner(connector, viewer) ||
  (connector.owner_id === null && connector.grants === undefined) ||
  grantedAccess(connector, viewer) !== null

/** Returns the condition of the global connectors that an account may use. */
export const globalFor = (viewer: Viewer): Filter<ConnectorDocument> => ({
  owner_id: null,
  ...(viewer.role !== 'admin' && { $or: [{ grants: { $exists: false } }, isGrantedTo(viewer)] }),
})

/** Returns the condition of the connectors that an account may use. */
export const visibleTo = (viewer: Viewer): Filter<ConnectorDocument> => ({
  $or: [{ owner_id: viewer.id }, isGrantedTo(viewer), globalFor(viewer)],
})

/** Reads the part of an account that decides what it sees, as of at most 300 ms ago; undefined if it is gone. */
export async function readViewer(users: Users, user_id: string): Promise<Viewer | undefined> {
  const account = await users.findRecent(user_id)
  return account && { id: user_id, role: account.role, groups: account.group_ids }
}
