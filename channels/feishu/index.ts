import type { ChannelCapabilities, ChannelKind } from '#plugin-api'

/** A card holds 30 KB, including its own JSON. */
const MAX_BYTES = 28_000

const capabilities: ChannelCapabilities = {
  dialect: 'markdown',
  max_length: MAX_BYTES,
  length_unit: 'bytes',
  buttons: true,
  // A card accepts ten changes per second and stops streaming after ten minutes.
  live: { interval_ms: 300, max_ms: 9 * 60_000 },
}

const secret = { type: 'string', minLength: 1, maxLength: 512, writeOnly: true } as const

/** Feishu and its international version Lark, connected by the long connection, which needs no public address. */
const feishu = {
  kind: 'feishu',
  label: { en: 'Feishu / Lark', zh: '飞书 / Lark' },
  config_schema: {
    type: 'object',
    properties: {
      app_id: {
        type: 'string',
        title: 'App ID',
        description:
          'The ID of your app, under Credentials in the developer console: cli_ and 16 digits or letters a to f.',
        pattern: '^cli_[0-9a-fA-F]{16}$',
        maxLength: 512,
      },
      app_secret: {
        ...secret,
        title: 'App Secret',
        description: 'The secret of the app, next to its App ID.',
      },
      brand: {
        type: 'string',
        enum: ['feishu', 'lark'],
        default: 'feishu',
        title: 'Platform',
        description: 'feishu for feishu.cn, lark for larksuite.com.',
      },
      encrypt_key: {
        ...secret,
        title: 'Encrypt Key',
        description: 'Needed only if the app has one under Events and Callbacks.',
      },
      verification_token: {
        ...secret,
        title: 'Verification Token',
        description: 'Not needed: the connection itself is authenticated.',
      },
    },
    required: ['app_id', 'app_secret'],
    additionalProperties: false,
  },
  endpoints: { domain: 'https://open.feishu.cn', accounts: 'https://accounts.feishu.cn' },
  capabilities: { direct: capabilities, group: capabilities },
  identity: ({ app_id }) => (typeof app_id === 'string' ? app_id : undefined),
  probe: async (settings, signal) => (await import('./bot.ts')).probe(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).open(settings, link),
  registration: {
    gives: 'channel',
    begin: async (platform) => (await import('./registration.ts')).begin(platform),
    poll: async (state, platform) => (await import('./registration.ts')).poll(state, platform),
  },
} satisfies ChannelKind

export default feishu
