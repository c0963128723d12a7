import { AppError } from '#kernel'
import { agentRow } from '#plugin-api'
import { route } from './manifest.ts'
import { findProfile, PROFILES } from './profiles.ts'
import { personaChoice, personaProfile, personaRows } from './schemas.ts'

const listPersonas = route({
  method: 'GET',
  path: '/mbti/codes',
  operation_id: 'listPersonas',
  summary: 'The personas that an agent can have',
  guard: 'user',
  response: { 200: personaRows },
}).handle(() => PROFILES.map(({ summary, descriptors, dimensions, behavior, ...row }) => row))

const getPersona = route({
  method: 'GET',
  path: '/mbti/codes/:code',
  operation_id: 'getPersona',
  summary: 'The whole profile of a persona; the case of its code is ignored',
  guard: 'user',
  response: { 200: personaProfile },
  errors: ['NOT_FOUND'],
}).handle(({ params }) => {
  const profile = findProfile(params.code!)
  if (!profile) throw new AppError('NOT_FOUND')
  return profile
})

const applyPersona = route({
  method: 'PUT',
  path: '/agents/:id/mbti',
  operation_id: 'setPersona',
  summary: 'Set the persona of an agent and reload it',
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
