import type { ChannelKind } from '#plugin-api'
import { proxyAddress } from './proxy.ts'
import { botIdOf, tokenOf } from './token.ts'

const all = {
  dialect: 'html',
  max_length: 4096,
  length_unit: 'characters',
  buttons: true,
  typing_ms: 5000,
} as const

/** A bot of Telegram, reached by long polling of its Bot API. */
export default {
  kind: 'telegram',
  label: { en: 'Telegram', zh: 'Telegram' },
  config_schema: {
    type: 'object',
    properties: {
      bot_token: {
        type: 'string',
        title: 'Bot token',
        description: 'What @BotFather gives when a bot is made: a number, a colon and a row of letters.',
        minLength: 1,
        maxLength: 512,
        writeOnly: true,
      },
      http_proxy: {
        type: 'string',
        title: 'HTTP proxy',
        description:
          'The proxy by which Telegram is reached, as http://host:port or http://user:password@host:port. Leave it empty where Telegram can be reached directly.',
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
    // A bot may write about twenty times a minute in a group.
    group: { ...all, live: { interval_ms: 3500 } },
  },
  identity: botIdOf,
  check(config) {
    tokenOf(config)
    if (config.http_proxy) proxyAddress(String(config.http_proxy))
  },
  probe: async (settings, signal) => (await import('./probe.ts')).probe(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).openConnection(settings, link),
} satisfies ChannelKind
