import { AppError, type Expert, type Registry } from '#kernel'
import type { AgentSettings } from '../agents/types.ts'
import { hasSecret } from './secret-scan.ts'

/** What of an agent's settings makes it what it is, whoever it belongs to. The model is not part of it. */
export type Character = Pick<
  AgentSettings,
  'welcome_message' | 'system_prompt' | 'persona_mbti' | 'template_name' | 'icon' | 'color'
>

/** The character of an agent, or of the expert that keeps it. */
export function characterOf({
  welcome_message,
  system_prompt,
  persona_mbti,
  template_name,
  icon,
  color,
}: Character): Character {
  return { welcome_message, system_prompt, persona_mbti, template_name, icon, color }
}

/** A character as a new agent can have it: without a template that no plugin brings any more. */
export function installable(character: Character, templates: Registry<Expert>): Character {
  const { template_name, ...rest } = characterOf(character)
  return { ...rest, template_name: templates.get(template_name ?? '') ? template_name : null }
}

/** Throws SECRET_IN_SETTINGS with the name of the field. */
export async function assertNoSecret(settings: Partial<AgentSettings>): Promise<void> {
  for (const [field, value] of Object.entries(settings))
    if (typeof value === 'string' && (await hasSecret(value)))
      throw new AppError('SECRET_IN_SETTINGS', { field })
}
