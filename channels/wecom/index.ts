import type { ChannelCapabilities, ChannelKind } from '#plugin-api'
import { checkAddress, configSchema, endpoints } from './config.ts'
import { registration } from './registration.ts'

/** Bytes of one message, and of a stream with all that was written into it. */
const MAX_LENGTH = 20_480

/** A stream must end six minutes after its first frame; half of that leaves time for what fails and is tried again. */
const MAX_LIVE_MS = 170_000

const capabilities: ChannelCapabilities = {
  dialect: 'markdown',
  max_length: MAX_LENGTH,
  length_unit: 'bytes',
  buttons: true,
  live: { interval_ms: 1500, max_ms: MAX_LIVE_MS },
}

/** Smart robots of WeCom (企业微信), reached over the connection that they hold to the platform. */
const wecom: ChannelKind = {
  kind: 'wecom',
  label: { en: 'WeCom', zh: '企业微信' },
  config_schema: configSchema,
  addresses: ['websocket_url'],
  endpoints,
  capabilities: { direct: capabilities, group: capabilities },
  identity: ({ bot_id }) => (typeof bot_id === 'string' ? bot_id : undefined),
  check: checkAddress,
  probe_takes_over: true,
  probe: async (settings, signal) => (await import('./socket.ts')).probe(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).openConnection(settings, link),
  registration,
}

export default wecom satisfies ChannelKind
