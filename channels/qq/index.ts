import { type ChannelCapabilities, defineChannelKind } from '#plugin-api'
import { checkConfig, configSchema, ENDPOINTS } from './config.ts'
import { registration } from './registration.ts'

/** QQ documents no limit; messages of this length are known to be accepted. */
const MAX_MESSAGE_BYTES = 4000

/** Beyond about two kilobytes, streamed messages were seen to lose their end without an error. */
const MAX_LIVE_BYTES = 1800

const shared = {
  dialect: 'markdown-without-tables',
  max_length: MAX_MESSAGE_BYTES,
  length_unit: 'bytes',
  buttons: true,
} as const satisfies Partial<ChannelCapabilities>

/** Bots of QQ, in direct conversations and in groups. */
export default defineChannelKind({
  kind: 'qq',
  label: { en: 'QQ', zh: 'QQ' },
  config_schema: configSchema,
  endpoints: ENDPOINTS,
  capabilities: {
    direct: {
      ...shared,
      max_replies: 4,
      live: { interval_ms: 800, append_only: true, max_length: MAX_LIVE_BYTES },
    },
    group: { ...shared, max_replies: 5 },
  },
  identity: ({ app_id }) => app_id || undefined,
  check: checkConfig,
  async probe(settings, signal) {
    const { createApi } = await import('./api.ts')
    const api = createApi(settings, signal)
    // Does not use the gateway: its address may be requested twice a minute, and its sessions are limited.
    await api.call('GET', '/users/@me', { what: 'the bot', signal })
  },
  open: async (settings, link) => (await import('./connection.ts')).openConnection(settings, link),
  registration,
})
