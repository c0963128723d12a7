import { createHash } from 'node:crypto'
import { ChannelFailure, type ConfigOf, type JSONSchema } from '#plugin-api'

/** The schema of a channel's config. */
export const configSchema = {
  type: 'object',
  properties: {
    server_url: {
      type: 'string',
      title: 'Server address',
      description: 'The address of the Mattermost server, such as https://chat.example.org.',
      pattern: '^https?://[^/@?#\\s]+(/[^?#\\s]*)?$',
      maxLength: 2048,
    },
    bot_token: {
      type: 'string',
      title: 'Access token',
      description: 'The token that Mattermost shows once when a bot account is created.',
      minLength: 1,
      maxLength: 512,
      writeOnly: true,
    },
  },
  required: ['server_url', 'bot_token'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The config of a Mattermost channel. */
export type MattermostConfig = ConfigOf<typeof configSchema>

/** Returns the account: the host, and a digest of the token, which does not tell whose it is. */
export function readIdentity({ server_url, bot_token }: Partial<MattermostConfig>): string | undefined {
  if (!bot_token || !server_url || !URL.canParse(server_url)) return undefined
  return `${new URL(server_url).host} ${createHash('sha256').update(bot_token).digest('base64url')}`
}

/** Throws `invalid_credentials` for a token with characters that a header cannot contain. */
export function checkConfig({ bot_token }: Partial<MattermostConfig>): void {
  if (bot_token && !/^[!-~]+$/.test(bot_token))
    throw new ChannelFailure(
      'invalid_credentials',
      'The access token contains a space or another character that tokens never have: copy it again.',
    )
}
