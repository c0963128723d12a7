import type { components } from '#client'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import type { Connector, ConnectorTool } from './connector-form.ts'

export type AgentConnector = components['schemas']['AgentConnector']
export type ToolState = NonNullable<AgentConnector['tools']>[string]

/** The state of a tool that nobody has decided about. */
const standardOf = ({ read_only }: ConnectorTool): ToolState => ({
  enabled: true,
  approval: read_only ? 'allow' : 'ask',
})

/** True if models may call a tool. */
export const isOn = (state: ToolState) =>
  state.enabled !== false && state.seen !== false && state.approval !== 'deny'

/** Stores the connectors of an agent. Only decisions are sent, so that no tool counts as seen that was not looked at. */
export async function replaceConnectors(
  agent_id: string,
  chosen: AgentConnector[],
  connectors: Connector[],
  decided: Record<string, Record<string, ToolState>> = {},
): Promise<void> {
  const body = {
    connectors: chosen.map(({ id, tools = {} }) => {
      const connectorTools = connectors.find((connector) => connector.id === id)?.tools ?? []
      const storedDecisions = Object.entries(tools).flatMap(([name, { enabled, approval }]) => {
        const tool = connectorTools.find((one) => one.name === name)
        const standard = tool && standardOf(tool)
        const isStandard = enabled === standard?.enabled && approval === standard?.approval
        return isStandard ? [] : [[name, { enabled, approval }]]
      })
      return { id, tools: { ...Object.fromEntries(storedDecisions), ...decided[id] } }
    }),
  }
  const params = { path: { id: agent_id } }
  await send(client.PUT('/agents/{id}/connectors', { params, body }))
  await refresh('/agents/{id}/connectors')
}
