import { nullable, objectOf, rowOf } from '#kernel'
import { CHANNEL_FAILURES } from '#plugin-api'

const text = { type: 'string' } as const
const seconds = { type: 'integer', minimum: 0, description: 'Unix seconds' } as const
const kind = { type: 'string', minLength: 1, maxLength: 64 } as const
const name = { type: 'string', minLength: 1, maxLength: 64, pattern: '\\S' } as const
const config = {
  type: 'object',
  description:
    'The settings that the kind describes. Secrets are masked; sending a mask back keeps the stored secret',
} as const
const sentConfig = { ...config, maxProperties: 64, writeOnly: true } as const
const reason = { enum: CHANNEL_FAILURES } as const

const runtime = rowOf({
  state: { enum: ['connected', 'connecting', 'disconnected', 'failed'] },
  reason: nullable(reason),
  error: nullable(text),
  since: seconds,
  reconnects: { type: 'integer', minimum: 0 },
})

/** A channel. */
export const channelRow = {
  title: 'Channel',
  ...rowOf({
    id: text,
    agent_id: text,
    kind: text,
    name: text,
    enabled: { type: 'boolean' },
    config,
    runtime,
    created_at: seconds,
    updated_at: seconds,
  }),
} as const

/** A channel kind. */
export const kindRow = {
  title: 'ChannelKind',
  ...rowOf({
    kind: text,
    label: text,
    config_schema: {
      type: 'object',
      description: 'The JSON Schema of a complete config; secrets are writeOnly',
    },
    registration: { enum: ['credentials', 'channel', null] },
  }),
} as const

/** The body of POST …/channels; a disabled channel may lack fields that its kind requires. */
export const newChannel = objectOf({ kind, name, config: sentConfig, enabled: { type: 'boolean' } }, [
  'kind',
  'name',
])

/** The body of PATCH …/channels/:cid; `config` is merged by RFC 7396. */
export const channelChanges = objectOf({ name, config: sentConfig, enabled: { type: 'boolean' } })

/** The config to test; its masks mean the secrets of the channel `channel_id`. */
export const probeRequest = objectOf(
  { kind, config: sentConfig, channel_id: { type: 'string', maxLength: 64 } },
  ['kind'],
)

/** The result of a test. */
export const probeResult = {
  title: 'ChannelProbeResult',
  ...objectOf({ ok: { type: 'boolean' }, reason, detail: text }, ['ok']),
} as const

const token = { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,512}$' } as const

/** The token of a QR code: `qrcode_token` if its scan returns credentials, `registration_id` if it makes a channel. */
export const registrationToken = {
  ...objectOf({ qrcode_token: token, registration_id: token }),
  oneOf: [{ required: ['qrcode_token'] }, { required: ['registration_id'] }],
} as const

/** A QR code to scan. */
export const begunRegistration = {
  title: 'ChannelQRCode',
  ...objectOf({ qrcode_token: text, registration_id: text, qrcode_url: text }, ['qrcode_url']),
} as const

/** The status of a scan; on success with the received credentials or the id of the stored channel. */
export const registrationStatus = {
  title: 'ChannelQRCodeStatus',
  type: 'object',
  properties: {
    status: { enum: ['pending', 'waiting', 'success', 'expired', 'error', 'failed'] },
    channel_id: text,
  },
  required: ['status'],
  additionalProperties: true,
} as const
