import { AppError, type ContextOf, type Guard } from '#kernel'
import { isOwnerOf } from './agents.ts'

/** Finds the agent in the path by its id, or by its name among the caller's own; else AGENT_NOT_FOUND. */
export const agentGuard: Guard<'agent'> = {
  after: 'user',
  async check({ params }, { agents }, { caller }: ContextOf<'user'>) {
    return { agent: await agents.findVisible(caller, params.id ?? params.aid ?? '') }
  },
}

/** Lets only the agent's owner and administrators pass; else FORBIDDEN. */
export const ownerGuard: Guard<'owner'> = {
  after: 'agent',
  check(_, __, { caller, agent }: ContextOf<'agent'>) {
    if (!isOwnerOf(agent, caller)) throw new AppError('FORBIDDEN')
    return {}
  },
}
