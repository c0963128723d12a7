import { route } from './manifest.ts'
import { agentConnectors } from './schemas.ts'

const PATH = '/agents/:id/connectors'

/** The routes of the connectors of agents. */
export const agentConnectorRoutes = [
  route({
    method: 'GET',
    path: PATH,
    operation_id: 'getAgentConnectors',
    summary: 'List the connectors of an agent',
    description: 'Returns the connectors that lend the agent their tools, with the state of each tool.',
    guard: 'owner',
    response: { 200: agentConnectors },
  }).handle(({ agent }, { agentConnectors: settings }) => settings.show(agent)),

  route({
    method: 'PUT',
    path: PATH,
    operation_id: 'replaceAgentConnectors',
    summary: 'Replace the connectors of an agent',
    description:
      'Chooses among the connectors that the owner of the agent sees. The tools that a connector has when it is added count as seen; those that come or change later are off until they are sent with `seen: true`.',
    guard: 'owner',
    body: agentConnectors,
    response: { 200: agentConnectors },
    errors: ['CONNECTOR_NOT_FOUND'],
    audit: 'agent.connectors',
  }).handle(async ({ agent, body }, { agentConnectors: settings }) => {
    await settings.replace(agent, body)
    return settings.show(agent)
  }),
]
