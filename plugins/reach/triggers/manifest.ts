import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'triggers',
  summary: 'Triggers: signed requests from outside that start turns of agents',
  tag: {
    name: 'Triggers',
    order: 45,
    description:
      'Addresses to which other services send their webhooks, each of which starts a turn of an agent. Each account has its own, with its own agents and with those that are shared with it.',
  },
  depends: ['users', 'auth', 'providers', 'agents', 'chat'],
  config: {
    requests_per_minute: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 10,
      description: 'Turns that one trigger can start in a minute',
    },
    keep_days: {
      type: 'integer',
      minimum: 4,
      maximum: 90,
      default: 7,
      description:
        'Days for which requests stay in the lists. A request that is repeated within this time starts no second turn',
    },
  },
  errors: {
    TRIGGER_ACCOUNT_DISABLED: {
      status: 403,
      code: 'USER_DISABLED',
      message: { en: 'The account of the trigger is disabled.', zh: '此触发器所属的账号已被停用。' },
    },
    TRIGGER_BUSY: {
      status: 503,
      message: {
        en: 'The same request is still being processed. Send it again later.',
        zh: '相同的请求仍在处理中，请稍后重试。',
      },
    },
  },
  limits: { triggers: { default: 50, description: 'Triggers of an account, with all agents' } },
})

declare module '#kernel/types' {
  interface Manifests {
    triggers: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
