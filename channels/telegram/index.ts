import type { ChannelKind } from '#plugin-api'
import { readBotId, readToken, toProxyAddress } from './config.ts'

const all = {
  dialect: 'html',
  max_length: 4096,
  length_unit: 'characters',
  buttons: true,
  typing_ms: 5000,
} as const

/** A Telegram bot, connected by long polling of the Bot API. */
export default {
  kind: 'telegram',
  label: { en: 'Telegram', zh: 'Telegram' },
  config_schema: {
    type: 'object',
    properties: {
      bot_token: {
        type: 'string',
        title: 'Bot token',
        description: 'The token from @BotFather for a new bot: a number, a colon and a row of letters.',
        minLength: 1,
        maxLength: 512,
        writeOnly: true,
      },
      http_proxy: {
        type: 'string',
        title: 'HTTP proxy',
        description:
          'The proxy for reaching Telegram, as http://host:port or http://user:password@host:port. Leave it empty if Telegram can be reached directly.',
        maxLength: 512,
        writeOnly: true,
      },
    },
    required: ['bot_token'],
    additionalProperties: false,
  },
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
    if (config.http_proxy) toProxyAddress(String(config.http_proxy))
  },
  probe: async (settings, signal) => (await import('./connection.ts')).probe(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).openConnection(settings, link),
} satisfies ChannelKind
