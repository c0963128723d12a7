import type { ConfigOf, JSONSchema } from '#plugin-api'

/** The schema of a channel's config. */
export const configSchema = {
  type: 'object',
  properties: {
    phone_number_id: {
      type: 'string',
      title: 'Phone number ID',
      description: 'The id of the number, not the number itself: in the app under WhatsApp > API Setup',
      pattern: '^\\d{5,30}$',
    },
    access_token: {
      type: 'string',
      title: 'Access token',
      description:
        'A token of a system user with whatsapp_business_messaging; the one of API Setup ends after a day',
      writeOnly: true,
      minLength: 1,
      maxLength: 1024,
      pattern: '^[!-~]*$',
    },
    app_secret: {
      type: 'string',
      title: 'App secret',
      description: 'In the app under App settings > Basic; WhatsApp signs its requests with it',
      writeOnly: true,
      minLength: 16,
      maxLength: 128,
    },
    verify_token: {
      type: 'string',
      title: 'Verify token',
      description: 'A word of your own, which you also enter at Meta with the callback URL',
      writeOnly: true,
      minLength: 8,
      maxLength: 128,
    },
  },
  required: ['phone_number_id', 'access_token', 'app_secret', 'verify_token'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The config of a WhatsApp channel: a phone number of an app of Meta. */
export type WhatsAppConfig = ConfigOf<typeof configSchema>
