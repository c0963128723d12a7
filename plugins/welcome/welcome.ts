import type { Extensions, Locale, LocalizedText } from '#kernel'
import type { Expert } from '#plugin-api'
import type { AgentDocument } from '../agents/types.ts'
import { fallback } from './fallback.ts'
import type { Welcome } from './schemas.ts'
import { normalizeExamples } from './task-examples.ts'

/** The expert that speaks for agents that are made from none. */
const GENERAL = 'general-assistant'

/**
 * How an agent greets: with its own message, else with that of the expert it is made from, else with the general
 * assistant's. Prompts and examples are always an expert's.
 */
export function welcomeOf(
  { template_name, welcome_message }: Pick<AgentDocument, 'template_name' | 'welcome_message'>,
  experts: Extensions<Expert>,
): Welcome {
  const general = experts.get(GENERAL) ?? fallback
  const expert = experts.get(template_name ?? '') ?? general
  const examplesIn = (locale: Locale) =>
    normalizeExamples(expert.task_examples[locale], [
      ...general.task_examples[locale],
      ...fallback.task_examples[locale],
    ])
  return {
    welcome_message: messageOf(welcome_message, expert.welcome_message),
    quick_prompts: [...expert.quick_prompts],
    task_examples: { en: examplesIn('en'), zh: examplesIn('zh') },
  }
}

/** A new agent has its expert's message in one language; as long as nobody has changed it, both are shown. */
function messageOf(own: string | null, expert: LocalizedText): LocalizedText {
  if (!own?.trim() || Object.values(expert).includes(own)) return expert
  return { en: own, zh: own }
}
