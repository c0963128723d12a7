import { ChannelFailure, type ConfigOf, type JSONSchema, toProxyAddress } from '#plugin-api'

/** The schema of a channel's config. */
export const configSchema = {
  type: 'object',
  properties: {
    bot_token: {
      type: 'string',
      title: 'Bot token',
      description:
        'From the page "Bot" of your application in the Discord developer portal. Enable the Message Content intent on the same page.',
      minLength: 1,
      maxLength: 512,
      writeOnly: true,
    },
    http_proxy: {
      type: 'string',
      title: 'HTTP proxy',
      description:
        'The proxy for reaching Discord, as http://host:port or http://user:password@host:port. Leave it empty if Discord can be reached directly.',
      maxLength: 512,
      writeOnly: true,
    },
  },
  required: ['bot_token'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The config of a Discord channel. */
export type DiscordConfig = ConfigOf<typeof configSchema>

/** Returns the bot's user id, the first part of its token; undefined if the token has another form. */
export function readBotId({ bot_token }: Partial<DiscordConfig>): string | undefined {
  const id = Buffer.from(bot_token?.split('.')[0] ?? '', 'base64url').toString()
  return /^\d{15,22}$/.test(id) ? id : undefined
}

/** Throws a `ChannelFailure` if a config that fits the schema cannot work. */
export function checkConfig({ bot_token, http_proxy }: Partial<DiscordConfig>): void {
  checkToken({ bot_token })
  if (http_proxy) toProxyAddress(http_proxy)
}

/** Throws `invalid_credentials` for a token with characters that an HTTP header cannot contain. */
export function checkToken({ bot_token }: Partial<DiscordConfig>): void {
  if (bot_token !== undefined && !/^[!-~]+$/.test(bot_token))
    throw new ChannelFailure(
      'invalid_credentials',
      'The bot token contains a space or another character that Discord tokens never have: copy it again.',
    )
}
