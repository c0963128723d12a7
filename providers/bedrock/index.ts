import { defineProviderKind } from '#plugin-api'
import { withFitTools } from '../fit-tools.ts'
import { claudeRules } from '../tool-rules.ts'
import { createChatModel } from './chat-model.ts'
import { createClient } from './client.ts'
import { explainError, guidance } from './failure.ts'
import { configSchema } from './options.ts'

/** The models of Amazon Bedrock over its Converse API, and its embedding models. */
export default defineProviderKind({
  kind: 'bedrock',
  label: { en: 'Amazon Bedrock', zh: 'Amazon Bedrock' },
  config_schema: configSchema,
  guidance,
  languageModel: async (connection, modelId) =>
    withFitTools(await createChatModel(connection, modelId), claudeRules),
  embeddingModel: async (connection, modelId) => (await createClient(connection)).embeddingModel(modelId),
  listModels: async (connection, signal) => (await import('./model-list.ts')).listModels(connection, signal),
  explainError,
})
