import type { ProviderKind } from '#plugin-api'
import { createChatModel } from './chat-model.ts'
import { createClient } from './client.ts'
import { explainError, guidance } from './failure.ts'

/** Google's Gemini API, with the keys of AI Studio. */
const google: ProviderKind = {
  kind: 'google',
  label: { en: 'Google Gemini', zh: 'Google Gemini' },
  config_schema: {
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
  },
  default_base_url: 'https://generativelanguage.googleapis.com/v1beta',
  guidance,
  languageModel: (connection, modelId) => createChatModel(connection, toName(modelId)),
  embeddingModel: async (connection, modelId) =>
    (await createClient(connection)).embeddingModel(toName(modelId)),
  listModels: async (connection, signal) => (await import('./model-list.ts')).listModels(connection, signal),
  explainError,
}

/** Removes the `models/` that Google writes before each name, since the client adds it. */
const toName = (modelId: string) => modelId.replace(/^models\//, '')

export default google
