import type { ProviderKind } from '#plugin-api'
import { createChatModel } from './chat-model.ts'
import { createEmbeddingModel } from './embedding-model.ts'
import { explainError, guidance } from './failure.ts'
import { listModels } from './model-list.ts'

/** Ollama's own API, for self-hosted models and for the models of ollama.com. */
const ollama: ProviderKind = {
  kind: 'ollama',
  label: { en: 'Ollama', zh: 'Ollama' },
  config_schema: {
    type: 'object',
    properties: {
      context_length: {
        type: 'integer',
        minimum: 512,
        maximum: 4_194_304,
        description:
          'The most tokens of a conversation (num_ctx); without it Ollama chooses, often 4096, and silently drops older messages.',
      },
      keep_alive: {
        type: 'string',
        maxLength: 32,
        pattern: '^(-1|0|([0-9]+(\\.[0-9]+)?(ms|s|m|h))+)$',
        description:
          'The time that a model stays loaded after a call, e.g. "30m"; "-1" keeps it, "0" unloads it at once.',
      },
      think: {
        enum: [true, false, 'low', 'medium', 'high'],
        description:
          'True, false or a level: the thinking of models before they answer. Without it, models that can think do; other models refuse the option.',
      },
    },
    additionalProperties: false,
  },
  default_base_url: 'http://localhost:11434',
  guidance,
  languageModel: (connection, modelId) => createChatModel({ connection, modelId }),
  embeddingModel: (connection, modelId) => createEmbeddingModel({ connection, modelId }),
  listModels,
  explainError,
}

export default ollama
