import {
  AppError,
  agentRow,
  EVERYONE,
  isForEveryone,
  type Locale,
  makeTag,
  newAgent,
  pageReply,
  replyWithTag,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import { type Cradle, route } from './manifest.ts'
import {
  agentChanges,
  agentFields,
  agentRows,
  agentStatus,
  listQuery,
  toolChange,
  toolParams,
  toolSettings,
  toolSettingsRow,
  transferBody,
} from './schemas.ts'
import type { AgentDocument } from './types.ts'

/** Replies with an agent as this caller sees it. */
const showAgent = async <const Status extends number>(
  status: Status,
  agent: AgentDocument,
  caller: AuthCaller,
  { agents }: Cradle,
) => replyWithTag(status, await agents.show(agent, caller), makeTag(agent, agentFields))

/** Throws if the rules of the server do not let the caller share something with everybody. */
const assertMayShare = (caller: AuthCaller, { extensions }: Pick<Cradle, 'extensions'>) =>
  extensions['users.sharing'].ask({ sharer: caller, with: [EVERYONE] })

const listAgents = route({
  method: 'GET',
  path: '/agents',
  operation_id: 'listAgents',
  summary: 'List your agents',
  description:
    'Lists your own agents, then those that others share with you, each part from the oldest on. Administrators list the agents of all accounts with `scope=all`. Rows leave out `system_prompt`, `config` and `welcome_message`, which the agent itself has.',
  guard: 'user',
  query: listQuery,
  response: { 200: agentRows },
}).handle(async ({ caller, query }, { agents }) => {
  const { rows, next } = await agents.list(caller, query.scope, query)
  return pageReply(query, { rows: await agents.showAll(rows, caller), next })
})

const createAgent = route({
  method: 'POST',
  path: '/agents',
  operation_id: 'createAgent',
  summary: 'Create an agent',
  description:
    'Creates an agent with a workspace of its own and starts it. With `template_name`, the workspace begins with the files of that expert, in the language of the request. The agent is created even if it cannot be started; then its `state` is `failed` and `last_error` has the reason. To talk to it, open its chat socket or create a thread.',
  guard: 'user',
  body: newAgent,
  response: { 201: agentRow },
  errors: ['AGENT_NAME_TAKEN', 'PROVIDER_NOT_VISIBLE', 'LIMIT_REACHED', 'KNOWLEDGE_BASE_NOT_FOUND'],
  etag: true,
  audit: 'agent.create',
}).handle(async ({ caller, body, locale }, cradle) => {
  if (body.is_shared) await assertMayShare(caller, cradle)
  return showAgent(201, await cradle.agents.create(caller, body, { locale }), caller, cradle)
})

const getAgent = route({
  method: 'GET',
  path: '/agents/:id',
  operation_id: 'getAgent',
  summary: 'Get an agent',
  description:
    'Returns the agent with its settings and its state. Guests of a shared agent see neither `system_prompt` nor `config` nor `knowledge_base_ids`.',
  guard: 'agent',
  response: { 200: agentRow },
  etag: true,
}).handle(({ caller, agent }, cradle) => showAgent(200, agent, caller, cradle))

const changeAgent = route({
  method: 'PATCH',
  path: '/agents/:id',
  operation_id: 'updateAgent',
  summary: 'Change an agent',
  description:
    'Changes the given settings from the next turn on, without a restart; null clears a setting, and `config` is replaced as a whole. Only the owner may change `is_shared`, which is the grant to everyone. When an agent is no longer shared, the connections of its guests are closed; their threads stay readable for them.',
  guard: 'editor',
  body: agentChanges,
  response: { 200: agentRow },
  errors: ['AGENT_NAME_TAKEN', 'PROVIDER_NOT_VISIBLE', 'KNOWLEDGE_BASE_NOT_FOUND'],
  etag: true,
  audit: 'agent.update',
}).handle(async (request, cradle) => {
  const { caller, agent, body } = request
  if (body.is_shared !== undefined && caller.id !== agent.owner_id)
    throw new AppError('FORBIDDEN', { field: 'is_shared' })
  if (body.is_shared && !isForEveryone(agent)) await assertMayShare(caller, cradle)
  return showAgent(200, await cradle.agents.update(agent, body, request), caller, cradle)
})

const deleteAgent = route({
  method: 'DELETE',
  path: '/agents/:id',
  operation_id: 'deleteAgent',
  summary: 'Delete an agent',
  description:
    'Stops the agent and deletes everything that belongs to it: the threads of all its users, its channels and its workspace. Agents that were installed from it as a published expert stay.',
  guard: 'owner',
  response: { 204: null },
  errors: ['AGENT_BUSY'],
  audit: 'agent.delete',
}).handle(async ({ agent, note }, { agents }) => {
  note({ name: agent.name })
  await agents.remove(agent._id)
})

const transferAgent = route({
  method: 'POST',
  path: '/agents/:id/transfer',
  operation_id: 'transferAgent',
  summary: 'Transfer an agent to another owner',
  description:
    'Makes another account the owner of the agent, for its owner and administrators. The former owner may still edit it. If the new owner has an agent of that name, a number is added to it; models and knowledge bases that the new owner may not use are taken out. Its channels answer in the name of the new owner from then on; threads stay with the accounts that they belong to.',
  guard: 'owner',
  body: transferBody,
  response: { 200: agentRow },
  errors: ['LIMIT_REACHED', 'FORBIDDEN'],
  etag: true,
  audit: 'agent.transfer',
}).handle(async ({ caller, agent, body }, cradle) =>
  showAgent(200, await cradle.agents.transfer(agent, body.username, caller), caller, cradle),
)

const startAgent = route({
  method: 'POST',
  path: '/agents/:id/start',
  operation_id: 'startAgent',
  summary: 'Start an agent',
  description:
    'Returns after the start has ended. The agent is then `running`, or `failed` if no model can be used or its workspace cannot be created; read its status. Starting a running agent changes nothing.',
  guard: 'editor',
  response: { 204: null },
  errors: ['AGENT_BUSY'],
  audit: 'agent.start',
}).handle(async ({ agent }, { agents }) => void (await agents.start(agent._id)))

const stopAgent = route({
  method: 'POST',
  path: '/agents/:id/stop',
  operation_id: 'stopAgent',
  summary: 'Stop an agent',
  description:
    'Ends the turns of all its users, disconnects its channels, and returns when the agent has stopped. It takes no turns until it is started again, also after a restart of the server. Stopping a stopped agent changes nothing.',
  guard: 'editor',
  response: { 204: null },
  errors: ['AGENT_BUSY'],
  audit: 'agent.stop',
}).handle(async ({ agent }, { agents }) => void (await agents.stop(agent._id)))

const reloadAgent = route({
  method: 'POST',
  path: '/agents/:id/reload',
  operation_id: 'reloadAgent',
  summary: 'Restart an agent',
  description:
    'Ends the turns of all its users and starts the agent again; a stopped agent stays stopped. Settings apply without a restart, so this is for an agent that has failed or hangs.',
  guard: 'editor',
  response: { 204: null },
  errors: ['AGENT_BUSY'],
  audit: 'agent.reload',
}).handle(async ({ agent }, { agents }) => void (await agents.reload(agent._id)))

const readAgent = route({
  method: 'POST',
  path: '/agents/:id/read',
  operation_id: 'markAgentRead',
  summary: 'Mark an agent as read',
  description: 'Clears the unread counts of all threads that the caller has with the agent.',
  guard: 'editor',
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
  summary: 'Get the status of an agent',
  description:
    'Returns the state of the agent and since when it has lasted, its channels, the turns that run now, and the model that a turn would use.',
  guard: 'editor',
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
  transferAgent,
  startAgent,
  stopAgent,
  reloadAgent,
  readAgent,
  getStatus,
]

/** Replies with the tool settings of an agent as this caller sees them. */
const showTools = async (
  agent: AgentDocument,
  { caller, locale }: { caller: AuthCaller; locale: Locale },
  { agents: { toolSettings, findUnset } }: Cradle,
) => {
  const unset = await findUnset(agent, caller)
  return replyWithTag(200, toolSettings.show(agent, caller, locale, unset), toolSettings.tagOf(agent))
}

/** The routes of an agent's tool settings. */
export const toolRoutes = [
  route({
    method: 'GET',
    path: '/agents/:id/tool-settings',
    operation_id: 'getToolSettings',
    summary: 'Get the tool settings of an agent',
    description:
      'Lists the built-in tools and the tools of third-party plugins, and whether the agent has each of them. `available` is true if the caller has the permission that the tool requires, `set_up` if the settings that it needs exist.',
    guard: 'editor',
    response: { 200: toolSettingsRow },
    etag: true,
  }).handle((request, cradle) => showTools(request.agent, request, cradle)),

  route({
    method: 'PUT',
    path: '/agents/:id/tool-settings',
    operation_id: 'setToolSettings',
    summary: 'Set the tool settings of an agent',
    description:
      "Replaces the list of built-in tools that are off; with `plugins`, also the list of plugins' tools that are on. Tools that are off by default stay off. A change applies from the next call of a tool.",
    guard: 'editor',
    body: toolSettings,
    response: { 200: toolSettingsRow },
    errors: ['TOOL_NOT_DISABLEABLE'],
    etag: true,
    audit: 'agent.tools_set',
  }).handle(async (request, cradle) => {
    const { agent, body } = request
    return showTools(await cradle.agents.toolSettings.replace(agent, body, request), request, cradle)
  }),

  route({
    method: 'PATCH',
    path: '/agents/:id/tool-settings/:tool_name',
    operation_id: 'toggleTool',
    params: toolParams,
    summary: 'Switch a tool of an agent on or off',
    description:
      'Changes one tool and leaves the others as they are. Tools that the agent cannot do without, such as `read_file`, always stay on. The change applies from the next call of a tool.',
    guard: 'editor',
    body: toolChange,
    response: { 200: toolSettingsRow },
    errors: ['NOT_FOUND', 'TOOL_NOT_DISABLEABLE'],
    etag: true,
    audit: 'agent.tool_toggled',
  }).handle(async (request, cradle) => {
    const { agent, params, body } = request
    const changed = await cradle.agents.toolSettings.toggle(agent, params.tool_name, body, request)
    return showTools(changed, request, cradle)
  }),
]
