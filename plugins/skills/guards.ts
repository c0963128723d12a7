import { AppError, type ContextOf, type Guard } from '#kernel'

/**
 * Lets in owners of the agent in the path and administrators, if they have the permission that it is used with; what
 * they lack is said in the order in which it can be found out.
 */
export const permittedOwnerGuard: Guard<'permitted_owner'> = {
  after: 'permission',
  async check({ params }, { agents }, { caller }: ContextOf<'permission'>) {
    const agent = await agents.findVisible(caller, params.id ?? '')
    if (agent.owner_id !== caller.id && caller.role !== 'admin') throw new AppError('FORBIDDEN')
    return { agent }
  },
}
