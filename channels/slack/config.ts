import { createHash } from 'node:crypto'
import { ChannelFailure, type ConfigOf, type JSONSchema } from '#plugin-api'

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    bot_token: {
      type: 'string',
      title: 'Bot token',
      description:
        'Begins with xoxb-. In the settings of the Slack app under "OAuth & Permissions", once the app is installed.',
      writeOnly: true,
      minLength: 1,
      maxLength: 512,
    },
    app_token: {
      type: 'string',
      title: 'App-level token',
      description:
        'Begins with xapp- and has the scope connections:write. In the settings of the Slack app under "Basic Information"; Socket Mode must be on.',
      writeOnly: true,
      minLength: 1,
      maxLength: 512,
    },
  },
  required: ['bot_token', 'app_token'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The config of a Slack channel: the two tokens of a Slack app. */
export type SlackConfig = ConfigOf<typeof CONFIG_SCHEMA>

/** The name of a token in a config. */
export type TokenName = keyof SlackConfig

/** Messages for a token of the wrong kind, detected by Slack or by its prefix. */
export const WRONG_KIND: Record<TokenName, string> = {
  bot_token:
    'The bot_token is a token of another kind: it must begin with xoxb-. Perhaps it and the app_token are swapped.',
  app_token:
    'The app_token is a token of another kind: it must begin with xapp-. Perhaps it and the bot_token are swapped.',
}

/** Throws if a token has the prefix of the other one. */
export function assertNotSwapped({ bot_token = '', app_token = '' }: Partial<SlackConfig>): void {
  if (bot_token.startsWith('xapp-')) throw new ChannelFailure('invalid_credentials', WRONG_KIND.bot_token)
  if (app_token.startsWith('xox')) throw new ChannelFailure('invalid_credentials', WRONG_KIND.app_token)
}

/** Returns the app's id from its app-level token; all installations of an app share its connections. */
export function readIdentity({ bot_token, app_token }: Partial<SlackConfig>): string | undefined {
  const app = /^xapp-\d+-([A-Z0-9]+)-/.exec(app_token ?? '')?.[1]
  return app ?? (bot_token && createHash('sha256').update(bot_token).digest('hex').slice(0, 32))
}
