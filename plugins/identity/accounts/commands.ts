import { type Command, type CommandInput, JSON_OPTION, type Page, printJson, printTable } from '#plugin-api'
import type { Rights } from '../auth/types.ts'
import type { Account } from '../users/types.ts'
import { toAccountRow, toAccountRows } from './account-rows.ts'
import type { Cradle } from './manifest.ts'
import type { AccountRow } from './schemas.ts'

const ACCOUNTS_AT_ONCE = 200
/** An operator may grant everything. */
const OPERATOR: Rights = { role: 'admin', permissions: [] }
const USERNAME = { name: 'username', summary: 'username or ID of the account', required: true }
const PASSWORD_STDIN = {
  flags: '--password-stdin',
  summary: 'read the password from the first line of standard input instead of generating one',
}

/** Returns the password from standard input, or a generated one that must be shown. */
async function choosePassword({ options, stdin }: CommandInput, { users }: Pick<Cradle, 'users'>) {
  if (!options.passwordStdin) return { password: users.makePassword(), isMade: true }
  let input = ''
  for await (const chunk of stdin.setEncoding('utf8')) {
    input += chunk
    if (input.includes('\n')) break
  }
  return { password: input.split(/\r?\n/)[0]!, isMade: false }
}

/** Prints the row of an account, with its password if that was generated. */
function report(
  { options, stdout }: CommandInput,
  row: AccountRow,
  done: string,
  { password, isMade }: Partial<Awaited<ReturnType<typeof choosePassword>>> = {},
) {
  if (options.json) printJson(stdout, isMade ? { ...row, password } : row)
  else stdout.write(`${row.username} ${done}${isMade ? `, password ${password}` : ''}\n`)
}

const create: Command<Cradle> = {
  name: 'user create',
  summary: 'Create an account',
  arguments: [USERNAME],
  options: [
    { flags: '--admin', summary: 'make it an administrator' },
    { flags: '--display-name <name>', summary: 'name shown to other people' },
    { flags: '--permissions <keys>', summary: 'the permissions to grant, separated by commas' },
    { flags: '--groups <names>', summary: 'the groups to join, by name or ID, separated by commas' },
    PASSWORD_STDIN,
    JSON_OPTION,
  ],
  audit: 'user.create',
  async run(input, cradle) {
    const { admin, displayName, permissions: keys, groups: names } = input.options
    const permissions = typeof keys === 'string' ? keys.split(',') : []
    cradle.grants.assertGrantable(OPERATOR, { permissions })
    const groups = typeof names === 'string' ? names.split(',') : []
    const group_ids = await cradle.groupGrants.resolve(OPERATOR, groups)
    const chosen = await choosePassword(input, cradle)
    const user = await cradle.users.create({
      username: input.args[0]!,
      password: chosen.password,
      role: admin ? 'admin' : 'user',
      display_name: typeof displayName === 'string' ? displayName : null,
      permissions,
      group_ids,
    })
    report(input, await toAccountRow(user, cradle), 'was created', chosen)
    return 0
  },
}

/** Reads every account, page by page. */
async function listAll({ accounts }: Pick<Cradle, 'accounts'>): Promise<Account[]> {
  const all: Account[] = []
  let page: Page<Account> | undefined
  do {
    const cursor = page?.next ?? undefined
    page = await accounts.list({ sort: 'username', limit: ACCOUNTS_AT_ONCE, cursor })
    all.push(...page.rows)
  } while (page.next !== null)
  return all
}

const list: Command<Cradle> = {
  name: 'user list',
  summary: 'List the accounts',
  options: [JSON_OPTION],
  async run({ options, stdout }, cradle) {
    const rows = await toAccountRows(await listAll(cradle), cradle)
    if (options.json) printJson(stdout, rows)
    else
      printTable(stdout, [
        ['username', 'role', 'state', 'permissions', 'groups', 'name'],
        ...rows.map(({ username, role, enabled, login_locked, permissions, groups, display_name }) => [
          username,
          role,
          enabled ? (login_locked ? 'locked' : 'enabled') : 'disabled',
          role === 'admin' ? 'all' : permissions.join(',') || '-',
          groups.map(({ name }) => name).join(',') || '-',
          display_name ?? '-',
        ]),
      ])
    return 0
  },
}

const changePassword: Command<Cradle> = {
  name: 'user passwd',
  summary: 'Set a new password for an account, unlock it and end its sessions',
  arguments: [USERNAME],
  options: [PASSWORD_STDIN, JSON_OPTION],
  audit: 'user.reset_password',
  async run(input, cradle) {
    const { _id, username } = await cradle.accounts.find(input.args[0]!)
    const chosen = await choosePassword(input, cradle)
    await cradle.passwordChanges.reset(_id, chosen.password)
    const user = await cradle.accounts.find(username)
    report(input, await toAccountRow(user, cradle), 'has a new password', chosen)
    return 0
  },
}

const unlock: Command<Cradle> = {
  name: 'user unlock',
  summary: 'Unlock an account after too many failed sign-ins',
  arguments: [USERNAME],
  options: [JSON_OPTION],
  audit: 'user.unlock_login',
  async run(input, cradle) {
    const user = await cradle.accounts.find(input.args[0]!)
    await cradle.accountLockout.clear(user.username)
    report(input, await toAccountRow(user, cradle), 'is not locked')
    return 0
  },
}

const switchCommand = (verb: 'disable' | 'enable', summary: string, done: string): Command<Cradle> => ({
  name: `user ${verb}`,
  summary,
  arguments: [USERNAME],
  options: [JSON_OPTION],
  audit: `user.${verb}`,
  async run(input, cradle) {
    const { _id } = await cradle.accounts.find(input.args[0]!)
    const user = await cradle.users.update(_id, { enabled: verb === 'enable' })
    report(input, await toAccountRow(user, cradle), done)
    return 0
  },
})

/** `svc user …`: commands for operators of the server, who manage accounts without signing in. */
export const accountCommands: Command<Cradle>[] = [
  create,
  list,
  changePassword,
  unlock,
  switchCommand('disable', 'Disable an account without deleting it', 'is disabled'),
  switchCommand('enable', 'Enable a disabled account', 'is enabled'),
]
