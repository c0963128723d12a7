import { type ChannelCapabilities, defineChannelKind } from '#plugin-api'
import { checkConfig, configSchema, readIdentity } from './config.ts'

/** Typing notices are shown for ten seconds; they are renewed earlier. */
const TYPING_MS = 8_000

const capabilities: ChannelCapabilities = {
  dialect: 'markdown',
  // An event has at most 64 KiB, and its text is in it as Markdown and as HTML.
  max_length: 16_000,
  length_unit: 'bytes',
  // Homeservers allow few messages per second, and each change is one.
  live: { interval_ms: 3_000 },
  typing_ms: TYPING_MS,
}

/** An account on a Matrix homeserver: its direct rooms, and the group rooms to which it is invited. */
export default defineChannelKind({
  kind: 'matrix',
  label: { en: 'Matrix', zh: 'Matrix' },
  config_schema: configSchema,
  addresses: ['homeserver'],
  capabilities: { direct: capabilities, group: capabilities },
  identity: readIdentity,
  check: checkConfig,
  probe: async (settings, signal) => (await import('./account.ts')).probe(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).openConnection(settings, link),
})
