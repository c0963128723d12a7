import { type ChannelCapabilities, defineChannelKind } from '#plugin-api'
import { configSchema } from './config.ts'

const capabilities: ChannelCapabilities = {
  dialect: 'markdown',
  max_length: 100_000,
  length_unit: 'characters',
  buttons: true,
  live: { interval_ms: 250 },
  typing_ms: 10_000,
}

/** Signed HTTP requests in both directions, for platforms without a kind of their own. */
export default defineChannelKind({
  kind: 'webhook',
  label: { en: 'Webhook', zh: 'Webhook' },
  config_schema: configSchema,
  addresses: ['callback_url'],
  capabilities: { direct: capabilities, group: capabilities },
  async probe(settings, signal) {
    await settings.assertAllowed(settings.config.callback_url)
    const { createCallback, PROBE_REASONS } = await import('./callback.ts')
    await createCallback(settings, PROBE_REASONS)({ type: 'ping' }, undefined, signal)
  },
  open: async (settings, link) => (await import('./connection.ts')).openWebhook(settings, link),
  hook: async ({ config }, inbox, request) =>
    (await import('./requests.ts')).handleRequest(config.secret, request, inbox),
})
