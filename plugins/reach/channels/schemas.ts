import { CHANNEL_FAILURES, managedRow, nullable, objectOf, rowOf } from '#plugin-api'

const CHANNEL_ID = 'chn_01KDVMF0000000000000000001'
const text = { type: 'string' } as const
const seconds = { type: 'integer', minimum: 0, description: 'Unix seconds' } as const
const kind = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'One of `GET /channels/kinds`',
  examples: ['telegram'],
} as const
const name = { type: 'string', minLength: 1, maxLength: 64, pattern: '\\S', examples: ['Support'] } as const

/** The path of a channel. */
export const channelParams = rowOf({
  cid: { type: 'string', description: 'The id of a channel of the agent' },
})

/** The path of a kind. */
export const kindParams = rowOf({ kind: { type: 'string', description: 'One of `GET /channels/kinds`' } })

const config = {
  type: 'object',
  description:
    'The settings that the kind describes. Secrets are masked; sending a mask back keeps the stored secret',
  examples: [{ bot_token: '••••mple', response_mode: 'stream' }],
} as const
const sentConfig = {
  ...config,
  maxProperties: 64,
  writeOnly: true,
  examples: [{ bot_token: '123456:token-of-an-example', response_mode: 'stream' }],
} as const
const enabled = {
  type: 'boolean',
  description: 'False if the channel is not connected',
  examples: [true],
} as const
const reason = { title: 'ChannelFailure', enum: CHANNEL_FAILURES } as const

const runtime = {
  title: 'ChannelRuntime',
  ...rowOf({
    state: { title: 'ChannelState', enum: ['connected', 'connecting', 'disconnected', 'failed'] },
    reason: { ...nullable(reason), description: 'The reason of a failure', examples: [null] },
    error: { ...nullable(text), description: 'The failure in words', examples: [null] },
    since: {
      ...seconds,
      description: 'The time of the last change of the state, in Unix seconds',
      examples: [1_767_225_600],
    },
    reconnects: {
      type: 'integer',
      minimum: 0,
      description: 'How often the connection was lost',
      examples: [0],
    },
    last_refusal: {
      ...nullable({
        title: 'ChannelRefusal',
        ...rowOf({
          reason,
          detail: { ...text, examples: ['Telegram refused the call: message is too long.'] },
          at: { ...seconds, examples: [1_767_225_600] },
        }),
      }),
      description: 'The newest message, file or change that the platform refused, in words',
      examples: [null],
    },
  }),
} as const

/** A channel. */
export const channelRow = {
  title: 'Channel',
  ...rowOf({
    id: { ...text, examples: [CHANNEL_ID] },
    agent_id: text,
    kind: { ...text, examples: ['telegram'] },
    name: { ...text, examples: ['Support'] },
    enabled,
    config,
    runtime,
    ...managedRow,
    created_at: seconds,
    updated_at: seconds,
  }),
} as const

/** A conversation of a channel. */
export const conversationRow = {
  title: 'ChannelConversation',
  ...rowOf({
    conversation_id: { ...text, description: 'The id on the platform', examples: ['84210013'] },
    type: { title: 'ConversationType', enum: ['direct', 'group'] },
    sender: {
      title: 'ConversationSender',
      description: 'The author of the newest message to the bot',
      ...rowOf(
        {
          id: { ...text, description: 'The id on the platform', examples: ['84210013'] },
          name: { ...text, examples: ['Ada'] },
        },
        ['name'],
      ),
    },
    thread_id: {
      ...nullable(text),
      description: 'The thread that it continues in; null before an answer',
      examples: ['thr_01KDVMF0000000000000000001'],
    },
    last_message_at: { ...seconds, description: 'The time of that message, in Unix seconds' },
  }),
} as const

/** A channel kind. */
export const kindRow = {
  title: 'ChannelKind',
  ...rowOf({
    kind: { ...text, examples: ['telegram'] },
    label: { ...text, examples: ['Telegram'] },
    config_schema: {
      type: 'object',
      description: 'The JSON Schema of a complete config; secrets are writeOnly',
      examples: [{ type: 'object', properties: { bot_token: { type: 'string', writeOnly: true } } }],
    },
    registration: {
      title: 'ChannelRegistration',
      enum: ['credentials', 'channel', null],
      description: 'What the scan of a QR code returns; null if the kind has no QR codes',
      examples: [null],
    },
  }),
} as const

/** The body of POST …/channels; a disabled channel may lack fields that its kind requires. */
export const newChannel = objectOf({ kind, name, config: sentConfig, enabled }, ['kind', 'name'])

/** The body of PATCH …/channels/:cid; `config` is merged by RFC 7396. */
export const channelChanges = objectOf({ name, config: sentConfig, enabled })

/** The config to test; its masks mean the secrets of the channel `channel_id`. */
export const probeRequest = objectOf(
  {
    kind,
    config: sentConfig,
    channel_id: {
      type: 'string',
      maxLength: 64,
      description: 'The channel to take secrets from that are sent as masks',
    },
  },
  ['kind'],
)

/** The result of a test. */
export const probeResult = {
  title: 'ChannelProbeResult',
  examples: [{ ok: true }],
  ...objectOf(
    {
      ok: { type: 'boolean' },
      reason: { ...reason, description: 'Only if `ok` is false' },
      detail: { ...text, description: 'The failure in words', examples: ['The platform refuses the token.'] },
    },
    ['ok'],
  ),
} as const

const TOKEN = 'Q2xT0vEw8mZr5uHnJ3aKpXsD7fGbYk1o'
const token = { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,512}$' } as const

/** The token of a QR code: `qrcode_token` if its scan returns credentials, `registration_id` if it makes a channel. */
export const registrationToken = {
  ...objectOf({
    qrcode_token: {
      ...token,
      description: 'The token of a QR code whose scan returns credentials',
      examples: [TOKEN],
    },
    registration_id: { ...token, description: 'The token of a QR code whose scan creates a channel' },
  }),
  oneOf: [{ required: ['qrcode_token'] }, { required: ['registration_id'] }],
} as const

/** A QR code to scan. */
export const begunRegistration = {
  title: 'ChannelQRCode',
  examples: [{ qrcode_token: TOKEN, qrcode_url: 'https://platform.example.com/scan/8mZr5uHn' }],
  ...objectOf(
    {
      qrcode_token: { ...text, description: 'Set if the scan returns credentials', examples: [TOKEN] },
      registration_id: { ...text, description: 'Set if the scan creates a channel', examples: [TOKEN] },
      qrcode_url: {
        ...text,
        description: 'To be shown as a QR code',
        examples: ['https://platform.example.com/scan/8mZr5uHn'],
      },
    },
    ['qrcode_url'],
  ),
} as const

/** The status of a scan; on success with the received credentials or the id of the stored channel. */
export const registrationStatus = {
  title: 'ChannelQRCodeStatus',
  examples: [{ status: 'success', channel_id: CHANNEL_ID }],
  type: 'object',
  properties: {
    status: {
      title: 'ScanStatus',
      enum: ['pending', 'waiting', 'success', 'expired', 'error', 'failed'],
      description:
        '`pending` and `error` if the scan returns credentials, `waiting` and `failed` if it creates a channel',
      examples: ['success'],
    },
    channel_id: { ...text, description: 'The channel that was created', examples: [CHANNEL_ID] },
  },
  required: ['status'],
  additionalProperties: true,
} as const
