import type { Tool } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { AgentDocument, Holder } from './types.ts'

/** True if this caller has the rights of the agent's owner. */
export const isOwnerOf = (
  { owner_id }: Pick<AgentDocument, 'owner_id'>,
  { id, role }: Pick<AuthCaller, 'id' | 'role'>,
): boolean => owner_id === id || role === 'admin'

/** True if this caller may open the agent. */
export const mayOpen = (
  agent: Pick<AgentDocument, 'owner_id' | 'is_shared'>,
  caller: Pick<AuthCaller, 'id' | 'role'>,
): boolean => agent.is_shared || isOwnerOf(agent, caller)

/** True if agents may use this tool for this user. */
export const mayUse = ({ permission }: Tool, { role, permissions }: Holder): boolean =>
  permission === undefined || role === 'admin' || permissions.includes(permission)
