import { ChannelFailure } from '#plugin-api'

/** The bot's id, a colon and the secret. */
const FORM = /^(\d{1,20}):[\w-]{10,200}$/

/** Returns the bot's id from its token; undefined if the token is invalid. */
export const readBotId = ({ bot_token }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof bot_token === 'string' ? FORM.exec(bot_token)?.[1] : undefined

/** Returns the token of a config. Throws a `ChannelFailure` if it is missing or malformed. */
export function readToken(config: Readonly<Record<string, unknown>>): string {
  const { bot_token } = config
  if (typeof bot_token !== 'string' || bot_token === '')
    throw new ChannelFailure('missing_field', 'The bot token is missing.')
  // The token is put into addresses, so its form must be checked.
  if (!readBotId(config))
    throw new ChannelFailure(
      'invalid_credentials',
      'This is not a bot token. A token is a number, a colon and a row of letters, as @BotFather shows it.',
    )
  return bot_token
}

/** Returns the address of an HTTP proxy; throws a `ChannelFailure` for any other address. */
export function toProxyAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ChannelFailure(
      'unsupported',
      'The proxy must be an address that begins with http:// or https://.',
    )
  return url.href
}
