import type { JSONSchema } from '#kernel'

/** The options of a model that is OpenAI's, wherever it runs. */
export interface ModelOptions {
  api?: 'responses' | 'chat'
  reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  reasoning_summary?: 'auto' | 'concise' | 'detailed'
}

/** A provider's options; what is left out, is OpenAI's own choice. */
export interface OpenAIOptions extends ModelOptions {
  organization?: string
  project?: string
}

/** The schemas of the options of a model. */
export const modelOptions = {
  api: {
    type: 'string',
    enum: ['responses', 'chat'],
    default: 'responses',
    description:
      'The API that calls models: Responses, or the older Chat Completions, which shows no thoughts.',
  },
  reasoning_effort: {
    type: 'string',
    enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    description: 'How hard models that reason think before they answer; not every model knows every level.',
  },
  reasoning_summary: {
    type: 'string',
    enum: ['auto', 'concise', 'detailed'],
    description:
      'Shows summaries of the thoughts of models that reason; not every model knows every one, and OpenAI itself asks for a verified organization.',
  },
} as const

const id = { type: 'string', maxLength: 128, pattern: '^[A-Za-z0-9_-]+$' } as const

/** The schema of the options. */
export const configSchema: JSONSchema = {
  type: 'object',
  properties: {
    ...modelOptions,
    organization: {
      ...id,
      description: 'The organization that calls are charged to, if the key belongs to several (org-…).',
    },
    project: {
      ...id,
      description: 'The project that calls are charged to, if not the one of the key (proj_…).',
    },
  },
  additionalProperties: false,
}
