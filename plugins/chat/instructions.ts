/** What the system prompt is made from. */
export interface InstructedAgent {
  name: string
  description: string | null
  system_prompt: string | null
}

/** The system prompt of an agent. */
export function instructionsFor({ name, description, system_prompt }: InstructedAgent): string {
  return [
    `You are ${name}, an assistant on a shared server.${description ? ` ${description}` : ''}`,
    'Answer in the language you are addressed in. You have a workspace folder; tools take paths relative to it.',
    ...(system_prompt ? [system_prompt] : []),
  ].join('\n\n')
}
