import { type ChannelCapabilities, defineChannelKind } from '#plugin-api'
import { checkConfig, configSchema, readIdentity } from './config.ts'

/** Mattermost shows that somebody is typing for five seconds; it is renewed earlier. */
const TYPING_MS = 4_000

const capabilities: ChannelCapabilities = {
  dialect: 'markdown',
  max_length: 16_383,
  length_unit: 'characters',
  live: { interval_ms: 1_000 },
  typing_ms: TYPING_MS,
}

/** A bot account of a Mattermost server: direct messages, and the channels that it is a member of. */
export default defineChannelKind({
  kind: 'mattermost',
  label: { en: 'Mattermost', zh: 'Mattermost' },
  config_schema: configSchema,
  addresses: ['server_url'],
  capabilities: { direct: capabilities, group: capabilities },
  identity: readIdentity,
  check: checkConfig,
  probe: async (settings, signal) => (await import('./connection.ts')).probe(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).openConnection(settings, link),
})
