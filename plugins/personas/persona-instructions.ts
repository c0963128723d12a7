import type { AgentDocument } from '../agents/types.ts'
import { PROFILES } from './catalog.ts'
import type { Profile } from './profile.ts'

const texts = new Map<string, string>(PROFILES.map((profile) => [profile.code, render(profile)]))

/** Adds the persona that an agent has, if any, to what its system prompt says of its character. */
export async function instructPersona({
  agent: { persona_mbti },
}: {
  agent: Pick<AgentDocument, 'persona_mbti'>
}) {
  const text = texts.get(persona_mbti ?? '')
  return text === undefined ? undefined : { character: [text] }
}

/** Always in English: an agent has no language of its own, and models follow English instructions best. */
function render({ code, name, descriptors, behavior }: Profile): string {
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
