import type { AgentDocument, Instructions } from '../../agents/types.ts'
import type { Cradle } from '../manifest.ts'

/**
 * The system prompt of an agent: what it is, its character, its own `system_prompt`, then what it works with and what is noted. The
 * date stands last, so that upstreams which keep the beginning of a prompt keep all else over midnight.
 */
export async function instructionsFor(
  agent: AgentDocument,
  { clock, extensions }: Pick<Cradle, 'clock' | 'extensions'>,
): Promise<string> {
  const found = await extensions['agents.instructions'].ask({ agent })
  const textsOf = (place: keyof Instructions) => found.flatMap((texts) => texts?.[place] ?? [])
  const { name, description, system_prompt } = agent
  return [
    `You are ${name}, an assistant on a shared server.${description ? ` ${description}` : ''}`,
    'Answer in the language you are addressed in. You have a workspace folder; tools take paths relative to it.',
    ...textsOf('character'),
    ...(system_prompt ? [system_prompt] : []),
    ...textsOf('resources'),
    ...textsOf('notes'),
    `Today is ${new Date(clock.now()).toISOString().slice(0, 10)} (UTC).`,
  ].join('\n\n')
}
