import { AppError } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { ConnectorDocument, Viewer } from './types.ts'

/** The most agents that are asked whether they show a connector to an account. */
const MAX_AGENTS = 50

/** Finds connectors that an account may use, its own or not. */
export type Usable = ReturnType<typeof createUsable>

/** Creates the service. */
export function createUsable({ agents, collections }: Pick<Cradle, 'agents' | 'collections'>) {
  const { agent_connectors, connectors } = collections
  return {
    /** Finds a connector that an account sees, or that an agent has which it may open. Throws NOT_FOUND. */
    async find(viewer: Viewer, _id: string): Promise<ConnectorDocument> {
      const connector = await connectors.findOne({ _id })
      if (!connector) throw new AppError('NOT_FOUND')
      const { owner_id } = connector
      if (owner_id === null || owner_id === viewer.id) return connector
      const agentIds = await agent_connectors
        .find({ 'connectors.id': _id }, { projection: { _id: 1 } })
        .limit(MAX_AGENTS)
        .toArray()
      for (const { _id: agent_id } of agentIds)
        if (await agents.findVisible(viewer, agent_id).then(() => true, isHidden)) return connector
      throw new AppError('NOT_FOUND')
    },
  }
}

/** Returns false for the error of an agent that the viewer may not see. */
function isHidden(error: unknown): false {
  if (error instanceof AppError) return false
  throw error
}
