import { defineProviderKind } from '#plugin-api'
import { withFitTools } from '../fit-tools.ts'
import { openAIRules, toolAdaptations } from '../tool-rules.ts'

import { adaptations } from './adaptations.ts'
import { createChatModel } from './chat-model.ts'
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
  embeddingModel: async ({ base_url, api_key, options, fetch }, modelId) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const client = createOpenAICompatible({
      name: 'openai-compatible',
      baseURL: base_url!,
      apiKey: api_key,
      headers: options.headers,
      fetch,
    })
    return client.embeddingModel(modelId)
  },
  listModels: async (connection, signal) => (await import('./model-list.ts')).listModels(connection, signal),
  explainError,
})
