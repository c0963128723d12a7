import { ChannelFailure, type ChannelSettings, type ConfigOf, type JSONSchema } from '#plugin-api'

/** QQ's addresses for the API, for tokens and for QR codes. */
export const ENDPOINTS = {
  api: 'https://api.sgroup.qq.com',
  auth: 'https://bots.qq.com',
  bind: 'https://q.qq.com',
}

const SANDBOX_API = 'https://sandbox.api.sgroup.qq.com'

const MAX_LENGTH = 512

/** The schema of a channel's config. */
export const configSchema = {
  type: 'object',
  properties: {
    app_id: {
      type: 'string',
      title: 'App ID',
      description: 'The AppID of the bot, from the QQ open platform (q.qq.com) under Development Settings.',
      maxLength: MAX_LENGTH,
    },
    secret: {
      type: 'string',
      title: 'App secret',
      description: 'The AppSecret of the bot, from the same page.',
      writeOnly: true,
      maxLength: MAX_LENGTH,
    },
    client_secret: {
      type: 'string',
      title: 'Client secret',
      description: 'Another name for the app secret; set only one of the two.',
      writeOnly: true,
      maxLength: MAX_LENGTH,
    },
    c2c_streaming: {
      type: 'boolean',
      title: 'Streaming',
      description: 'Show replies in direct conversations while they are written.',
      default: true,
    },
    sandbox: {
      type: 'boolean',
      title: 'Sandbox',
      description: 'Use the sandbox of QQ, which also accepts unpublished bots.',
      default: false,
    },
  },
  required: ['app_id'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The config of a QQ channel. */
export type QQConfig = ConfigOf<typeof configSchema>

/** Returns the app's secret by either of its names. */
export const readSecret = ({ secret, client_secret }: Partial<QQConfig>): string | undefined =>
  secret || client_secret || undefined

/** Throws `missing_field` if the config has no secret by either name. */
export function checkConfig(config: Partial<QQConfig>): void {
  if (!readSecret(config)) throw new ChannelFailure('missing_field', 'secret')
}

/** Returns the API's address: the sandbox's if configured, unless the server's settings set another address. */
export function findApiAddress({
  config,
  endpoints,
}: Pick<ChannelSettings<QQConfig>, 'config' | 'endpoints'>): string {
  const { api = ENDPOINTS.api } = endpoints
  return config.sandbox === true && api === ENDPOINTS.api ? SANDBOX_API : api
}
