import { defineProviderKind } from '#plugin-api'
import { withFitTools } from '../fit-tools.ts'
import { openAIRules } from '../tool-rules.ts'
import { createChatModel, createEmbeddingModel } from './chat-model.ts'
import { configSchema } from './connection.ts'
import { explainError, guidance } from './failure.ts'
import { listModels } from './model-list.ts'

/** Ollama's own API, for self-hosted models and for the models of ollama.com. */
export default defineProviderKind({
  kind: 'ollama',
  label: { en: 'Ollama', zh: 'Ollama' },
  config_schema: configSchema,
  default_base_url: 'http://localhost:11434',
  guidance,
  adaptations: {
    no_thinking: {
      label: { en: 'No reasoning effort', zh: '不发送思考强度' },
      isNeeded: ({ message }) => /not support thinking|invalid think value/i.test(message),
    },
  },
  languageModel: (connection, modelId) => withFitTools(createChatModel({ connection, modelId }), openAIRules),
  embeddingModel: (connection, modelId) => createEmbeddingModel({ connection, modelId }),
  listModels,
  explainError,
})
