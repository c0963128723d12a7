import { nullable, objectOf } from '#kernel'
import { CHANNEL_FAILURES } from '#plugin-api'

const text = { type: 'string' } as const
const seconds = { type: 'integer', minimum: 0, description: 'Unix seconds' } as const
const kind = { type: 'string', minLength: 1, maxLength: 64 } as const
const name = { type: 'string', minLength: 1, maxLength: 64, pattern: '\\S' } as const
const config = {
  type: 'object',
  description:
    'As the kind describes it; secrets are shown masked, and a mask that is sent back keeps what is stored',
} as const
const sentConfig = { ...config, maxProperties: 64, writeOnly: true } as const
const reason = { enum: CHANNEL_FAILURES } as const

const runtime = objectOf(
  {
    state: { enum: ['connected', 'connecting', 'disconnected', 'failed'] },
    reason: nullable(reason),
    error: nullable(text),
    since: seconds,
    reconnects: { type: 'integer', minimum: 0 },
  },
  ['state', 'reason', 'error', 'since', 'reconnects'],
)

/** A channel. */
export const channelRow = {
  title: 'Channel',
  ...objectOf(
    {
      id: text,
      agent_id: text,
      kind: text,
      name: text,
      enabled: { type: 'boolean' },
      config,
      runtime,
      created_at: seconds,
      updated_at: seconds,
    },
    ['id', 'agent_id', 'kind', 'name', 'enabled', 'config', 'runtime', 'created_at', 'updated_at'],
  ),
} as const

/** A channel kind. */
export const kindRow = {
  title: 'ChannelKind',
  ...objectOf(
    {
      kind: text,
      label: text,
      config_schema: {
        type: 'object',
        description: 'The JSON Schema of a whole config; secrets are writeOnly',
      },
      registration: { enum: ['credentials', 'channel', null] },
    },
    ['kind', 'label', 'config_schema', 'registration'],
  ),
} as const

/** POST …/channels; a channel that is not enabled may lack what its kind requires. */
export const newChannel = objectOf({ kind, name, config: sentConfig, enabled: { type: 'boolean' } }, [
  'kind',
  'name',
])

/** PATCH …/channels/:cid; `config` is merged by RFC 7396. */
export const channelChanges = objectOf({ name, config: sentConfig, enabled: { type: 'boolean' } })

/** What is to be tested; masks in it stand for the secrets of the channel that is named. */
export const probeRequest = objectOf(
  { kind, config: sentConfig, channel_id: { type: 'string', maxLength: 64 } },
  ['kind'],
)

/** How a test ended. */
export const probeResult = {
  title: 'ChannelProbeResult',
  ...objectOf({ ok: { type: 'boolean' }, reason, detail: text }, ['ok']),
} as const

const token = { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,512}$' } as const

/** The token of a QR code that gives credentials, or of one that gives a channel. */
export const registrationToken = {
  ...objectOf({ qrcode_token: token, registration_id: token }),
  oneOf: [{ required: ['qrcode_token'] }, { required: ['registration_id'] }],
} as const

/** A QR code to be scanned. */
export const begunRegistration = {
  title: 'ChannelQRCode',
  ...objectOf({ qrcode_token: text, registration_id: text, qrcode_url: text }, ['qrcode_url']),
} as const

/** How the scan stands; a success has the credentials that it gave, or the channel that is stored. */
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
