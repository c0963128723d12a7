// Owns the account documents: passwords, linked identities, roles and permissions. Sign-in belongs to `auth`,
// the routes and commands that manage accounts to `accounts`.
import { definePlugin, listNames } from '#plugin-api'
import { ensureAdministrator } from './first-administrator.ts'
import { createIdentities, type Identities } from './identities.ts'
import { createUsers, type Users } from './users.ts'
import './types.ts'
import { manifest } from './manifest.ts'

declare module '#kernel/types' {
  interface Services {
    users: {
      identities: Identities
      users: Users
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('users', {
      indexes: [
        { key: { username: 1 }, unique: true },
        { key: { changed_at: 1 } },
        { key: { username_key: 1, _id: 1 } },
        { key: { group_ids: 1, username: 1 } },
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
    host.provide('users', createUsers)
    host.provide('identities', createIdentities)
    // This plugin starts first, so that the other listeners see the change.
    host.on('user.changed', ({ user_id }, { users }) => users.dropRecent(user_id))
    host.on('group.changed', (_, { users }) => users.dropRecent())
    host.extend('audit.names', ({ ids }, { collections }) =>
      listNames(collections.users, ids, { kind: 'user', field: 'username' }),
    )
    host.job({ name: 'users.recovery', every_seconds: 30, run: ({ users }) => users.recover() })
    host.extensionPoint('users.groups', { noun: 'rights of groups' })
    host.extensionPoint('users.named_groups', { noun: 'groups by name' })
    host.extensionPoint('users.first_groups', { noun: 'first groups of an account' })
    host.extensionPoint('users.sharing', { noun: 'rule of sharing' })
    host.extensionPoint('users.grants', { noun: 'list of grants' })
    host.extensionPoint('users.creation', { noun: 'beginning of an account' })
    host.extensionPoint('users.removal', { noun: 'removal' })
  },
  ready: ensureAdministrator,
  stop: ({ users }) => users.flushSeen(),
})
