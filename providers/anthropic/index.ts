import type { ProviderKind } from '#plugin-api'
import { createChatModel } from './chat-model.ts'
import { explainError, guidance } from './failure.ts'
import { DEFAULT_BUDGET } from './thinking.ts'

/** Claude at Anthropic itself, and other vendors with its Messages API. */
const anthropic: ProviderKind = {
  kind: 'anthropic',
  label: { en: 'Anthropic (Claude)', zh: 'Anthropic（Claude）' },
  config_schema: {
    type: 'object',
    properties: {
      thinking: {
        type: 'boolean',
        description:
          'True if models think before they answer and show their thoughts; without it each model uses its default, which is off up to Claude 4.8.',
      },
      thinking_budget: {
        type: 'integer',
        minimum: 1024,
        maximum: 60_000,
        default: DEFAULT_BUDGET,
        description: 'Tokens for the thoughts of models up to Claude 4.5; later models decide by themselves.',
      },
      effort: {
        type: 'string',
        enum: ['low', 'medium', 'high', 'xhigh', 'max'],
        description: 'The effort of models from Claude 4.6 on for thoughts, text and tool calls.',
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
