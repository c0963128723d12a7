import { defineChannelKind, toProxyAddress } from '#plugin-api'
import { configSchema, readBotId, readToken } from './config.ts'

const all = {
  dialect: 'html',
  max_length: 4096,
  length_unit: 'characters',
  buttons: true,
  typing_ms: 5000,
} as const

/** A Telegram bot, connected by long polling of the Bot API. */
export default defineChannelKind({
  kind: 'telegram',
  label: { en: 'Telegram', zh: 'Telegram' },
  config_schema: configSchema,
  addresses: ['http_proxy'],
  endpoints: { api: 'https://api.telegram.org' },
  capabilities: {
    direct: { ...all, live: { interval_ms: 1200 } },
    // Telegram allows a bot about twenty messages per minute in a group.
    group: { ...all, live: { interval_ms: 3500 } },
  },
  identity: readBotId,
  check(config) {
    readToken(config)
    if (config.http_proxy) toProxyAddress(config.http_proxy)
  },
  probe: async (settings, signal) => (await import('./connection.ts')).probe(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).openConnection(settings, link),
})
