import type { AgentDocument, Instructions } from '../../agents/types.ts'
import type { Cradle } from '../manifest.ts'

/**
 * The system prompt of an agent: what it is, its character, its own `system_prompt`, then what it works with and what is noted. The
 * date stands last, so that upstreams which keep the beginning of a prompt keep all else over midnight.
 */
export async function instructionsFor(
  agent: AgentDocument,
  { clock, events }: Pick<Cradle, 'clock' | 'events'>,
): Promise<string> {
  const instructions: Instructions = { character: [], resources: [], notes: [] }
  await events.emit('agent.instructed', { agent, instructions })
  const { name, description, system_prompt } = agent
  return [
    `You are ${name}, an assistant on a shared server.${description ? ` ${description}` : ''}`,
    'Answer in the language you are addressed in. You have a workspace folder; tools take paths relative to it.',
    ...instructions.character,
    ...(system_prompt ? [system_prompt] : []),
    ...instructions.resources,
    ...instructions.notes,
    `Today is ${new Date(clock.now()).toISOString().slice(0, 10)} (UTC).`,
  ].join('\n\n')
}
