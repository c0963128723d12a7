import { defineProviderKind } from '#plugin-api'
import { withFitTools } from '../fit-tools.ts'
import { createTranscriptionModel } from '../openai/transcription.ts'
import { openAIRules, toolAdaptations } from '../tool-rules.ts'

import { adaptations } from './adaptations.ts'
import { createChatModel } from './chat-model.ts'
import { createAudioClient, createClient } from './clients.ts'
import { explainError } from './explained-error.ts'
import { configSchema } from './options.ts'
import { createUpstream } from './upstream.ts'

/** Every vendor of OpenAI's chat-completions API: OpenAI itself, gateways, and most self-hosted servers. */
export default defineProviderKind({
  kind: 'openai-compatible',
  label: { en: 'OpenAI-compatible', zh: 'OpenAI 兼容接口' },
  config_schema: configSchema,
  requires_base_url: true,
  adaptations: { ...toolAdaptations, ...adaptations },
  languageModel: (connection, modelId) =>
    withFitTools(createChatModel({ upstream: createUpstream(connection), modelId }), openAIRules),
  embeddingModel: async (connection, modelId) => (await createClient(connection)).embeddingModel(modelId),
  imageModel: async (connection, modelId) => (await createClient(connection)).imageModel(modelId),
  speechModel: async (connection, modelId) => (await createAudioClient(connection)).speech(modelId),
  transcriptionModel: (connection, modelId) =>
    createTranscriptionModel(connection, modelId, async (fetch) =>
      (await createAudioClient({ ...connection, fetch })).transcription(modelId),
    ),
  rerankingModel: async (connection, modelId) =>
    (await import('./reranking.ts')).createRerankingModel(connection, modelId),
  listModels: async (connection, signal) => (await import('./model-list.ts')).listModels(connection, signal),
  explainError,
})
