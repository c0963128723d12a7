import { ChannelFailure, type ConfigOf, type JSONSchema } from '#plugin-api'

/** The schema of a channel's config. */
export const configSchema = {
  type: 'object',
  properties: {
    homeserver: {
      type: 'string',
      title: 'Homeserver',
      description: 'The address of the homeserver, such as https://matrix.example.org.',
      pattern: '^https?://[^/@?#\\s]+(/[^?#\\s]*)?$',
      maxLength: 2048,
    },
    user_id: {
      type: 'string',
      title: 'User ID',
      description: 'The full ID of the bot’s account, such as @assistant:example.org.',
      pattern: '^@[^:\\s]+:[^\\s/?#]+$',
      maxLength: 255,
    },
    access_token: {
      type: 'string',
      title: 'Access token',
      description:
        'An access token of the account, which Element shows under “Help & About”. Leave it empty to sign in with the password.',
      maxLength: 4096,
      writeOnly: true,
    },
    password: {
      type: 'string',
      title: 'Password',
      description: 'The password of the account, used if there is no access token.',
      maxLength: 512,
      writeOnly: true,
    },
    accept_invites: {
      type: 'boolean',
      title: 'Accept invitations',
      description:
        'Join the rooms to which people invite the bot; if “allow_from” names people, only theirs. The default is true.',
    },
  },
  required: ['homeserver', 'user_id'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The config of a Matrix channel. */
export type MatrixConfig = ConfigOf<typeof configSchema>

/** Returns the account: the user, and the host that vouches for it. */
export function readIdentity({ homeserver, user_id }: Partial<MatrixConfig>): string | undefined {
  return homeserver && user_id && URL.canParse(homeserver)
    ? `${user_id} ${new URL(homeserver).host}`
    : undefined
}

/** Throws a `ChannelFailure` if a config that fits the schema cannot work. */
export function checkConfig({ access_token, password }: Partial<MatrixConfig>): void {
  if (!access_token && !password) throw new ChannelFailure('missing_field', 'access_token or password')
  if (access_token && !/^[!-~]+$/.test(access_token))
    throw new ChannelFailure(
      'invalid_credentials',
      'The access token contains a space or another character that access tokens never have: copy it again.',
    )
}

/** Returns the address of the homeserver without a slash at the end. */
export const toBase = ({ homeserver }: Pick<MatrixConfig, 'homeserver'>): string =>
  homeserver.replace(/\/+$/, '')
