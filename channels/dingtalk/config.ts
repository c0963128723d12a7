import type { ConfigOf, JSONSchema } from '#plugin-api'

/** The default name of the text variable in templates of AI cards. */
export const DEFAULT_TEMPLATE_KEY = 'content'

const line = { type: 'string', minLength: 1, maxLength: 512 } as const

/** The schema of the config. */
export const configSchema = {
  type: 'object',
  properties: {
    client_id: {
      ...line,
      title: 'Client ID',
      description:
        'The Client ID (AppKey) of the app, under "Credentials" in the DingTalk developer console.',
    },
    client_secret: {
      ...line,
      title: 'Client secret',
      description: 'The Client Secret (AppSecret) of the same app.',
      writeOnly: true,
    },
    card_template_id: {
      ...line,
      title: 'Card template',
      description:
        'The id of an AI card template from the card platform, such as "0123….schema". If set, replies are shown while they are written.',
    },
    card_template_key: {
      ...line,
      title: 'Variable of the template',
      description: 'The name of the template’s Markdown variable that streams the text.',
      default: DEFAULT_TEMPLATE_KEY,
    },
  },
  required: ['client_id', 'client_secret'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The config of a DingTalk channel. */
export type DingtalkConfig = ConfigOf<typeof configSchema>
