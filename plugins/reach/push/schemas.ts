import { nullable, objectOf, rowOf } from '#plugin-api'

const endpoint = {
  type: 'string',
  format: 'url',
  // Refuses user information here, before the body is logged.
  pattern: '^https?://[^\\s/?#@\\\\]+([/?#]|$)',
  maxLength: 2048,
  description: 'The address at the push service of the browser',
  examples: ['https://push.example.com/send/4f1c'],
} as const
const key = { type: 'string', minLength: 1, maxLength: 256, description: 'Base64url' } as const
const time = { type: 'integer', description: 'Unix seconds' } as const

/** The body of POST /auth/me/push: what `PushSubscription.toJSON()` returns. */
export const newSubscription = {
  title: 'NewPushSubscription',
  ...rowOf({
    subscription: objectOf(
      {
        endpoint,
        expirationTime: nullable({ type: 'number', description: 'Of the browser; unused' }),
        keys: rowOf({
          p256dh: {
            ...key,
            examples: [
              'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
            ],
          },
          auth: { ...key, writeOnly: true, examples: ['tBHItJI5svbpez7KI4CCXg'] },
        }),
      },
      ['endpoint', 'keys'],
    ),
  }),
} as const

/** The body of DELETE /auth/me/push. */
export const endedSubscription = rowOf({ endpoint })

/** The reply of GET /auth/me/push. */
export const ownPush = {
  title: 'OwnPush',
  ...rowOf({
    public_key: {
      type: 'string',
      description: 'The `applicationServerKey` to subscribe with, base64url',
      examples: ['BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM'],
    },
    subscriptions: {
      type: 'array',
      items: {
        title: 'PushSubscription',
        ...rowOf({
          endpoint,
          user_agent: nullable({
            type: 'string',
            examples: ['Mozilla/5.0 (Linux; Android 16) Firefox/140.0'],
          }),
          created_at: time,
          last_sent_at: nullable({
            ...time,
            description: 'Unix seconds; null before the first notification',
          }),
        }),
      },
      description: 'Your devices, the oldest first',
    },
  }),
} as const

/** The reply of POST /auth/me/push/test. */
export const sentTest = {
  title: 'SentTestNotification',
  ...rowOf({
    sent: { type: 'integer', description: 'Devices whose push service took the notification', examples: [1] },
    ended: {
      type: 'integer',
      description: 'Devices that no longer exist, which were removed from the list',
      examples: [0],
    },
    failed: { type: 'integer', description: 'Devices whose push service did not take it', examples: [0] },
  }),
} as const

/** The body of POST /auth/me/push/focus. */
export const pageFocus = rowOf({
  page: {
    type: 'string',
    pattern: '^[\\w-]{8,64}$',
    description: 'Chosen by the page when it is opened',
    examples: ['0b0f9d0e-2c43-4f55-9b0c-6d7c0c6f1c11'],
  },
  has_focus: { type: 'boolean' },
})

/** The reply of POST /auth/me/push/focus. */
export const focusReply = {
  title: 'PageFocus',
  ...rowOf({
    again_seconds: nullable({
      type: 'integer',
      description:
        'Seconds after which a page that still has the focus says so again; null while the account has no devices',
      examples: [30],
    }),
  }),
} as const

/** The body of POST /push/decisions. */
export const pushDecision = rowOf({
  token: {
    type: 'string',
    pattern: '^[\\w-]{43}$',
    writeOnly: true,
    description: 'From the notification',
    examples: ['u4nqkO3WbSjzWcVQd2v8sZ5m3kq0F1t7Yx9LhPzR6aE'],
  },
  decision: { title: 'NotificationDecision', enum: ['approve', 'deny'], examples: ['approve'] },
})

/** The reply of POST /push/decisions: the notification that takes the place of the one that was pressed. */
export const decidedNotification = {
  title: 'DecidedNotification',
  ...rowOf({
    title: { type: 'string', examples: ['Approved'] },
    body: { type: 'string', examples: ['assistant continues.'] },
    path: { type: 'string', examples: ['/chat/01KDVMF00000000000000000AG/thr_01KDVMF0000000000000000001'] },
  }),
} as const
