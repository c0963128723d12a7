import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'push',
  summary: 'Notifications on the devices of an account: approvals that wait, finished turns and schedules',
  tag: {
    name: 'Notifications',
    order: 47,
    description:
      'Web Push (RFC 8030) for your devices. A notification is sent while no page of the account has the focus.',
  },
  depends: ['users', 'auth', 'agents', 'chat'],
  config: {
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
    contact: {
      type: 'string',
      pattern: '^(mailto:[^@\\s]+@[^@\\s]+|https://\\S+)$',
      maxLength: 256,
      description:
        'The address that push services may write to about this server, as `mailto:` or `https:`; `public_url` if missing',
    },
  },
  errors: {
    PUSH_TOKEN_INVALID: {
      status: 404,
      code: 'NOT_FOUND',
      message: {
        en: 'This notification can no longer decide anything. Open the conversation instead.',
        zh: '此通知已无法用于审批，请打开对话处理。',
      },
    },
  },
  limits: {
    push_subscriptions: { default: 20, description: 'Devices of an account that receive notifications' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    push: typeof manifest
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
