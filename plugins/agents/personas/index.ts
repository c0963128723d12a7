import { readFileSync } from 'node:fs'
import {
  AppError,
  agentRow,
  type Cradle,
  type DefineRoute,
  defineManifest,
  definePlugin,
  defineRoute,
  PERSONA_CODES,
  type TypeOf,
} from '#plugin-api'
import type { AgentDocument } from '../agents/types.ts'
import { personaChoice, personaParams, personaProfile, personaRows } from './schemas.ts'

const manifest = defineManifest({
  name: 'personas',
  summary: 'Personas: how an agent speaks and acts, by MBTI type',
  tag: {
    name: 'Personas',
    order: 24,
    description: 'The sixteen MBTI profiles that set the tone of an agent.',
  },
  depends: ['auth', 'agents'],
})

declare module '#kernel/types' {
  interface Manifests {
    personas: typeof manifest
  }
}

const route: DefineRoute<Cradle<typeof manifest>> = defineRoute

/** A persona with its texts; those in `behavior` are instructions to the model. */
export type Profile = TypeOf<typeof personaProfile>

/** The data files in the source folder, which are not compiled and so do not lie beside this module. */
const FOLDER = new URL('../../../../plugins/agents/personas/profiles/', import.meta.url)

/** The profiles in the order of their codes. */
const PROFILES: readonly Profile[] = PERSONA_CODES.map((code) =>
  JSON.parse(readFileSync(new URL(`${code.toLowerCase()}.json`, FOLDER), 'utf8')),
)

const byLowerCase = new Map(PROFILES.map((profile) => [profile.code.toLowerCase(), profile]))

/** Returns the profile of a code, whose case is ignored, or undefined. */
function findProfile(code: string): Profile | undefined {
  return byLowerCase.get(code.toLowerCase())
}

const prompts = new Map<string, string>(PROFILES.map((profile) => [profile.code, renderPrompt(profile)]))

/** Adds the persona of an agent, if it has one, to the description of its character in the system prompt. */
async function instructPersona({ agent: { persona_mbti } }: { agent: Pick<AgentDocument, 'persona_mbti'> }) {
  const text = prompts.get(persona_mbti ?? '')
  return text === undefined ? undefined : { character: [text] }
}

/** Renders a profile in English: an agent has no language of its own, and models follow English instructions best. */
function renderPrompt({ code, name, descriptors, behavior }: Profile): string {
  const type = code === '_default' ? '' : ` (${code})`
  return [
    `Your character is the ${name.en}${type}: ${descriptors.map(({ en }) => en).join(', ')}.`,
    `- Answers: ${behavior.answer_style.en}`,
    `- Small talk: ${behavior.casual_chat.en}`,
    `- Disagreement: ${behavior.conflict.en}`,
    `- Ideas: ${behavior.creativity.en}`,
    `- Feelings: ${behavior.emotion.en}`,
    `- Plans: ${behavior.planning.en}`,
    'Keep this manner in every language you speak. Show it rather than mention it; what the user asks for and any further instructions come first.',
  ].join('\n')
}

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
  guard: 'editor',
  body: personaChoice,
  response: { 200: agentRow },
  errors: ['AGENT_BUSY'],
  audit: 'agent.persona_set',
}).handle(async ({ agent, caller, body }, { agents }) => {
  await agents.reload(agent._id, { persona_mbti: findProfile(body.code)!.code })
  return agents.show(await agents.findVisible(caller, agent._id), caller)
})

export default definePlugin({
  ...manifest,
  setup(host) {
    host.routes([listPersonas, getPersona, applyPersona])
    host.extend('agents.instructions', instructPersona)
  },
})
