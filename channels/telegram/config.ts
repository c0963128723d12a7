import { ChannelFailure, type ConfigOf, type JSONSchema } from '#plugin-api'

/** The schema of a channel's config. */
export const configSchema = {
  type: 'object',
  properties: {
    bot_token: {
      type: 'string',
      title: 'Bot token',
      description: 'The token from @BotFather for a new bot: a number, a colon and a row of letters.',
      minLength: 1,
      maxLength: 512,
      writeOnly: true,
    },
    http_proxy: {
      type: 'string',
      title: 'HTTP proxy',
      description:
        'The proxy for reaching Telegram, as http://host:port or http://user:password@host:port. Leave it empty if Telegram can be reached directly.',
      maxLength: 512,
      writeOnly: true,
    },
  },
  required: ['bot_token'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The config of a Telegram channel. */
export type TelegramConfig = ConfigOf<typeof configSchema>

/** The bot's id, a colon and the secret. */
const FORM = /^(\d{1,20}):[\w-]{10,200}$/

/** Returns the bot's id from its token; undefined if the token is invalid. */
export const readBotId = ({ bot_token }: Partial<TelegramConfig>): string | undefined =>
  FORM.exec(bot_token ?? '')?.[1]

/** Returns the token of a config. Throws a `ChannelFailure` if it is missing or malformed. */
export function readToken({ bot_token }: Partial<TelegramConfig>): string {
  if (!bot_token) throw new ChannelFailure('missing_field', 'The bot token is missing.')
  // The token is put into addresses, so its form must be checked.
  if (!readBotId({ bot_token }))
    throw new ChannelFailure(
      'invalid_credentials',
      'This is not a bot token. A token is a number, a colon and a row of letters, as @BotFather shows it.',
    )
  return bot_token
}
