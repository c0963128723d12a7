import { nullable, objectOf, rowOf, WEBHOOK_EVENTS } from '#plugin-api'

const seconds = { type: 'integer', minimum: 0, description: 'Unix seconds' } as const

const url = {
  type: 'string',
  format: 'url',
  maxLength: 2048,
  // Refuses user information here, before the body is logged.
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@\\\\]+([/?#]|$)',
  description: 'An http or https address that receives POST requests; redirects are not followed',
  examples: ['https://hooks.example.com/svc'],
} as const

const events = {
  type: 'array',
  minItems: 1,
  maxItems: WEBHOOK_EVENTS.length,
  uniqueItems: true,
  items: { title: 'WebhookEvent', enum: WEBHOOK_EVENTS, examples: ['turn.ended'] },
  description:
    'The events to be notified of. `budget.warned` is about your own account, and for administrators about every account',
  examples: [['turn.ended', 'approval.requested']],
} as const

const agentId = {
  ...nullable({ type: 'string', minLength: 1, maxLength: 64 } as const),
  description:
    'The id of the agent that the events must be about; null for all. `budget.warned` has no agent',
  examples: [null],
} as const

const enabled = { type: 'boolean', description: 'False while nothing is sent', examples: [true] } as const

/** The body of POST /webhooks. */
export const newWebhook = {
  title: 'NewWebhook',
  ...objectOf({ url, events, agent_id: agentId, enabled: { ...enabled, default: true } }, ['url', 'events']),
} as const

/** The body of PATCH /webhooks/:id. */
export const webhookChanges = {
  title: 'WebhookChanges',
  ...objectOf({ url, events, agent_id: agentId, enabled }),
  minProperties: 1,
} as const

/** The reason for which the server itself has disabled a webhook. */
export const disabledReason = {
  title: 'WebhookDisabledReason',
  enum: ['GONE', 'FAILING'],
  description: 'The receiver answered with 410, or every attempt of a whole day has failed',
  examples: ['GONE'],
} as const

const fields = {
  id: { type: 'string', examples: ['whk_01KDVMF0000000000000000001'] },
  url,
  events,
  agent_id: agentId,
  enabled,
  disabled_reason: {
    ...nullable(disabledReason),
    description: 'Set if the server itself has disabled it; enabling it again clears it',
    examples: [null],
  },
  failing_since: nullable({
    ...seconds,
    description:
      'The first failure after the last success, in Unix seconds; null if the last attempt succeeded',
  }),
  created_at: seconds,
  updated_at: seconds,
} as const

const secret = {
  type: 'string',
  description: 'The secret that requests are signed with; it is not shown again',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
} as const

/** A webhook. */
export const webhookRow = { title: 'Webhook', ...rowOf(fields) } as const

/** The reply to POST /webhooks. */
export const createdWebhook = { title: 'CreatedWebhook', ...rowOf({ ...fields, secret }) } as const

/** The reply to POST /webhooks/:id/secret. */
export const webhookSecret = { title: 'WebhookSecret', ...rowOf({ secret }) } as const

/** The path of a webhook. */
export const webhookParams = rowOf({ id: { type: 'string', description: 'The id of your webhook' } })

/** The path of a delivery. */
export const deliveryParams = rowOf({
  id: { type: 'string', description: 'The id of your webhook' },
  delivery_id: { type: 'string', description: 'The id of one of its deliveries' },
})

/** The state of a delivery. */
export const deliveryStatus = {
  title: 'WebhookDeliveryStatus',
  enum: ['pending', 'delivered', 'failed'],
  description: '`pending` is still to be sent, or sent again; `failed` is given up',
  examples: ['delivered'],
} as const

/** A delivery in the list. */
export const deliveryRow = {
  title: 'WebhookDelivery',
  ...rowOf(
    {
      id: {
        type: 'string',
        description: 'The header `webhook-id` of its requests, the same at each attempt',
        examples: ['evt_01KDVMF0000000000000000001'],
      },
      event: { type: 'string', description: 'Its type; `webhook.test` is a test', examples: ['turn.ended'] },
      status: deliveryStatus,
      attempts: { type: 'integer', minimum: 0, examples: [1] },
      created_at: seconds,
      last_attempt_at: nullable({ ...seconds, description: 'Unix seconds; null before the first attempt' }),
      next_attempt_at: nullable({ ...seconds, description: 'Unix seconds; null if none follows' }),
      response_status: {
        ...nullable({ type: 'integer' } as const),
        description: 'The HTTP status of the last answer; null if there was none',
        examples: [200],
      },
      body: { type: 'string', description: 'The JSON that is sent', examples: ['{"type":"turn.ended"}'] },
      error: {
        title: 'WebhookDeliveryError',
        description: 'The reason why the last attempt failed',
        ...rowOf({
          code: { type: 'string', examples: ['WEBHOOK_STATUS'] },
          message: { type: 'string', examples: ['The receiver answered with status 500.'] },
        }),
      },
    },
    ['error'],
  ),
} as const
