import { AppError, agentKey, type ContextOf, type Guard } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/**
 * Finds the agent in the path like the guard `agent`, and also an agent that is no longer shared with the caller if the
 * caller has threads with it: these stay readable.
 */
export const threadReaderGuard: Guard<'thread_reader', Cradle> = {
  after: 'user',
  description:
    'For whoever may open the agent, and for guests with threads of their own from the time when it was shared.',
  params: { id: agentKey },
  errors: ['AGENT_NOT_FOUND'],
  async check(request, { agents, threads }, { caller }: ContextOf<'user'>) {
    const key = request.params.id ?? ''
    try {
      return { agent: await agents.findRequested(request, caller, key) }
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'AGENT_NOT_FOUND')) throw error
      const hasThreads = await threads.exist({ user_id: caller.id, agent_id: key })
      const agent = hasThreads ? await agents.find(key) : null
      if (!agent) throw error
      return { agent }
    }
  },
}
