import { AppError, type ContextOf, type Guard } from '#kernel'
import { isOwnerOf } from './agents.ts'
import type { Cradle } from './manifest.ts'

/** Finds the agent in the path by its id, or by its name among the caller's own; else AGENT_NOT_FOUND. */
export const agentGuard: Guard<'agent', Cradle> = {
  after: 'user',
  async check({ params }, { agents }, { caller }: ContextOf<'user'>) {
    return { agent: await agents.findVisible(caller, params.id ?? params.aid ?? '') }
  },
}

/** Lets only the agent's owner and administrators pass; else FORBIDDEN. */
export const ownerGuard: Guard<'owner', Cradle> = {
  after: 'agent',
  check(_, __, { caller, agent }: ContextOf<'agent'>) {
    if (!isOwnerOf(agent, caller)) throw new AppError('FORBIDDEN')
    return {}
  },
}

/**
 * Lets in owners of the agent in the path and administrators, if they have the permission that it is used with; what
 * they lack is said in the order in which it can be found out.
 */
export const permittedOwnerGuard: Guard<'permitted_owner', Cradle> = {
  after: 'permission',
  async check({ params }, { agents }, { caller }: ContextOf<'permission'>) {
    const agent = await agents.findVisible(caller, params.id ?? '')
    if (!isOwnerOf(agent, caller)) throw new AppError('FORBIDDEN')
    return { agent }
  },
}
