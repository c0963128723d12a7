import { AppError } from '#kernel'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'
import type { Destination } from './types.ts'

/** The permission that opens the channels of one's own agents. */
const PERMISSION = 'channels'

/** Throws FORBIDDEN, and VALIDATION_FAILED if the conversation does not exist, unless this caller may use it. */
export async function assertDestination(
  { id, role, permissions }: Pick<AuthCaller, 'id' | 'role' | 'permissions'>,
  agent: Pick<AgentDocument, '_id' | 'owner_id'>,
  destination: Destination,
  { extensions }: Pick<Cradle, 'extensions'>,
): Promise<void> {
  // Conversations belong to the account of the agent's owner, also if others may change the channel.
  if (agent.owner_id !== id) throw new AppError('FORBIDDEN')
  if (role !== 'admin' && !permissions.includes(PERMISSION))
    throw new AppError('FORBIDDEN', { permission: PERMISSION })
  const matches = await extensions['schedules.destinations'].ask({ agent_id: agent._id, ...destination })
  if (matches.some((one) => one !== undefined)) return
  const issue = {
    path: '/deliver',
    rule: 'conversation',
    message: 'is not a known conversation of the agent',
  }
  throw new AppError('VALIDATION_FAILED', { issues: [issue] })
}
