import type { ChannelCapabilities, ChannelKind, ChannelSettings } from '#plugin-api'
import { createSlackApi, type Reach } from './api.ts'
import { assertNotSwapped, CONFIG_SCHEMA, identityOf } from './config.ts'
import { identifyBot } from './identity.ts'

/** How long Slack may take to answer, in milliseconds. */
const REQUEST_MS = 30_000

const BOTH: ChannelCapabilities = {
  dialect: 'markdown',
  // Of `markdown_text`, and of all markdown blocks of a message together.
  max_length: 12_000,
  length_unit: 'characters',
  buttons: true,
  // Slack allows some 50 changes a minute.
  live: { interval_ms: 1300 },
}

/** Makes the kind; `requestMs` is how long Slack may take to answer. */
export function createSlackKind({ requestMs = REQUEST_MS }: { requestMs?: number } = {}): ChannelKind {
  const reach = (settings: ChannelSettings): ChannelSettings & Reach => ({ ...settings, requestMs })
  return {
    kind: 'slack',
    label: { en: 'Slack', zh: 'Slack' },
    config_schema: CONFIG_SCHEMA,
    endpoints: { api: 'https://slack.com/api' },
    capabilities: {
      direct: BOTH,
      // Slack takes it back after two minutes, and shows it in threads only.
      group: { ...BOTH, typing_ms: 120_000 },
    },
    identity: identityOf,
    check: assertNotSwapped,
    async probe(settings, signal) {
      await identifyBot(await createSlackApi(reach(settings), 'bot_token'), signal)
      await (await createSlackApi(reach(settings), 'app_token')).call('apps.connections.open', {}, signal)
    },
    open: async (settings, link) => (await import('./connection.ts')).openConnection(reach(settings), link),
  }
}
