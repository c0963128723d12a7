import { isAbsolute } from 'node:path'
import { createFormCheck } from './form.ts'
import { type LocalizedText, localizedText } from './locale.ts'

/** Something to begin a conversation with, at one click. */
export interface QuickPrompt {
  title: LocalizedText
  description: LocalizedText
  prompt: LocalizedText
}

/** A template that agents are made from. Registered by the experts plugin, or by any other. */
export interface Expert {
  id: string
  label: LocalizedText
  description: LocalizedText
  welcome_message: LocalizedText
  /** The name of an icon of the Lucide set. */
  icon: string
  /** As `#rrggbb`. */
  color: string
  quick_prompts: readonly QuickPrompt[]
  task_examples: { en: readonly string[]; zh: readonly string[] }
  /** An absolute path: its folders `en` and `zh` each hold what a new workspace begins with. */
  files: string
}

const texts = { type: 'array', items: { type: 'string', minLength: 1 } } as const

const assertForm = createFormCheck<Expert>(
  {
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,63}$' },
      label: localizedText,
      description: localizedText,
      welcome_message: localizedText,
      icon: { type: 'string' },
      color: { type: 'string', pattern: '^#[0-9a-fA-F]{6}$' },
      quick_prompts: {
        type: 'array',
        items: {
          type: 'object',
          properties: { title: localizedText, description: localizedText, prompt: localizedText },
          required: ['title', 'description', 'prompt'],
          additionalProperties: false,
        },
      },
      task_examples: {
        type: 'object',
        properties: { en: texts, zh: texts },
        required: ['en', 'zh'],
        additionalProperties: false,
      },
      files: { type: 'string' },
    },
    required: [
      'id',
      'label',
      'description',
      'welcome_message',
      'icon',
      'color',
      'quick_prompts',
      'task_examples',
      'files',
    ],
    additionalProperties: false,
  },
  [],
)

/** Checks the form of an expert that a plugin registers. */
export function assertExpert(candidate: unknown): Expert {
  const subject = `expert "${(candidate as { id?: unknown } | null)?.id}"`
  const expert = assertForm(candidate, subject)
  if (!isAbsolute(expert.files)) throw new Error(`${subject} is not valid: /files must be an absolute path`)
  return expert
}
