import { isGrantedTo } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { AgentDocument, Viewer } from './types.ts'

/** An agent that another one can ask. */
export type AskableAgent = Pick<AgentDocument, '_id' | 'name' | 'description'>

/** Creates the search for the agents that another agent can ask for an account. */
export function createAskable({ collections: { agents } }: Pick<Cradle, 'collections'>) {
  return {
    /** Lists the running agents that an account may use, except one: its own first, each the oldest first. */
    async listAskable(
      { id, groups }: Pick<Viewer, 'id' | 'groups'>,
      { except, limit }: { except: string; limit: number },
    ): Promise<AskableAgent[]> {
      const rows = await agents
        .find({ $or: [{ owner_id: id }, isGrantedTo({ id, groups })], state: 'running' })
        .project<AskableAgent & Pick<AgentDocument, 'owner_id'>>({ name: 1, description: 1, owner_id: 1 })
        .sort({ _id: 1 })
        .limit(limit + 1)
        .toArray()
      const others = rows.filter(({ _id }) => _id !== except).slice(0, limit)
      return others.sort((a, b) => Number(b.owner_id === id) - Number(a.owner_id === id))
    },
  }
}
