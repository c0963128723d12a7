import { defineProviderKind } from '#plugin-api'
import { withFitTools } from '../fit-tools.ts'
import { claudeRules } from '../tool-rules.ts'
import { adaptations } from './adaptations.ts'
import { createChatModel } from './chat-model.ts'
import { explainError, guidance } from './failure.ts'
import { configSchema } from './options.ts'

/** Claude at Anthropic itself, and other vendors with its Messages API. */
export default defineProviderKind({
  kind: 'anthropic',
  label: { en: 'Anthropic (Claude)', zh: 'Anthropic（Claude）' },
  config_schema: configSchema,
  default_base_url: 'https://api.anthropic.com/v1',
  // The API allows 5 MiB of a picture after Base64.
  limits: { image_bytes: 3_932_160, images: 100 },
  adaptations,
  guidance,
  languageModel: async (connection, modelId) =>
    withFitTools(await createChatModel(connection, modelId), claudeRules),
  listModels: async (connection, signal) => (await import('./model-list.ts')).listModels(connection, signal),
  explainError,
})
