import type { ConfigOf, JSONSchema } from '#plugin-api'

/** The schema of a channel's config. */
export const configSchema = {
  type: 'object',
  properties: {
    secret: {
      type: 'string',
      minLength: 16,
      maxLength: 512,
      writeOnly: true,
      title: 'Secret',
      description: 'The secret with which both sides sign their requests',
    },
    callback_url: {
      type: 'string',
      pattern: '^https?://[^/@\\s]+(/.*)?$',
      maxLength: 2048,
      title: 'Callback address',
      description: 'The address to which messages of the agent are posted',
    },
  },
  required: ['secret', 'callback_url'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The config of a webhook channel. */
export type WebhookConfig = ConfigOf<typeof configSchema>
