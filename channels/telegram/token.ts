import { ChannelFailure } from '#plugin-api'

/** The bot's id, a colon, and the secret part. */
const FORM = /^(\d{1,20}):[\w-]{10,200}$/

/** The numeric id of the bot that a token is of; undefined where it is no token. */
export const botIdOf = ({ bot_token }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof bot_token === 'string' ? FORM.exec(bot_token)?.[1] : undefined

/** The token of a config. Throws a `ChannelFailure` where there is none, or one that Telegram never gave. */
export function tokenOf(config: Readonly<Record<string, unknown>>): string {
  const { bot_token } = config
  if (typeof bot_token !== 'string' || bot_token === '')
    throw new ChannelFailure('missing_field', 'The bot token is missing.')
  // It becomes a part of addresses, so nothing else may pass.
  if (!botIdOf(config))
    throw new ChannelFailure(
      'invalid_credentials',
      'This is no bot token: one is a number, a colon and a row of letters, as @BotFather shows it.',
    )
  return bot_token
}
