import { plugin } from '#kernel'
import { type Accounts, createAccounts } from './accounts.ts'
import { accountCommands } from './commands.ts'
import { accountErrors } from './errors.ts'
import { createGrants, type Grants } from './grants.ts'
import { accountRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface Services {
    accounts: Accounts
    grants: Grants
  }
}

export default plugin({
  name: 'accounts',
  summary: 'The administration of accounts: who there is, what they may do, and the catalog of permissions',
  depends: ['users', 'auth'],
  errors: accountErrors,
  setup(host) {
    host.service('grants', createGrants)
    host.service('accounts', createAccounts)
    host.routes(accountRoutes)
    for (const command of accountCommands) host.command(command)
  },
})
