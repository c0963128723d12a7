import { defineProviderKind } from '#plugin-api'
import { createDemoModel } from './demo-model.ts'

const DEFAULT_DELAY_MS = 15

/** A model without network or key, which shows how the service works until a real provider is added. */
export default defineProviderKind({
  kind: 'demo',
  label: { en: 'Demo (offline, no AI)', zh: '演示（离线，非真实 AI）' },
  config_schema: {
    type: 'object',
    properties: {
      delay_ms: {
        type: 'integer',
        minimum: 0,
        maximum: 1000,
        default: DEFAULT_DELAY_MS,
        description: 'Milliseconds between two words of an answer.',
      },
    },
    additionalProperties: false,
  },
  requires_base_url: false,
  languageModel: ({ options }) => createDemoModel({ delayMs: options.delay_ms ?? DEFAULT_DELAY_MS }),
  listModels: async () => [
    {
      id: 'demo',
      name: 'Demo',
      context_window: 32_000,
      max_output_tokens: 4096,
      input: ['text'],
      reasoning: true,
    },
  ],
  explainError: () => ({ reason: 'unknown' }),
})
