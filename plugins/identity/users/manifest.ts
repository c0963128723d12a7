import { type Cradle as CradleOf, defineManifest } from '#plugin-api'
import { userErrors } from './errors.ts'
import { DEFAULT_MEMORY_KIB } from './passwords.ts'
import { USERNAME_PATTERN } from './users.ts'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'users',
  summary:
    'The account store: it alone writes accounts, password hashes and linked identities, and creates the first administrator',
  config: {
    admin_username: {
      type: 'string',
      pattern: USERNAME_PATTERN,
      default: 'admin',
      env: 'SVC_ADMIN_USERNAME',
    },
    admin_password: { type: 'string', env: 'SVC_ADMIN_PASSWORD', writeOnly: true },
    password_memory_kib: {
      type: 'integer',
      minimum: 8,
      default: DEFAULT_MEMORY_KIB,
      env: 'SVC_PASSWORD_MEMORY_KIB',
    },
  },
  permissions: [
    {
      key: 'users',
      category: 'admin',
      label: { en: 'People', zh: '成员管理' },
      description: {
        en: 'Create, change and delete accounts and invites, and grant any permission you have.',
        zh: '创建、修改和删除账号与邀请，并授予自己拥有的权限。',
      },
    },
  ],
  errors: userErrors,
  events: ['user.created', 'user.changed', 'user.deleted', 'group.changed'],
})

declare module '#kernel/types' {
  interface Manifests {
    users: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
