import { plugin } from '#kernel'
import { userErrors } from './errors.ts'
import { ensureAdministrator } from './first-administrator.ts'
import { createIdentities, type Identities } from './identities.ts'
import { DEFAULT_MEMORY_KIB } from './passwords.ts'
import { createUsers, USERNAME_PATTERN, type Users } from './users.ts'
import './types.ts'

declare module '#kernel/types' {
  interface Services {
    identities: Identities
    users: Users
  }
}

export default plugin({
  name: 'users',
  summary: 'The accounts, their passwords and the first administrator',
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
      label: { en: 'Users', zh: '用户管理' },
      description: {
        en: 'Create, change and delete accounts and invites, and grant permissions held oneself.',
        zh: '创建、修改和删除账号与邀请，并授予自己拥有的权限。',
      },
    },
  ],
  errors: userErrors,
  setup(host) {
    host.collection('users', {
      indexes: [
        { key: { username: 1 }, unique: true },
        { key: { changed_at: 1 } },
        {
          key: { 'identities.key': 1 },
          unique: true,
          partialFilterExpression: { 'identities.key': { $exists: true } },
        },
        { key: { creation_pending: 1 }, partialFilterExpression: { creation_pending: true } },
      ],
    })
    host.collection('user_deletions')
    host.collection('user_locks')
    host.service('users', createUsers)
    host.service('identities', createIdentities)
    host.job({ name: 'users.recovery', every_seconds: 30, run: ({ users }) => users.recover() })
    host.on('server.starting', ({ announce }, cradle) => ensureAdministrator(cradle, announce))
  },
})
