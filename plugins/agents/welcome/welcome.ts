import type { Extensions, Locale, LocalizedText } from '#kernel'
import type { Expert } from '#plugin-api'
import type { AgentDocument } from '../agents/types.ts'
import { fallback } from './fallback.ts'
import type { Welcome } from './schemas.ts'

/** The expert that greets for agents without an expert of their own. */
const GENERAL = 'general-assistant'

/** The number of examples shown, and the number shown if the agent has that many of its own. */
const FEW_EXAMPLES = 3
const MANY_EXAMPLES = 6

/**
 * Creates the greeting of an agent: its own message, otherwise that of the expert that it was made from, otherwise that
 * of the general assistant. Prompts and examples always come from an expert.
 */
export function createWelcome(
  { template_name, welcome_message }: Pick<AgentDocument, 'template_name' | 'welcome_message'>,
  experts: Extensions<Expert>,
): Welcome {
  const general = experts.get(GENERAL) ?? fallback
  const expert = experts.get(template_name ?? '') ?? general
  const listExamples = (locale: Locale) =>
    normalizeExamples(expert.task_examples[locale], [
      ...general.task_examples[locale],
      ...fallback.task_examples[locale],
    ])
  return {
    welcome_message: toMessage(welcome_message, expert.welcome_message),
    quick_prompts: [...expert.quick_prompts],
    task_examples: { en: listExamples('en'), zh: listExamples('zh') },
  }
}

/** Returns 3 examples, or 6 if the list has that many; missing ones are taken from `spares`, without duplicates. */
function normalizeExamples(examples: readonly string[], spares: readonly string[]): string[] {
  const own = new Set(examples)
  return [...new Set([...own, ...spares])].slice(0, own.size < MANY_EXAMPLES ? FEW_EXAMPLES : MANY_EXAMPLES)
}

/** A new agent stores its expert's message in one language; until somebody changes it, both languages are shown. */
function toMessage(own: string | null, expert: LocalizedText): LocalizedText {
  if (!own?.trim() || Object.values(expert).includes(own)) return expert
  return { en: own, zh: own }
}
