import type { Locale } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import { type Cradle, route } from './manifest.ts'
import {
  agentRunnerRows,
  agentRunnersChange,
  runnerBody,
  runnerParams,
  runnerRow,
  runnerRows,
  runnersChange,
  TOOL_NAME,
} from './schemas.ts'

const REFUSALS = ['NOT_FOUND', 'ACP_COMMAND_FORBIDDEN'] as const

/** Returns the runners of an agent's owner, and whether the agent has the tool that calls them. */
async function showAgent(
  agent: AgentDocument,
  { caller, locale }: { caller: AuthCaller; locale: Locale },
  { acpRunners, agents }: Cradle,
) {
  const { builtin } = agents.toolSettings.show(agent, caller, locale)
  return {
    tool_enabled: builtin.some(({ name, enabled }) => name === TOOL_NAME && enabled),
    runners: await acpRunners.list(agent.owner_id),
  }
}

/** The routes of runners. */
export const acpRoutes = [
  route({
    method: 'GET',
    path: '/acp',
    operation_id: 'listAcpRunners',
    summary: 'List the external agents',
    description:
      'Returns every external coding agent that this server knows, by name, each with your own settings. Values of environment variables are masked.',
    guard: 'user',
    response: { 200: runnerRows },
  }).handle(async ({ caller }, { acpRunners }) => ({ runners: await acpRunners.list(caller.id) })),

  route({
    method: 'PUT',
    path: '/acp',
    operation_id: 'setAcpRunners',
    summary: 'Set your settings of all external agents',
    description:
      'Replaces your settings as a whole: external agents that the body leaves out get the default settings, which have them off. Only administrators may set `command` and `args`, which apply to all accounts; another program does not receive the environment that was entered for the former one. A masked value of an environment variable that is sent back keeps the stored one.',
    guard: 'user',
    body: runnersChange,
    response: { 200: runnerRows },
    errors: REFUSALS,
    audit: 'acp.runners_set',
  }).handle(async ({ caller, body }, { acpRunners }) => ({
    runners: await acpRunners.replace(caller, body.runners),
  })),

  route({
    method: 'GET',
    path: '/acp/:name',
    operation_id: 'getAcpRunner',
    summary: 'Get an external agent',
    description:
      'Returns the external agent with your own settings. Values of environment variables are masked.',
    guard: 'user',
    params: runnerParams,
    response: { 200: runnerRow },
    errors: ['NOT_FOUND'],
  }).handle(({ caller, params }, { acpRunners }) => acpRunners.show(caller.id, params.name)),

  route({
    method: 'PUT',
    path: '/acp/:name',
    operation_id: 'setAcpRunner',
    summary: 'Set your settings of an external agent',
    description:
      'Settings that the body leaves out get their defaults; `env` replaces the stored environment, in which a masked value keeps the stored one. Administrators add an external agent by setting the `command` of a new name, for all accounts.',
    guard: 'user',
    params: runnerParams,
    body: runnerBody,
    response: { 200: runnerRow },
    errors: REFUSALS,
    audit: 'acp.runner_set',
  }).handle(({ caller, params, body }, { acpRunners }) => acpRunners.set(caller, params.name, body)),

  route({
    method: 'DELETE',
    path: '/acp/:name',
    operation_id: 'deleteAcpRunner',
    summary: 'Delete an external agent',
    description:
      'Only administrators may do this. It deletes the external agent with the settings of all accounts. The built-in ones cannot be deleted.',
    guard: 'user',
    params: runnerParams,
    response: { 204: null },
    errors: ['NOT_FOUND', 'ACP_RUNNER_BUILT_IN'],
    audit: 'acp.runner_delete',
  }).handle(async ({ caller, params }, { acpRunners }) => {
    await acpRunners.remove(caller, params.name)
    return undefined
  }),

  route({
    method: 'GET',
    path: '/agents/:id/acp',
    operation_id: 'getAgentAcp',
    summary: 'Get the external agents of an agent',
    description:
      "Returns the external agents with the settings of the agent's owner, and whether the agent has the tool that calls them.",
    guard: 'owner',
    response: { 200: agentRunnerRows },
  }).handle(({ agent, ...request }, cradle) => showAgent(agent, request, cradle)),

  route({
    method: 'PUT',
    path: '/agents/:id/acp',
    operation_id: 'setAgentAcp',
    summary: 'Set the external agents of an agent',
    description:
      "`tool_enabled` switches the tool `acp_runner` of this agent on or off; `runners` replaces the settings of the agent's owner, which hold for all of the owner's agents. What is left out stays as it is.",
    guard: 'owner',
    body: agentRunnersChange,
    response: { 200: agentRunnerRows },
    errors: REFUSALS,
    audit: 'agent.acp_set',
  }).handle(async ({ agent, body: { runners, tool_enabled }, ...request }, cradle) => {
    const { acpRunners, agents } = cradle
    if (runners) await acpRunners.replace({ id: agent.owner_id, role: request.caller.role }, runners)
    const changed =
      tool_enabled === undefined
        ? agent
        : await agents.toolSettings.toggle(agent, TOOL_NAME, { enabled: tool_enabled }, { headers: {} })
    return showAgent(changed, request, cradle)
  }),
]
