import { readFileSync } from 'node:fs'
import type { TypeOf } from '#kernel'
import { PERSONA_CODES } from '#plugin-api'
import type { AgentDocument } from '../agents/types.ts'
import type { personaProfile } from './schemas.ts'

/** A persona with its texts; those in `behavior` are instructions to the model. */
export type Profile = TypeOf<typeof personaProfile>

/** The data files in the source folder, which are not compiled and so do not lie beside this module. */
const FOLDER = new URL('../../../../plugins/agents/personas/profiles/', import.meta.url)

/** The profiles in the order of their codes. */
export const PROFILES: readonly Profile[] = PERSONA_CODES.map((code) =>
  JSON.parse(readFileSync(new URL(`${code.toLowerCase()}.json`, FOLDER), 'utf8')),
)

const byLowerCase = new Map(PROFILES.map((profile) => [profile.code.toLowerCase(), profile]))

/** Returns the profile of a code, whose case is ignored, or undefined. */
export function findProfile(code: string): Profile | undefined {
  return byLowerCase.get(code.toLowerCase())
}

const prompts = new Map<string, string>(PROFILES.map((profile) => [profile.code, renderPrompt(profile)]))

/** Adds the persona of an agent, if it has one, to the description of its character in the system prompt. */
export async function instructPersona({
  agent: { persona_mbti },
}: {
  agent: Pick<AgentDocument, 'persona_mbti'>
}) {
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
