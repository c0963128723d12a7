import { defineProviderKind } from '#plugin-api'
import { withFitTools } from '../fit-tools.ts'
import { openAIRules, toolAdaptations } from '../tool-rules.ts'

import { adaptations } from './adaptations.ts'
import { configSchema, createClient } from './connection.ts'
import { explainError, guidance } from './failure.ts'
import { createLanguageModel } from './language-model.ts'
import { createTranscriptionModel } from './transcription.ts'

/** OpenAI's own service: chat over its Responses API, embeddings, pictures and audio. */
export default defineProviderKind({
  kind: 'openai',
  label: { en: 'OpenAI', zh: 'OpenAI' },
  config_schema: configSchema,
  default_base_url: 'https://api.openai.com/v1',
  limits: { image_bytes: 20 * 1024 * 1024, images: 500 },
  adaptations: { ...toolAdaptations, ...adaptations },
  guidance,
  languageModel: async (connection, modelId) =>
    withFitTools(await createLanguageModel(connection, modelId), openAIRules),
  embeddingModel: async (connection, modelId) => (await createClient(connection)).embeddingModel(modelId),
  imageModel: async (connection, modelId) => (await createClient(connection)).image(modelId),
  speechModel: async (connection, modelId) => (await createClient(connection)).speech(modelId),
  transcriptionModel: (connection, modelId) =>
    createTranscriptionModel(connection, modelId, async (fetch) =>
      (await createClient({ ...connection, fetch })).transcription(modelId),
    ),
  listModels: async (connection, signal) => (await import('./model-list.ts')).listModels(connection, signal),
  explainError,
})
