// Owns the rules of who may manage whom, and the routes and commands that apply them. The account documents belong to
// `users`, sign-in to `auth`; this plugin stores only the links with which new people set their first passwords.
import { definePlugin } from '#plugin-api'
import { type Accounts, createAccounts } from './accounts.ts'
import { accountCommands } from './commands.ts'
import { createGrants, type Grants } from './grants.ts'
import { createGroupGrants, type GroupGrants } from './group-grants.ts'
import { importRoute } from './import-route.ts'
import { createImports, type Imports } from './imports.ts'
import { manifest } from './manifest.ts'
import { passwordLinkRoutes } from './password-link-routes.ts'
import { createPasswordLinks, type PasswordLinks } from './password-links.ts'
import { accountRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    accounts: { imports: Imports; passwordLinks: PasswordLinks }
  }
  interface Services {
    accounts: { grants: Grants; groupGrants: GroupGrants; accounts: Accounts }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.provide('grants', createGrants)
    host.provide('groupGrants', createGroupGrants)
    host.provide('accounts', createAccounts)
    host.collection('password_links', {
      indexes: [{ key: { user_id: 1 } }, { key: { delete_at: 1 }, expireAfterSeconds: 0 }],
    })
    host.service('passwordLinks', createPasswordLinks)
    host.service('imports', createImports)
    host.extensionPoint('accounts.second_factors', { noun: 'list of second factors' })
    host.on('account.signed_in', ({ user_id }, { users }) => users.noteSignIn(user_id))
    host.routes([...accountRoutes, importRoute, ...passwordLinkRoutes])
    host.extend('users.removal', ({ user_id }, { passwordLinks }) => passwordLinks.forgetUser(user_id))
    for (const command of accountCommands) host.command(command)
  },
})
