import { type ChannelCapabilities, defineChannelKind } from '#plugin-api'
import { configSchema } from './config.ts'

/** A card holds 30 KB of JSON, where each quote and line break of code takes two bytes. */
const MAX_BYTES = 20_000

const capabilities: ChannelCapabilities = {
  dialect: 'markdown',
  max_length: MAX_BYTES,
  length_unit: 'bytes',
  buttons: true,
  // A card accepts ten changes per second and stops streaming after ten minutes.
  live: { interval_ms: 300, max_ms: 9 * 60_000 },
}

/** Feishu and its international version Lark, connected by the long connection, which needs no public address. */
export default defineChannelKind({
  kind: 'feishu',
  label: { en: 'Feishu / Lark', zh: '飞书 / Lark' },
  config_schema: configSchema,
  endpoints: { domain: 'https://open.feishu.cn', accounts: 'https://accounts.feishu.cn' },
  capabilities: { direct: capabilities, group: capabilities },
  identity: ({ app_id }) => app_id,
  probe: async (settings, signal) => (await import('./api.ts')).probe(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).open(settings, link),
  registration: {
    gives: 'channel',
    begin: async (platform) => (await import('./registration.ts')).begin(platform),
    poll: async (state, platform) => (await import('./registration.ts')).poll(state, platform),
  },
})
