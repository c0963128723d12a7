import { route } from './manifest.ts'
import { toolChange, toolSettings, toolSettingsRow } from './tool-schemas.ts'

/** The routes of an agent's tool settings. */
export const toolRoutes = [
  route({
    method: 'GET',
    path: '/agents/:id/tool-settings',
    summary: 'Which tools an agent has',
    guard: 'owner',
    response: { 200: toolSettingsRow },
  }).handle(({ agent, caller, locale }, { agents }) => agents.toolSettings.show(agent, caller, locale)),

  route({
    method: 'PUT',
    path: '/agents/:id/tool-settings',
    summary: "Set which built-in tools an agent has not, and which plugins' tools it has",
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
