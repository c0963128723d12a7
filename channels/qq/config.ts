import type { JSONSchema } from '#kernel'
import { ChannelFailure, type ChannelSettings } from '#plugin-api'

/** QQ's addresses: of the API, of the tokens, and of the QR codes. */
export const ENDPOINTS = {
  api: 'https://api.sgroup.qq.com',
  auth: 'https://bots.qq.com',
  bind: 'https://q.qq.com',
}

const SANDBOX_API = 'https://sandbox.api.sgroup.qq.com'

const MAX_LENGTH = 512

/** What a channel's `config` holds. */
export const configSchema: JSONSchema = {
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
      description: 'Another name for the app secret; only one of the two is needed.',
      writeOnly: true,
      maxLength: MAX_LENGTH,
    },
    c2c_streaming: {
      type: 'boolean',
      title: 'Streaming',
      description: 'Whether replies in direct conversations may grow while they are written.',
      default: true,
    },
    sandbox: {
      type: 'boolean',
      title: 'Sandbox',
      description: 'Whether to use the sandbox of QQ, which also takes bots that are not published yet.',
      default: false,
    },
  },
  required: ['app_id'],
  additionalProperties: false,
}

type Config = ChannelSettings['config']

/** The app's id, which a valid config has. */
export const appIdOf = (config: Config): string => config.app_id as string

/** The app's secret by either of its names. */
export const secretOf = (config: Config): string | undefined =>
  ((config.secret || config.client_secret) as string | undefined) || undefined

/** Throws `missing_field` where there is no secret by either name. */
export function checkConfig(config: Config): void {
  if (!secretOf(config)) throw new ChannelFailure('missing_field', 'secret')
}

/** The address of the API: the sandbox's where that is asked for, unless the server's settings name another. */
export function apiAddressOf({ config, endpoints }: Pick<ChannelSettings, 'config' | 'endpoints'>): string {
  const { api = ENDPOINTS.api } = endpoints
  return config.sandbox === true && api === ENDPOINTS.api ? SANDBOX_API : api
}
