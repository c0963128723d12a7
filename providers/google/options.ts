import type { JSONSchema } from '#kernel'
import type { ConfigOf, ProviderConnection } from '#plugin-api'

/** The schema of the options. */
export const configSchema = {
  type: 'object',
  properties: {
    thinking_level: {
      enum: ['minimal', 'low', 'medium', 'high'],
      description: 'The thinking level of models from Gemini 3 on; not every model supports every level.',
    },
    thinking_budget: {
      type: 'integer',
      minimum: -1,
      maximum: 32_768,
      description:
        'Tokens for thoughts, -1 to let the model decide and 0 for none; if a level is set, only Gemini 2.5 uses it.',
    },
    safety_threshold: {
      enum: ['BLOCK_LOW_AND_ABOVE', 'BLOCK_MEDIUM_AND_ABOVE', 'BLOCK_ONLY_HIGH', 'BLOCK_NONE', 'OFF'],
      description:
        'The probability of harm from which Google blocks questions and answers, as a value of its API.',
    },
  },
  additionalProperties: false,
} as const satisfies JSONSchema

/** The options of a provider. */
export type GoogleOptions = ConfigOf<typeof configSchema>

/** A connection with these options. */
export type GoogleConnection = ProviderConnection<GoogleOptions>
