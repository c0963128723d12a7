import { ChannelFailure } from '#plugin-api'

/** What a channel of this kind is configured with. */
export interface DiscordConfig {
  bot_token: string
}

/** The bot's user id, which is the first part of its token; undefined where the token has another form. */
export function botIdOf({ bot_token }: Partial<DiscordConfig>): string | undefined {
  const id = Buffer.from(bot_token?.split('.')[0] ?? '', 'base64url').toString()
  return /^\d{15,22}$/.test(id) ? id : undefined
}

/** Throws `invalid_credentials` where a token cannot be one; an HTTP header could not even hold it. */
export function checkToken({ bot_token }: Partial<DiscordConfig>): void {
  if (bot_token !== undefined && !/^[!-~]+$/.test(bot_token))
    throw new ChannelFailure(
      'invalid_credentials',
      'The bot token holds a space or another character that no token of Discord has: copy it anew.',
    )
}
