import { defineProviderKind } from '#plugin-api'
import { withFitTools } from '../fit-tools.ts'
import { adaptations } from '../openai/adaptations.ts'
import { createTranscriptionModel } from '../openai/transcription.ts'
import { openAIRules, toolAdaptations } from '../tool-rules.ts'
import { configSchema, createClient } from './connection.ts'
import { explainError, guidance } from './failure.ts'
import { createLanguageModel } from './language-model.ts'

/** OpenAI's models in a resource of Microsoft Azure; the id of a model is the name of its deployment. */
export default defineProviderKind({
  kind: 'azure-openai',
  label: { en: 'Azure OpenAI', zh: 'Azure OpenAI' },
  config_schema: configSchema,
  requires_base_url: true,
  limits: { image_bytes: 20 * 1024 * 1024, images: 50 },
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
  listModels: async (connection, signal) =>
    (await import('./deployments.ts')).listDeployments(connection, signal),
  explainError,
})
