import { AppError, type ContextOf, type Guard } from '#kernel'
import type { Cradle } from './manifest.ts'

/**
 * Finds the agent in the path as the guard `agent` does, and also one that is no longer shared with the caller if they
 * have threads with it: what they wrote and were answered stays theirs to read.
 */
export const threadReaderGuard: Guard<'thread_reader', Cradle> = {
  after: 'user',
  async check({ params }, { agents, threads }, { caller }: ContextOf<'user'>) {
    const key = params.id ?? ''
    try {
      return { agent: await agents.findVisible(caller, key) }
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'AGENT_NOT_FOUND')) throw error
      const hasThreads = await threads.exist({ user_id: caller.id, agent_id: key })
      const agent = hasThreads ? await agents.find(key) : null
      if (!agent) throw error
      return { agent }
    }
  },
}
