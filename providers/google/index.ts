import { defineProviderKind } from '#plugin-api'
import { withFitTools } from '../fit-tools.ts'
import { adaptations, toolRules } from './adaptations.ts'
import { createChatModel } from './chat-model.ts'
import { configSchema, createClient } from './connection.ts'
import { explainError, guidance } from './failure.ts'
import { withAspectRatio } from './image-model.ts'

/** Google's Gemini API, with the keys of AI Studio. */
export default defineProviderKind({
  kind: 'google',
  label: { en: 'Google Gemini', zh: 'Google Gemini' },
  config_schema: configSchema,
  default_base_url: 'https://generativelanguage.googleapis.com/v1beta',
  limits: { image_bytes: 7 * 1024 * 1024, images: 3600 },
  adaptations,
  guidance,
  languageModel: async (connection, modelId) =>
    withFitTools(await createChatModel(connection, toName(modelId)), toolRules),
  embeddingModel: async (connection, modelId) =>
    (await createClient(connection)).embeddingModel(toName(modelId)),
  imageModel: async (connection, modelId) =>
    withAspectRatio((await createClient(connection)).image(toName(modelId))),
  transcriptionModel: async (connection, modelId) =>
    (await createClient(connection)).transcription(toName(modelId)),
  listModels: async (connection, signal) => (await import('./model-list.ts')).listModels(connection, signal),
  explainError,
})

/** Removes the `models/` that Google writes before each name, since the client adds it. */
const toName = (modelId: string) => modelId.replace(/^models\//, '')
