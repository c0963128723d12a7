import { isAbsolute } from 'node:path'
import { createFormCheck, localizedText } from '#kernel'
import type { Expert } from '#plugin-api'

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
