import { agentRow, newAgent } from '#plugin-api'
import { makeTag, pageReply, replyWithTag } from '#toolbox'
import type { AuthCaller } from '../auth/types.ts'
import { type Cradle, route } from './manifest.ts'
import {
  agentChanges,
  agentFields,
  agentRows,
  agentStatus,
  listQuery,
  toolChange,
  toolSettings,
  toolSettingsRow,
} from './schemas.ts'
import type { AgentDocument } from './types.ts'

/** Replies with an agent as this caller sees it. */
const showAgent = async <const Status extends number>(
  status: Status,
  agent: AgentDocument,
  caller: AuthCaller,
  { agents }: Cradle,
) => replyWithTag(status, await agents.show(agent, caller), makeTag(agent, agentFields))

const listAgents = route({
  method: 'GET',
  path: '/agents',
  operation_id: 'listAgents',
  summary: "The caller's agents and those shared with them, or everybody's",
  guard: 'user',
  query: listQuery,
  response: { 200: agentRows },
  errors: ['FORBIDDEN'],
}).handle(async ({ caller, query }, { agents }) => {
  const { rows, next } = await agents.list(caller, query.scope, query)
  return pageReply(query, { rows: await agents.showAll(rows, caller), next })
})

const createAgent = route({
  method: 'POST',
  path: '/agents',
  operation_id: 'createAgent',
  summary: 'Create an agent and start it',
  guard: 'user',
  body: newAgent,
  response: { 201: agentRow },
  errors: ['AGENT_NAME_TAKEN', 'PROVIDER_NOT_VISIBLE', 'LIMIT_REACHED'],
  etag: true,
  audit: 'agent.create',
}).handle(async ({ caller, body, locale }, cradle) =>
  showAgent(201, await cradle.agents.create(caller, body, { locale }), caller, cradle),
)

const getAgent = route({
  method: 'GET',
  path: '/agents/:id',
  operation_id: 'getAgent',
  summary: 'One agent',
  guard: 'agent',
  response: { 200: agentRow },
  etag: true,
}).handle(({ caller, agent }, cradle) => showAgent(200, agent, caller, cradle))

const changeAgent = route({
  method: 'PATCH',
  path: '/agents/:id',
  operation_id: 'updateAgent',
  summary: "Change an agent's settings, from its next turn on",
  guard: 'owner',
  body: agentChanges,
  response: { 200: agentRow },
  errors: ['AGENT_NAME_TAKEN', 'PROVIDER_NOT_VISIBLE'],
  etag: true,
  audit: 'agent.update',
}).handle(async (request, cradle) => {
  const { caller, agent, body } = request
  return showAgent(200, await cradle.agents.update(agent, body, request), caller, cradle)
})

const deleteAgent = route({
  method: 'DELETE',
  path: '/agents/:id',
  operation_id: 'deleteAgent',
  summary: 'Delete an agent and everything that belongs to it, including its workspace',
  guard: 'owner',
  response: { 204: null },
  errors: ['AGENT_BUSY'],
  audit: 'agent.delete',
}).handle(async ({ agent }, { agents }) => void (await agents.remove(agent._id)))

const startAgent = route({
  method: 'POST',
  path: '/agents/:id/start',
  operation_id: 'startAgent',
  summary: 'Start an agent; its status shows if it runs',
  guard: 'owner',
  response: { 204: null },
  errors: ['AGENT_BUSY'],
  audit: 'agent.start',
}).handle(async ({ agent }, { agents }) => void (await agents.start(agent._id)))

const stopAgent = route({
  method: 'POST',
  path: '/agents/:id/stop',
  operation_id: 'stopAgent',
  summary: 'Stop an agent and its turns',
  guard: 'owner',
  response: { 204: null },
  errors: ['AGENT_BUSY'],
  audit: 'agent.stop',
}).handle(async ({ agent }, { agents }) => void (await agents.stop(agent._id)))

const reloadAgent = route({
  method: 'POST',
  path: '/agents/:id/reload',
  operation_id: 'reloadAgent',
  summary: 'Stop an agent and start it again',
  guard: 'owner',
  response: { 204: null },
  errors: ['AGENT_BUSY'],
  audit: 'agent.reload',
}).handle(async ({ agent }, { agents }) => void (await agents.reload(agent._id)))

const readAgent = route({
  method: 'POST',
  path: '/agents/:id/read',
  operation_id: 'markAgentRead',
  summary: "Mark an agent's replies to the caller as read",
  guard: 'owner',
  scope: 'chat',
  response: { 204: null },
  audit: { none: 'Marking as read is bookkeeping.' },
}).handle(
  async ({ agent, caller }, { extensions }) =>
    void (await extensions['agents.read_marks'].ask({ agent_id: agent._id, user_id: caller.id })),
)

const getStatus = route({
  method: 'GET',
  path: '/agents/:id/status',
  operation_id: 'getAgentStatus',
  summary: 'The status of an agent',
  guard: 'owner',
  response: { 200: agentStatus },
}).handle(async ({ agent }, { agents }) => {
  const activity = await agents.readActivity(agent._id)
  const { state, last_error, state_since: since } = agent
  return { state, last_error, since, ...activity, model: await agents.chooseModel(agent) }
})

/** The routes of agents and their runtime. */
export const agentRoutes = [
  listAgents,
  createAgent,
  getAgent,
  changeAgent,
  deleteAgent,
  startAgent,
  stopAgent,
  reloadAgent,
  readAgent,
  getStatus,
]

/** The routes of an agent's tool settings. */
export const toolRoutes = [
  route({
    method: 'GET',
    path: '/agents/:id/tool-settings',
    operation_id: 'getToolSettings',
    summary: 'The tool settings of an agent',
    guard: 'owner',
    response: { 200: toolSettingsRow },
  }).handle(({ agent, caller, locale }, { agents }) => agents.toolSettings.show(agent, caller, locale)),

  route({
    method: 'PUT',
    path: '/agents/:id/tool-settings',
    operation_id: 'setToolSettings',
    summary: "Disable built-in tools of an agent, and enable plugins' tools",
    guard: 'owner',
    body: toolSettings,
    response: { 200: toolSettingsRow },
    errors: ['TOOL_NOT_DISABLEABLE'],
    audit: 'agent.tools_set',
  }).handle(async ({ agent, caller, locale, body }, { agents }) =>
    agents.toolSettings.show(await agents.toolSettings.replace(agent, body), caller, locale),
  ),

  route({
    method: 'PATCH',
    path: '/agents/:id/tool-settings/:tool_name',
    operation_id: 'toggleTool',
    summary: 'Switch one tool of an agent on or off',
    guard: 'owner',
    body: toolChange,
    response: { 200: toolSettingsRow },
    errors: ['NOT_FOUND', 'TOOL_NOT_DISABLEABLE'],
    audit: 'agent.tool_toggled',
  }).handle(async ({ agent, caller, locale, params, body }, { agents }) =>
    agents.toolSettings.show(
      await agents.toolSettings.toggle(agent, params.tool_name!, body),
      caller,
      locale,
    ),
  ),
]
