import { AppError } from '#kernel'
import { agentRow } from '#plugin-api'
import { route } from './manifest.ts'
import { findProfile, PROFILES } from './profiles.ts'
import { personaChoice, personaParams, personaProfile, personaRows } from './schemas.ts'

const listPersonas = route({
  method: 'GET',
  path: '/mbti/codes',
  operation_id: 'listPersonas',
  summary: 'List the personas',
  description:
    'Lists the sixteen types and `_default`, which has no type. Rows leave out the instructions of the profile, which `GET /mbti/codes/{code}` returns.',
  guard: 'user',
  response: { 200: personaRows },
}).handle(() => PROFILES.map(({ summary, descriptors, dimensions, behavior, ...row }) => row))

const getPersona = route({
  method: 'GET',
  path: '/mbti/codes/:code',
  operation_id: 'getPersona',
  params: personaParams,
  summary: 'Get a persona',
  description:
    'Returns the whole profile with the instructions on how such an assistant speaks and acts. The case of the code is ignored.',
  guard: 'user',
  response: { 200: personaProfile },
  errors: ['NOT_FOUND'],
}).handle(({ params }) => {
  const profile = findProfile(params.code)
  if (!profile) throw new AppError('NOT_FOUND')
  return profile
})

const applyPersona = route({
  method: 'PUT',
  path: '/agents/:id/mbti',
  operation_id: 'setPersona',
  summary: 'Set the persona of an agent',
  description:
    'Sets `persona_mbti` and restarts the agent, which ends the turns of all its users; a stopped agent stays stopped. To change the persona from the next turn on without a restart, use `PATCH /agents/{id}`.',
  guard: 'owner',
  body: personaChoice,
  response: { 200: agentRow },
  errors: ['AGENT_BUSY'],
  audit: 'agent.persona_set',
}).handle(async ({ agent, caller, body }, { agents }) => {
  await agents.reload(agent._id, { persona_mbti: findProfile(body.code)!.code })
  return agents.show(await agents.findVisible(caller, agent._id), caller)
})

/** The routes of personas. */
export const personaRoutes = [listPersonas, getPersona, applyPersona]
