import type { ProviderKind } from '#plugin-api'
import { createChatModel } from './chat-model.ts'
import { explainError } from './failure.ts'
import { guidance } from './guidance.ts'
import { DEFAULT_BUDGET } from './thinking.ts'

/** Claude at Anthropic itself, and others that speak its Messages API. */
const anthropic: ProviderKind = {
  kind: 'anthropic',
  label: { en: 'Anthropic (Claude)', zh: 'Anthropic（Claude）' },
  config_schema: {
    type: 'object',
    properties: {
      thinking: {
        type: 'boolean',
        description:
          'Whether models think before they answer and show it; without it each does what is usual for it, which is off up to Claude 4.8.',
      },
      thinking_budget: {
        type: 'integer',
        minimum: 1024,
        maximum: 60_000,
        default: DEFAULT_BUDGET,
        description: 'Tokens for the thoughts of models up to Claude 4.5; later ones decide for themselves.',
      },
      effort: {
        type: 'string',
        enum: ['low', 'medium', 'high', 'xhigh', 'max'],
        description: 'How much models from Claude 4.6 on spend on thoughts, text and tool calls.',
      },
    },
    additionalProperties: false,
  },
  default_base_url: 'https://api.anthropic.com/v1',
  guidance,
  languageModel: createChatModel,
  listModels: async (connection, signal) => (await import('./model-list.ts')).listModels(connection, signal),
  explainError,
}

export default anthropic
