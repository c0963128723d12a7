import { AppError } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { ConnectorDocument, Viewer } from './types.ts'
import { isVisible, readViewer } from './visibility.ts'

/** The most agents that are asked whether they show a connector to an account. */
const MAX_AGENTS = 50

/** Finds connectors that an account may use, its own or not. */
export type Usable = ReturnType<typeof createUsable>

/** Creates the service. */
export function createUsable({
  agents,
  collections,
  users,
}: Pick<Cradle, 'agents' | 'collections' | 'users'>) {
  const { agent_connectors, connectors } = collections
  return {
    /** Finds a connector that an account sees, or that an agent which it may open has from its owner. Throws NOT_FOUND. */
    async find(viewer: Viewer, _id: string): Promise<ConnectorDocument> {
      const connector = await connectors.findOne({ _id })
      if (!connector) throw new AppError('NOT_FOUND')
      if (isVisible(connector, viewer)) return connector
      const agentIds = await agent_connectors
        .find({ 'connectors.id': _id }, { projection: { _id: 1 } })
        .limit(MAX_AGENTS)
        .toArray()
      for (const { _id: agent_id } of agentIds) {
        const agent = await agents.findVisible(viewer, agent_id).catch(ignoreHidden)
        const owner = agent && (await readViewer(users, agent.owner_id))
        if (owner && isVisible(connector, owner)) return connector
      }
      throw new AppError('NOT_FOUND')
    },
  }
}

/** Returns undefined for the error of something that the viewer may not see. */
export function ignoreHidden(error: unknown): undefined {
  if (error instanceof AppError) return undefined
  throw error
}
