import { AppError, type TypeOf } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { Cradle } from './manifest.ts'
import type { agentConnectors } from './schemas.ts'
import type { ConnectorDocument, SeenTool, StoredTool } from './types.ts'
import { readViewer, visibleTo } from './visibility.ts'

/** The owner's decision about the calls of a tool. */
export type ToolApproval = 'ask' | 'allow' | 'deny'

/** A connector of an agent. */
export interface AgentConnector {
  id: string
  /** The tools that the agent's owner has decided about. */
  tools: { name: string; enabled: boolean; approval: ToolApproval | null }[]
  /** The tools that the agent's owner has seen; others are off. */
  seen: SeenTool[]
}

/** The connectors of an agent; `_id` is the agent's. */
export interface AgentConnectorsDocument {
  _id: string
  connectors: AgentConnector[]
}

/** Returns the state of a tool for an agent; one that nobody has decided about asks unless it only reads. */
export function stateOf(
  tool: Omit<StoredTool, 'input_schema'>,
  { tools, seen: seenTools }: Omit<AgentConnector, 'id'>,
) {
  const decided = tools.find(({ name }) => name === tool.name)
  return {
    enabled: decided?.enabled ?? true,
    approval: decided?.approval ?? (tool.read_only ? 'allow' : 'ask'),
    seen: seenTools.some(({ name, fingerprint }) => name === tool.name && fingerprint === tool.fingerprint),
  }
}

/** The store of the connectors of agents. */
export type AgentConnectors = ReturnType<typeof createAgentConnectors>

/** Creates the store. */
export function createAgentConnectors({
  collections,
  events,
  users,
}: Pick<Cradle, 'collections' | 'events' | 'users'>) {
  const { agent_connectors, connectors } = collections

  /** Finds connectors that the owner of an agent sees, without the schemas of their tools. */
  const findFor = async (
    { owner_id }: AgentDocument,
    ids: readonly string[],
  ): Promise<ConnectorDocument[]> => {
    const owner = ids.length > 0 ? await readViewer(users, owner_id) : undefined
    if (!owner) return []
    return connectors
      .find(
        { _id: { $in: [...ids] }, ...visibleTo(owner) },
        { projection: { 'tools.input_schema': 0, log: 0 } },
      )
      .toArray()
  }

  const read = async (agent_id: string): Promise<AgentConnector[]> =>
    (await agent_connectors.findOne({ _id: agent_id }))?.connectors ?? []

  return {
    read,

    /** Returns the connectors of an agent with the state of each of their tools. */
    async show(agent: AgentDocument): Promise<TypeOf<typeof agentConnectors>> {
      const settings = await read(agent._id)
      const visible = await findFor(
        agent,
        settings.map(({ id }) => id),
      )
      return {
        connectors: settings.flatMap((setting) => {
          const connector = visible.find(({ _id }) => _id === setting.id)
          if (!connector) return []
          const tools = connector.tools.map((tool) => [tool.name, stateOf(tool, setting)])
          return [{ id: setting.id, tools: Object.fromEntries(tools) }]
        }),
      }
    },

    /** Replaces the connectors of an agent. Throws CONNECTOR_NOT_FOUND for one that its owner does not see. */
    async replace(
      agent: AgentDocument,
      { connectors: chosen }: TypeOf<typeof agentConnectors>,
    ): Promise<void> {
      const [storedSettings, visible] = await Promise.all([
        read(agent._id),
        findFor(
          agent,
          chosen.map(({ id }) => id),
        ),
      ])
      const settings = chosen.map(({ id, tools = {} }): AgentConnector => {
        const connector = visible.find(({ _id }) => _id === id)
        if (!connector) throw new AppError('CONNECTOR_NOT_FOUND', { id })
        const old = storedSettings.find((one) => one.id === id)
        return {
          id,
          tools: Object.entries(tools).map(([name, { enabled = true, approval }]) => ({
            name,
            enabled,
            approval: approval ?? null,
          })),
          seen: connector.tools.flatMap(({ name, fingerprint }) => {
            const wasSeen =
              !old || old.seen.some((one) => one.name === name && one.fingerprint === fingerprint)
            return (tools[name]?.seen ?? wasSeen) ? [{ name, fingerprint }] : []
          }),
        }
      })
      const unique = [...new Map(settings.map((setting) => [setting.id, setting])).values()]
      await agent_connectors.updateOne({ _id: agent._id }, { $set: { connectors: unique } }, { upsert: true })
      await events.emit('connector.changed', { connector_id: '', owner_id: agent.owner_id })
    },

    remove: (agent_id: string) => agent_connectors.deleteOne({ _id: agent_id }),
    forget: (id: string) =>
      agent_connectors.updateMany({ 'connectors.id': id }, { $pull: { connectors: { id } } }),
  }
}
