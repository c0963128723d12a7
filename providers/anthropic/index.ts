import { defineProviderKind } from '#plugin-api'
import { createChatModel } from './chat-model.ts'
import { explainError, guidance } from './failure.ts'
import { configSchema } from './options.ts'

/** Claude at Anthropic itself, and other vendors with its Messages API. */
export default defineProviderKind({
  kind: 'anthropic',
  label: { en: 'Anthropic (Claude)', zh: 'Anthropic（Claude）' },
  config_schema: configSchema,
  default_base_url: 'https://api.anthropic.com/v1',
  guidance,
  languageModel: createChatModel,
  listModels: async (connection, signal) => (await import('./model-list.ts')).listModels(connection, signal),
  explainError,
})
