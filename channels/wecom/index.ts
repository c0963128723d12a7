import { type ChannelCapabilities, defineChannelKind } from '#plugin-api'
import { checkAddress, configSchema, endpoints } from './config.ts'
import { registration } from './registration.ts'

/** WeCom's limit for messages and streams. */
const MAX_MESSAGE_BYTES = 20_480

/** A stream must end within six minutes of its first frame; half of that leaves time for retries. */
const MAX_LIVE_MS = 170_000

const capabilities: ChannelCapabilities = {
  dialect: 'markdown',
  max_length: MAX_MESSAGE_BYTES,
  length_unit: 'bytes',
  buttons: true,
  live: { interval_ms: 1500, max_ms: MAX_LIVE_MS },
}

/** Smart robots of WeCom (企业微信), connected by a WebSocket to the platform. */
export default defineChannelKind({
  kind: 'wecom',
  label: { en: 'WeCom', zh: '企业微信' },
  config_schema: configSchema,
  addresses: ['websocket_url'],
  endpoints,
  capabilities: { direct: capabilities, group: capabilities },
  identity: ({ bot_id }) => bot_id,
  check: checkAddress,
  probe_takes_over: true,
  probe: async (settings, signal) => (await import('./socket.ts')).probe(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).openConnection(settings, link),
  registration,
})
