import type { ChannelSettings, ConfigOf, JSONSchema } from '#plugin-api'

const secret = { type: 'string', minLength: 1, maxLength: 512, writeOnly: true } as const

/** The schema of a channel's config. */
export const configSchema = {
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
} as const satisfies JSONSchema

/** The config of a Feishu channel. */
export type FeishuConfig = ConfigOf<typeof configSchema>

/** The platform that an app belongs to. */
export type Brand = NonNullable<FeishuConfig['brand']>

/** Lark's hosts by Feishu's. */
const OF_LARK: Record<string, string> = {
  'https://open.feishu.cn': 'https://open.larksuite.com',
  'https://accounts.feishu.cn': 'https://accounts.larksuite.com',
}

/** Returns the endpoint of a brand; an address from the server's settings is used for both brands. */
export function findEndpoint(address: string, brand: Brand): string {
  return (brand === 'lark' && OF_LARK[address]) || address
}

/** Returns the address of the API of an app's brand. */
export const findDomain = ({
  config,
  endpoints,
}: Pick<ChannelSettings<FeishuConfig>, 'config' | 'endpoints'>) =>
  findEndpoint(endpoints.domain!, config.brand ?? 'feishu')
