import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'webhooks',
  summary: 'Outgoing webhooks: signed requests to addresses of accounts about what has happened',
  tag: {
    name: 'Webhooks',
    order: 44,
    description:
      'Addresses that the server notifies of events of your account, with the headers and the signature of [Standard Webhooks](https://www.standardwebhooks.com).',
  },
  depends: ['users', 'auth', 'agents', 'signals'],
  config: {
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
    keep_days: {
      type: 'integer',
      minimum: 1,
      maximum: 90,
      default: 3,
      description: 'Days for which finished deliveries stay in the lists',
    },
  },
  events: ['webhook.changed'],
  errors: {
    WEBHOOK_DISABLED: {
      status: 409,
      message: { en: 'The webhook is disabled. Enable it first.', zh: '此 Webhook 已停用，请先启用。' },
    },
    WEBHOOK_STATUS: {
      status: 502,
      message: {
        en: 'The receiver answered with status {status}.',
        zh: '接收方返回了状态码 {status}。',
      },
    },
    WEBHOOK_REDIRECTED: {
      status: 502,
      message: {
        en: 'The receiver answered with status {status}. Redirects are not followed: enter the final address.',
        zh: '接收方返回了状态码 {status}。系统不会跟随重定向，请填写最终地址。',
      },
    },
    WEBHOOK_TIMEOUT: {
      status: 504,
      message: {
        en: 'The receiver did not answer within {seconds} seconds.',
        zh: '接收方未在 {seconds} 秒内响应。',
      },
    },
    WEBHOOK_UNREACHABLE: {
      status: 502,
      message: { en: 'The receiver could not be reached: {reason}', zh: '无法连接接收方：{reason}' },
    },
    WEBHOOK_OVERFLOW: {
      status: 503,
      message: {
        en: 'More than {max} deliveries were waiting, so the oldest ones were given up.',
        zh: '等待发送的投递超过 {max} 条，最早的投递已被放弃。',
      },
    },
    WEBHOOK_GIVEN_UP: {
      status: 504,
      message: {
        en: 'The delivery could not be sent within a day.',
        zh: '此投递未能在一天内发送。',
      },
    },
  },
  limits: { webhooks: { default: 20, description: 'Webhooks of an account' } },
})

declare module '#kernel/types' {
  interface Manifests {
    webhooks: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
