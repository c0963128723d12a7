import type { Locale } from '#kernel'
import type { AgentDocument } from '../agents/types.ts'
import type { AuthCaller } from '../auth/types.ts'
import { type Cradle, route } from './manifest.ts'
import {
  agentRunnerRows,
  agentRunnersChange,
  runnerBody,
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
    summary: 'List the external agents with your settings',
    guard: 'user',
    response: { 200: runnerRows },
  }).handle(async ({ caller }, { acpRunners }) => ({ runners: await acpRunners.list(caller.id) })),

  route({
    method: 'PUT',
    path: '/acp',
    operation_id: 'setAcpRunners',
    summary: 'Replace your settings of all external agents; those left out get the defaults',
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
    summary: 'Read one external agent with your settings',
    guard: 'user',
    response: { 200: runnerRow },
    errors: ['NOT_FOUND'],
  }).handle(({ caller, params }, { acpRunners }) => acpRunners.show(caller.id, params.name!)),

  route({
    method: 'PUT',
    path: '/acp/:name',
    operation_id: 'setAcpRunner',
    summary: 'Change your settings of one external agent; administrators set its program, for all accounts',
    guard: 'user',
    body: runnerBody,
    response: { 200: runnerRow },
    errors: REFUSALS,
    audit: 'acp.runner_set',
  }).handle(({ caller, params, body }, { acpRunners }) => acpRunners.set(caller, params.name!, body)),

  route({
    method: 'DELETE',
    path: '/acp/:name',
    operation_id: 'deleteAcpRunner',
    summary: 'Delete an external agent that is not built in, with the settings of all accounts',
    guard: 'user',
    response: { 204: null },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'ACP_RUNNER_BUILT_IN'],
    audit: 'acp.runner_delete',
  }).handle(async ({ caller, params }, { acpRunners }) => {
    await acpRunners.remove(caller, params.name!)
    return undefined
  }),

  route({
    method: 'GET',
    path: '/agents/:id/acp',
    operation_id: 'getAgentAcp',
    summary: "List the external agents of an agent's owner, and whether the agent may call them",
    guard: 'owner',
    response: { 200: agentRunnerRows },
  }).handle(({ agent, ...request }, cradle) => showAgent(agent, request, cradle)),

  route({
    method: 'PUT',
    path: '/agents/:id/acp',
    operation_id: 'setAgentAcp',
    summary: "Allow or forbid an agent to call external agents, and change its owner's external agents",
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
        : await agents.toolSettings.toggle(agent, TOOL_NAME, { enabled: tool_enabled })
    return showAgent(changed, request, cradle)
  }),
]
