import type { ChannelCapabilities, ChannelKind } from '#plugin-api'

const capabilities: ChannelCapabilities = {
  dialect: 'markdown',
  max_length: 100_000,
  length_unit: 'characters',
  buttons: true,
  live: { interval_ms: 250 },
  typing_ms: 10_000,
}

/** Signed HTTP requests in both directions, for platforms without a kind of their own. */
export default {
  kind: 'webhook',
  label: { en: 'Webhook', zh: 'Webhook' },
  config_schema: {
    type: 'object',
    properties: {
      secret: {
        type: 'string',
        minLength: 16,
        maxLength: 512,
        writeOnly: true,
        title: 'Secret',
        description: 'The secret with which both sides sign their requests',
      },
      callback_url: {
        type: 'string',
        pattern: '^https?://[^/@\\s]+(/.*)?$',
        maxLength: 2048,
        title: 'Callback address',
        description: 'The address to which messages of the agent are posted',
      },
    },
    required: ['secret', 'callback_url'],
    additionalProperties: false,
  },
  addresses: ['callback_url'],
  capabilities: { direct: capabilities, group: capabilities },
  async probe(settings, signal) {
    await settings.assertAllowed(settings.config.callback_url as string)
    const { createCallback } = await import('./callback.ts')
    await createCallback(settings)({ type: 'ping' }, undefined, signal)
  },
  open: async (settings, link) => (await import('./connection.ts')).openWebhook(settings, link),
  hook: async ({ config }, inbox, request) =>
    (await import('./requests.ts')).handleRequest(config.secret as string, request, inbox),
} satisfies ChannelKind
