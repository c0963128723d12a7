import { defineProviderKind } from '#plugin-api'
import { withFitTools } from '../fit-tools.ts'
import { claudeRules } from '../tool-rules.ts'
import { adaptations } from './adaptations.ts'
import { createChatModel } from './chat-model.ts'
import { configSchema, createAgentClient, createClients } from './connection.ts'
import { explainError, guidance } from './failure.ts'

/** The models of Amazon Bedrock: chat over its Converse API, embeddings, pictures and rankings. */
export default defineProviderKind({
  kind: 'bedrock',
  label: { en: 'Amazon Bedrock', zh: 'Amazon Bedrock' },
  config_schema: configSchema,
  limits: { image_bytes: 3_932_160, images: 20 },
  adaptations,
  guidance,
  languageModel: async (connection, modelId) =>
    withFitTools(await createChatModel(connection, modelId), claudeRules),
  embeddingModel: async (connection, modelId) => (await createClients(connection))().embeddingModel(modelId),
  imageModel: async (connection, modelId) => (await createClients(connection))().imageModel(modelId),
  rerankingModel: async (connection, modelId) =>
    (await createAgentClient(connection)).rerankingModel(modelId),
  listModels: async (connection, signal) => (await import('./model-list.ts')).listModels(connection, signal),
  explainError,
})
