// Owns the rules of who may manage whom, and the routes and commands that apply them. The account documents belong to
// `users`, sign-in to `auth`; this plugin has no collection of its own.
import { definePlugin } from '#plugin-api'
import { type Accounts, createAccounts } from './accounts.ts'
import { accountCommands } from './commands.ts'
import { createGrants, type Grants } from './grants.ts'
import { createGroupGrants, type GroupGrants } from './group-grants.ts'
import { manifest } from './manifest.ts'
import { accountRoutes } from './routes.ts'

declare module '#kernel/types' {
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
    host.extensionPoint('accounts.second_factors', { noun: 'list of second factors' })
    host.on('account.signed_in', ({ user_id }, { users }) => users.noteSignIn(user_id))
    host.routes(accountRoutes)
    for (const command of accountCommands) host.command(command)
  },
})
