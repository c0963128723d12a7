import { type ChannelCapabilities, defineChannelKind } from '#plugin-api'
import { configSchema } from './config.ts'
import { registration } from './registration.ts'

/** A message is sent as JSON within JSON, which may double its length; a group accepts 15,000 bytes of it. */
const MAX_MESSAGE_BYTES = 7000

/** The shortest time between two changes of a card. */
const CARD_INTERVAL_MS = 800

const capabilities: ChannelCapabilities = {
  dialect: 'markdown-without-tables',
  max_length: MAX_MESSAGE_BYTES,
  length_unit: 'bytes',
  buttons: true,
  live: { interval_ms: CARD_INTERVAL_MS },
}

/** Robots of apps in DingTalk, connected in Stream mode, which needs no public address. */
export default defineChannelKind({
  kind: 'dingtalk',
  label: { en: 'DingTalk', zh: '钉钉' },
  config_schema: configSchema,
  endpoints: { api: 'https://api.dingtalk.com', oapi: 'https://oapi.dingtalk.com' },
  capabilities: { direct: capabilities, group: capabilities },
  identity: ({ client_id }) => client_id,
  probe: async (settings, signal) => (await import('./connection.ts')).probe(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).open(settings, link),
  registration,
})
