import type { AgentDocument, Instructions } from '../../../agents/agents/types.ts'
import type { ThreadDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'

/**
 * Builds the system prompt of an agent: what it is, its character, its own `system_prompt`, then its tools and
 * notes, then the instructions of the thread.
 * The date comes last, so that upstreams which cache the beginning of a prompt keep everything else past midnight.
 */
export async function buildInstructions(
  agent: AgentDocument,
  { instructions }: Pick<ThreadDocument, 'instructions'>,
  { clock, extensions }: Pick<Cradle, 'clock' | 'extensions'>,
): Promise<string> {
  const parts = await extensions['agents.instructions'].ask({ agent })
  const collectTexts = (section: keyof Instructions) => parts.flatMap((texts) => texts?.[section] ?? [])
  const { name, description, system_prompt } = agent
  return [
    `You are ${name}, an assistant on a shared server.${description ? ` ${description}` : ''}`,
    'Answer in the language you are addressed in. You have a workspace folder; tools take paths relative to it.',
    ...collectTexts('character'),
    ...(system_prompt ? [system_prompt] : []),
    ...collectTexts('resources'),
    ...collectTexts('notes'),
    ...(instructions ? [instructions] : []),
    `Today is ${new Date(clock.now()).toISOString().slice(0, 10)} (UTC).`,
  ].join('\n\n')
}
