import { pageReply, type Route, replyWithTag } from '#plugin-api'
import type { Account } from '../users/types.ts'
import { toAccountRow, toAccountRows } from './account-rows.ts'
import { type Cradle, route } from './manifest.ts'
import {
  accountChanges,
  accountParams,
  accountQuery,
  accountRow,
  newAccount,
  newPassword,
  permissionRows,
} from './schemas.ts'

/** The path segment `:id` accepts a username or an id. */
const ACCOUNT = '/users/:id'
const guard = ['permission', 'users'] as const

const showAccount = async <const Status extends number>(status: Status, user: Account, cradle: Cradle) =>
  replyWithTag(status, await toAccountRow(user, cradle), cradle.users.tagOf(user))

const listPermissions = route({
  method: 'GET',
  path: '/users/permissions',
  operation_id: 'listPermissions',
  summary: 'List the permissions',
  description:
    'Lists the permissions that can be granted to an account, those of plugins from outside included, with texts in the language of the request. Administrators have every permission without a grant.',
  guard: 'user',
  response: { 200: permissionRows },
}).handle(({ locale }, { permissionCatalog }) =>
  permissionCatalog.list().map(({ key, category, label, description, is_suggested = false }) => {
    return { key, category, label: label[locale], description: description[locale], is_suggested }
  }),
)

const listAccounts = route({
  method: 'GET',
  path: '/users',
  operation_id: 'listUsers',
  summary: 'List the accounts',
  description:
    'Lists the accounts, the disabled ones included, each with its own permissions and quota. The header `X-Total-Count` of the first page has the number of all accounts that fit.',
  guard,
  query: accountQuery,
  response: { 200: { type: 'array', items: accountRow } },
}).handle(async ({ query }, cradle) => {
  const { rows, next, total } = await cradle.accounts.list(query)
  const page = pageReply(query, { rows: await toAccountRows(rows, cradle), next })
  if (total !== null) page.headers['X-Total-Count'] = String(total)
  return page
})

const createAccount = route({
  method: 'POST',
  path: '/users',
  operation_id: 'createUser',
  summary: 'Create an account',
  description:
    'Creates an account whose user can sign in immediately with this password; it starts with an agent named `assistant`. Callers grant only permissions that they hold themselves, also by groups, and only administrators create administrators. To let people choose their own passwords, create an invite instead.',
  guard,
  body: newAccount,
  response: { 201: accountRow },
  errors: ['USERNAME_TAKEN', 'PASSWORD_TOO_WEAK', 'PASSWORD_CHECKS_BUSY', 'GRANT_EXCEEDS'],
  etag: true,
  audit: { action: 'user.create', target: 'username' },
}).handle(async ({ caller, body }, cradle) =>
  showAccount(201, await cradle.accounts.create(caller, body), cradle),
)

const getAccount = route({
  method: 'GET',
  path: ACCOUNT,
  operation_id: 'getUser',
  summary: 'Get an account',
  description:
    'Returns the account with its permissions, its quota, and a lock after failed sign-ins, if there is one.',
  guard,
  params: accountParams,
  response: { 200: accountRow },
  errors: ['NOT_FOUND'],
  etag: true,
}).handle(async ({ params }, cradle) => showAccount(200, await cradle.accounts.find(params.id), cradle))

const changeAccount = route({
  method: 'PATCH',
  path: ACCOUNT,
  operation_id: 'updateUser',
  summary: 'Change an account',
  description:
    'Changes the given fields; null clears a field. Changes apply from the next request of the account on; disabling it ends its sessions and closes its WebSockets. Callers grant and revoke only permissions that they hold themselves; the last enabled administrator can be neither demoted nor disabled.',
  guard,
  params: accountParams,
  body: accountChanges,
  response: { 200: accountRow },
  errors: [
    'NOT_FOUND',
    'GRANT_EXCEEDS',
    'ACCOUNT_EXCEEDS',
    'ADMINISTRATOR_PROTECTED',
    'SELF_DEMOTION',
    'SELF_LIMITS',
    'LAST_ADMINISTRATOR',
    'SESSION_REQUIRED',
  ],
  etag: true,
  audit: 'user.update',
}).handle(async (request, cradle) => {
  const { caller, params, body } = request
  return showAccount(200, await cradle.accounts.update(caller, params.id, body, request), cradle)
})

const resetPassword = route({
  method: 'POST',
  path: `${ACCOUNT}/reset-password`,
  operation_id: 'resetPassword',
  summary: 'Reset the password of an account',
  description:
    'Sets a new password, ends all sessions of the account, and ends a lock after failed sign-ins. Depending on the settings of the server, the user must choose another password after the next sign-in.',
  guard,
  scope: 'session',
  params: accountParams,
  body: newPassword,
  response: { 204: null },
  errors: [
    'NOT_FOUND',
    'ADMINISTRATOR_PROTECTED',
    'ACCOUNT_EXCEEDS',
    'PASSWORD_TOO_WEAK',
    'PASSWORD_CHECKS_BUSY',
  ],
  audit: 'user.reset_password',
}).handle(
  async ({ caller, params, body }, { accounts }) =>
    void (await accounts.resetPassword(caller, params.id, body.new_password)),
)

const unlockLogin = route({
  method: 'POST',
  path: `${ACCOUNT}/unlock-login`,
  operation_id: 'unlockLogin',
  summary: 'Unlock the login of an account',
  description:
    'Ends the lock that too many wrong passwords have put on the account; without a lock, nothing changes. The password stays the same.',
  guard,
  params: accountParams,
  response: { 204: null },
  errors: ['NOT_FOUND', 'ADMINISTRATOR_PROTECTED'],
  audit: 'user.unlock_login',
}).handle(async ({ caller, params }, { accounts }) => void (await accounts.unlock(caller, params.id)))

const deleteAccount = route({
  method: 'DELETE',
  path: ACCOUNT,
  operation_id: 'deleteUser',
  summary: 'Delete an account',
  description:
    'Deletes the account with all its data: sessions, agents with their workspaces, threads, providers, channels and invites. Nobody can delete their own account or the last enabled administrator.',
  guard,
  params: accountParams,
  response: { 204: null },
  errors: ['NOT_FOUND', 'ADMINISTRATOR_PROTECTED', 'ACCOUNT_EXCEEDS', 'SELF_DELETION', 'LAST_ADMINISTRATOR'],
  audit: 'user.delete',
}).handle(async ({ caller, params, note }, { accounts }) => {
  note(await accounts.remove(caller, params.id))
})

/** The routes of accounts and permissions. */
export const accountRoutes: Route<Cradle>[] = [
  listPermissions,
  listAccounts,
  createAccount,
  getAccount,
  changeAccount,
  resetPassword,
  unlockLogin,
  deleteAccount,
]
