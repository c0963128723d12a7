import type { ProviderKind } from '#plugin-api'
import { createChatModel } from './chat-model.ts'
import { createEmbeddingModel } from './embedding-model.ts'
import { explainError } from './failure.ts'
import { guidance } from './guidance.ts'
import { listModels } from './model-list.ts'

/** Ollama's own API, for models on one's own machines and for those that ollama.com runs. */
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
          'Tokens that a conversation may have (num_ctx); without it Ollama chooses, often 4096, and drops what is older without a word.',
      },
      keep_alive: {
        type: 'string',
        maxLength: 32,
        pattern: '^(-1|0|([0-9]+(\\.[0-9]+)?(ms|s|m|h))+)$',
        description:
          'How long a model stays loaded after a call, e.g. "30m"; "-1" is for ever, "0" not at all.',
      },
      think: {
        enum: [true, false, 'low', 'medium', 'high'],
        description:
          'Whether models think before they answer, or how much; without it those think that can, and others refuse to be asked.',
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
