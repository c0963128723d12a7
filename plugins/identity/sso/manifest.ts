import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { ssoErrors } from './errors.ts'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'sso',
  summary: 'Sign-in with accounts of other services: OpenID Connect, Feishu, DingTalk and WeCom',
  tag: {
    name: 'Single sign-on',
    order: 12,
    description:
      'Sign in with another service, link its identities to accounts, and set it up. The paths `/auth/oidc/…` are other names for OpenID Connect alone.',
  },
  depends: ['users', 'auth', 'accounts'],
  config: {
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
    clock_skew_seconds: { type: 'integer', minimum: 0, maximum: 600, default: 60 },
  },
  permissions: [
    {
      key: 'sso',
      category: 'admin',
      label: { en: 'Single sign-on', zh: '单点登录' },
      description: {
        en: 'View and change the services that people sign in with.',
        zh: '查看和修改成员登录所用的第三方服务。',
      },
    },
  ],
  errors: ssoErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    sso: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
