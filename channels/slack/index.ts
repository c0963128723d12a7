import {
  type ChannelCapabilities,
  type ChannelKind,
  type ChannelSettings,
  defineChannelKind,
} from '#plugin-api'
import { createSlackApi, type Reach } from './api.ts'
import { assertNotSwapped, CONFIG_SCHEMA, readIdentity, type SlackConfig } from './config.ts'
import { identifyBot } from './identity.ts'

/** Time limit for an answer of Slack, in milliseconds. */
const REQUEST_MS = 30_000

const BOTH: ChannelCapabilities = {
  dialect: 'markdown',
  // The limit of `markdown_text`, and of all Markdown blocks of a message together.
  max_length: 12_000,
  length_unit: 'characters',
  buttons: true,
  // Slack allows about 50 changes per minute.
  live: { interval_ms: 1300 },
}

/** Creates the kind; `requestMs` is the time limit for an answer. */
export function createSlackKind({ requestMs = REQUEST_MS }: { requestMs?: number } = {}): ChannelKind {
  const reach = (settings: ChannelSettings<SlackConfig>): ChannelSettings<SlackConfig> & Reach => ({
    ...settings,
    requestMs,
  })
  return defineChannelKind({
    kind: 'slack',
    label: { en: 'Slack', zh: 'Slack' },
    config_schema: CONFIG_SCHEMA,
    endpoints: { api: 'https://slack.com/api' },
    capabilities: {
      direct: BOTH,
      // Slack removes the status after two minutes and shows it only in threads.
      group: { ...BOTH, typing_ms: 120_000 },
    },
    identity: readIdentity,
    check: assertNotSwapped,
    async probe(settings, signal) {
      await identifyBot(await createSlackApi(reach(settings), 'bot_token'), signal)
      await (await createSlackApi(reach(settings), 'app_token')).call('apps.connections.open', {}, signal)
    },
    open: async (settings, link) => (await import('./connection.ts')).openConnection(reach(settings), link),
  })
}

/** A Slack app in Socket Mode, which needs no public address. */
export default createSlackKind()
