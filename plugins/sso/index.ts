import { plugin } from '#kernel'
import type { SsoProviderDocument } from './types.ts'

declare module '#kernel/types' {
  interface Collections {
    sso_providers: SsoProviderDocument
  }
}

export default plugin({
  name: 'sso',
  summary: 'Signing in with accounts of other services: OpenID Connect, Feishu, DingTalk and WeCom',
  depends: ['users', 'auth'],
  config: {
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
  },
  permissions: [
    {
      key: 'sso',
      category: 'admin',
      label: { en: 'Single sign-on', zh: '单点登录' },
      description: {
        en: 'Read and change the settings of the services with which people sign in.',
        zh: '查看和修改用户登录所用的第三方服务的设置。',
      },
    },
  ],
  setup(host) {
    host.collection('sso_providers', { sealed: { client_secret: 'sso:{_id}' } })
  },
})
