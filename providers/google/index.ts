import type { ProviderKind } from '#plugin-api'
import { createChatModel } from './chat-model.ts'
import { createClient } from './client.ts'
import { explainError } from './failure.ts'
import { guidance } from './guidance.ts'

/** Google's Gemini API, as its AI Studio gives keys for. */
const google: ProviderKind = {
  kind: 'google',
  label: { en: 'Google Gemini', zh: 'Google Gemini' },
  config_schema: {
    type: 'object',
    properties: {
      thinking_level: {
        enum: ['minimal', 'low', 'medium', 'high'],
        description: 'How deeply models from Gemini 3 on think; not every model knows every level.',
      },
      thinking_budget: {
        type: 'integer',
        minimum: -1,
        maximum: 32_768,
        description:
          'Tokens that a model may think, -1 for as many as it likes and 0 for none; where a level is set, only Gemini 2.5 heeds it.',
      },
      safety_threshold: {
        enum: ['BLOCK_LOW_AND_ABOVE', 'BLOCK_MEDIUM_AND_ABOVE', 'BLOCK_ONLY_HIGH', 'BLOCK_NONE', 'OFF'],
        description:
          'From which probability of harm on Google blocks questions and answers, in its own words.',
      },
    },
    additionalProperties: false,
  },
  default_base_url: 'https://generativelanguage.googleapis.com/v1beta',
  guidance,
  languageModel: (connection, modelId) => createChatModel(connection, nameOf(modelId)),
  embeddingModel: async (connection, modelId) =>
    (await createClient(connection)).embeddingModel(nameOf(modelId)),
  listModels: async (connection, signal) => (await import('./model-list.ts')).listModels(connection, signal),
  explainError,
}

/** Google writes `models/` before each name, and the client does so itself. */
const nameOf = (modelId: string) => modelId.replace(/^models\//, '')

export default google
