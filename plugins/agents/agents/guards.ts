import { AppError, agentKey, type ContextOf, type Guard } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { isOwnerOf, mayEdit } from './tool-access.ts'

/** Finds the agent in the path by its id, or by its name among the caller's own; throws AGENT_NOT_FOUND. */
export const agentGuard: Guard<'agent', Cradle> = {
  after: 'user',
  description:
    'For everybody who can open the agent: its owner, administrators, and the people and groups with whom it is shared.',
  params: { id: agentKey, aid: agentKey },
  errors: ['AGENT_NOT_FOUND'],
  async check(request, { agents }, { caller }: ContextOf<'user'>) {
    const { id, aid = '' } = request.params
    return { agent: await agents.findRequested(request, caller, id ?? aid) }
  },
}

/** Admits the agent's owner, accounts that may change it, and administrators; throws FORBIDDEN for others. */
export const editorGuard: Guard<'editor', Cradle> = {
  after: 'agent',
  description: 'Of these, only the owner, administrators, and people who can edit the agent may do this.',
  check(_, __, { caller, agent }: ContextOf<'agent'>) {
    if (!mayEdit(agent, caller)) throw new AppError('FORBIDDEN')
    return {}
  },
}

/** Admits the agent's owner and administrators; throws FORBIDDEN for others. */
export const ownerGuard: Guard<'owner', Cradle> = {
  after: 'agent',
  description: 'Of these, only the owner and administrators may do this.',
  check(_, __, { caller, agent }: ContextOf<'agent'>) {
    if (!isOwnerOf(agent, caller)) throw new AppError('FORBIDDEN')
    return {}
  },
}

/**
 * Admits the agent's owner and administrators who hold the permission in the guard's argument. Checks the permission
 * first, then the agent, then ownership, and throws for the first that fails.
 */
export const permittedOwnerGuard: Guard<'permitted_owner', Cradle> = {
  after: 'permission',
  description: 'For the owner of the agent and administrators.',
  argument: 'permission',
  params: { id: agentKey },
  errors: ['AGENT_NOT_FOUND', 'FORBIDDEN'],
  async check(request, { agents }, { caller }: ContextOf<'permission'>) {
    const agent = await agents.findRequested(request, caller, request.params.id ?? '')
    if (!isOwnerOf(agent, caller)) throw new AppError('FORBIDDEN')
    return { agent }
  },
}
