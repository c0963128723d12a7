import type { ChannelCapabilities, ChannelKind } from '#plugin-api'
import { appIdOf, checkConfig, configSchema, ENDPOINTS } from './config.ts'
import { registration } from './registration.ts'

/** QQ names no limit; messages of this many bytes are known to pass. */
const MAX_LENGTH = 4000

/** Beyond about two kilobytes some have seen a growing message lose its end without an error. */
const MAX_LIVE_LENGTH = 1800

const shared = {
  dialect: 'markdown-without-tables',
  max_length: MAX_LENGTH,
  length_unit: 'bytes',
  buttons: true,
} as const satisfies Partial<ChannelCapabilities>

/** Bots of QQ, in direct conversations and in groups. */
export default {
  kind: 'qq',
  label: { en: 'QQ', zh: 'QQ' },
  config_schema: configSchema,
  endpoints: ENDPOINTS,
  capabilities: {
    direct: {
      ...shared,
      max_replies: 4,
      live: { interval_ms: 800, append_only: true, max_length: MAX_LIVE_LENGTH },
    },
    group: { ...shared, max_replies: 5 },
  },
  identity: (config) => appIdOf(config) || undefined,
  check: checkConfig,
  async probe(settings, signal) {
    const { createApi } = await import('./api.ts')
    const api = createApi(settings, signal)
    // The gateway's address may only be asked for twice a minute, and its sessions are counted.
    await api.call('GET', '/users/@me', { what: 'the bot', signal })
  },
  open: async (settings, link) => (await import('./connection.ts')).openConnection(settings, link),
  registration,
} satisfies ChannelKind
