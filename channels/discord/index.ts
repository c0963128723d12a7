import { type ChannelCapabilities, defineChannelKind } from '#plugin-api'
import { checkConfig, configSchema, readBotId } from './config.ts'

/** Discord shows the typing indicator for ten seconds; it is renewed earlier. */
const TYPING_MS = 8_000

const capabilities = {
  dialect: 'markdown-without-tables',
  max_length: 2_000,
  length_unit: 'characters',
  buttons: true,
  typing_ms: TYPING_MS,
} satisfies ChannelCapabilities

/** A Discord bot: direct messages, and the channels and threads of the servers it was added to. */
export default defineChannelKind({
  kind: 'discord',
  label: { en: 'Discord', zh: 'Discord' },
  config_schema: configSchema,
  addresses: ['http_proxy'],
  endpoints: { api: 'https://discord.com/api' },
  // Discord allows a bot about five messages or changes per five seconds in a channel.
  capabilities: {
    direct: { ...capabilities, live: { interval_ms: 1_300 } },
    group: { ...capabilities, live: { interval_ms: 1_500 } },
  },
  identity: readBotId,
  check: checkConfig,
  probe: async (settings, signal) => (await import('./connection.ts')).probe(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).openConnection(settings, link),
})
