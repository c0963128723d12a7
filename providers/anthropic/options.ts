import type { ConfigOf, JSONSchema, ProviderConnection } from '#plugin-api'
import { DEFAULT_BUDGET } from './thinking.ts'

/** The schema of the options. */
export const configSchema = {
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
} as const satisfies JSONSchema

/** The options of a provider. */
export type AnthropicOptions = ConfigOf<typeof configSchema>

/** A connection with these options. */
export type AnthropicConnection = ProviderConnection<AnthropicOptions>
