import { nullable, objectOf, rowOf } from '#plugin-api'

/** The most characters of a prompt, without what is filled in. */
const MAX_PROMPT = 20_000

const seconds = { type: 'integer', minimum: 0, description: 'Unix seconds' } as const

/** The ways in which requests are verified. */
export const scheme = {
  title: 'TriggerScheme',
  enum: ['token', 'github', 'stripe', 'standard'],
  description:
    '`token`: the secret as `Authorization: Bearer` or `?token=`; `github`: `X-Hub-Signature-256`; `stripe`: `Stripe-Signature`; `standard`: the headers of Standard Webhooks',
  examples: ['github'],
} as const

const secret = {
  type: 'string',
  minLength: 16,
  maxLength: 256,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'Visible ASCII characters. For `standard`, `whsec_` and Base64',
  writeOnly: true,
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
} as const

const verify = {
  title: 'TriggerVerification',
  description:
    'How requests are verified. Without `secret`, the server makes one; Stripe makes its own, which you enter afterwards',
  ...objectOf({ scheme, secret }, ['scheme']),
} as const

const name = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  examples: ['New issues'],
} as const

const prompt = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_PROMPT,
  pattern: '\\S',
  description:
    'The message that the agent receives. `{{path}}` is replaced by a value of the body, such as `{{issue.title}}` or `{{commits.0.message}}`, and `{{.}}` by all of it; values are filled in as quotations from others',
  examples: ['Suggest labels for the issue {{issue.title}}: {{issue.body}}'],
} as const

const thread = {
  title: 'RunThread',
  enum: ['new', 'same'],
  description: 'A thread for each request, or one in which all turns follow each other',
  examples: ['new'],
} as const

const model = {
  ...nullable({ type: 'string', minLength: 3, maxLength: 256 } as const),
  description: 'As `<provider>:<model>`; null for the model of the agent',
  examples: [null],
} as const

const enabled = {
  type: 'boolean',
  description: 'False while requests are refused',
  examples: [true],
} as const

/** The body of POST /agents/:id/triggers. */
export const newTrigger = {
  title: 'NewTrigger',
  ...objectOf(
    {
      ...{ name, verify, prompt, model },
      thread: { ...thread, default: 'new' },
      enabled: { ...enabled, default: true },
    },
    ['name', 'verify', 'prompt'],
  ),
} as const

/** The body of PATCH /agents/:id/triggers/:trigger_id. */
export const triggerChanges = {
  title: 'TriggerChanges',
  ...objectOf({
    ...{ name, prompt, thread, model, enabled },
    verify: {
      ...verify,
      description: 'How requests are verified from now on. Without `secret`, the present one stays',
    },
  }),
  minProperties: 1,
} as const

const fields = {
  id: { type: 'string', examples: ['trg_01KDVMF0000000000000000001'] },
  ...{ name, prompt, thread, model, enabled },
  verify: { title: 'TriggerVerificationRow', ...rowOf({ scheme }) },
  url: {
    type: 'string',
    description: 'The address for requests; below the server if its public address is not configured',
    examples: ['https://svc.example.com/api/hooks/triggers/trg_01KDVMF0000000000000000001'],
  },
  last_request_at: nullable({ ...seconds, description: 'Unix seconds; null before the first request' }),
  created_at: seconds,
  updated_at: seconds,
} as const

const shownSecret = {
  type: 'string',
  description: 'The secret; it is not shown again',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
} as const

/** A trigger. */
export const triggerRow = { title: 'Trigger', ...rowOf(fields) } as const

/** The reply to POST /agents/:id/triggers. */
export const createdTrigger = {
  title: 'CreatedTrigger',
  ...rowOf({
    ...fields,
    secret: {
      ...nullable({ type: 'string' } as const),
      description: 'The secret that the server has made, which is not shown again; null for your own',
      examples: shownSecret.examples,
    },
  }),
} as const

/** The reply to POST /agents/:id/triggers/:trigger_id/secret. */
export const triggerSecret = { title: 'TriggerSecret', ...rowOf({ secret: shownSecret }) } as const

/** The path of a trigger. */
export const triggerParams = rowOf({
  trigger_id: { type: 'string', description: 'The id of your trigger' },
})

/** The state of a request. */
export const requestStatus = {
  title: 'TriggerDeliveryStatus',
  enum: ['received', 'started', 'queued', 'refused'],
  description:
    '`received`: its turn is about to start; `queued`: its turn waits for another one of the thread or the account; `refused`: it has started nothing, and may be sent again',
  examples: ['started'],
} as const

/** A request in the list. */
export const deliveryRow = {
  title: 'TriggerDelivery',
  ...rowOf(
    {
      id: {
        type: 'string',
        description: 'The name that the sender gave to it, or a digest of its body',
        examples: ['72d3162e-cc78-11e3-81ab-4c9367dc0958'],
      },
      received_at: seconds,
      status: requestStatus,
      repeats: {
        type: 'integer',
        minimum: 0,
        description: 'The number of times that it came again and started nothing',
        examples: [0],
      },
      thread_id: nullable({ type: 'string', examples: ['thr_01KDVMF0000000000000000001'] } as const),
      turn_id: nullable({ type: 'string', examples: ['trn_01KDVMF0000000000000000001'] } as const),
      bytes: { type: 'integer', minimum: 0, description: 'The size of its body', examples: [8214] },
      missing: {
        type: 'array',
        items: { type: 'string' },
        description: 'The paths of the prompt that the body did not have',
        examples: [[]],
      },
      error: {
        title: 'TriggerDeliveryError',
        description: 'The reason why it was refused',
        ...rowOf({
          code: { type: 'string', examples: ['TOKEN_QUOTA_EXCEEDED'] },
          message: { type: 'string', examples: ['The token quota of the account is used up.'] },
        }),
      },
    },
    ['error'],
  ),
} as const

/** The reply to a request. */
export const startedTurn = {
  title: 'TriggeredTurn',
  ...rowOf({
    thread_id: { type: 'string', examples: ['thr_01KDVMF0000000000000000001'] },
    turn_id: { type: 'string', examples: ['trn_01KDVMF0000000000000000001'] },
  }),
} as const
