import { isChangedOnlyBy, isGrantedTo } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { AgentDocument, Viewer } from './types.ts'

type Asked = Pick<AgentDocument, '_id' | 'name' | 'description' | 'owner_id' | 'grants'>

/** An agent that another one can ask; `is_own` if nobody but the account can change it. */
export type AskableAgent = Pick<AgentDocument, '_id' | 'name' | 'description'> & { is_own: boolean }

/** Creates the search for the agents that another agent can ask for an account. */
export const createAskable =
  ({ collections: { agents } }: Pick<Cradle, 'collections'>) =>
  /** Lists the running agents that an account may use, except one: its own first, each the oldest first. */
  async (
    { id, groups }: Pick<Viewer, 'id' | 'groups'>,
    { except, limit }: { except: string; limit: number },
  ): Promise<AskableAgent[]> => {
    const rows = await agents
      .find({ $or: [{ owner_id: id }, isGrantedTo({ id, groups })], state: 'running' })
      .project<Asked>({ name: 1, description: 1, owner_id: 1, grants: 1 })
      .sort({ _id: 1 })
      .limit(limit + 1)
      .toArray()
    return rows
      .filter(({ _id }) => _id !== except)
      .slice(0, limit)
      .sort((a, b) => Number(b.owner_id === id) - Number(a.owner_id === id))
      .map(({ owner_id, grants, ...agent }) => ({
        ...agent,
        is_own: isChangedOnlyBy({ id }, { owner_id, ...(grants && { grants }) }),
      }))
  }
