import { type Command, deferSchema, JSON_OPTION, type Page, printJson, printTable } from '#plugin-api'
import type { GroupDocument } from './groups.ts'
import type { Cradle } from './manifest.ts'
import { toGroupRows } from './routes.ts'
import { type NewGroup, newGroup } from './schemas.ts'

const GROUPS_AT_ONCE = 200
const GROUP = { name: 'group', summary: 'name or ID of the group', required: true }
const USERNAME = { name: 'username', summary: 'username or ID of the account', required: true }

const checkGroup = deferSchema<NewGroup>(newGroup, 'json')

/** Reads every group, page by page. */
async function listAll({ groups }: Pick<Cradle, 'groups'>): Promise<GroupDocument[]> {
  const all: GroupDocument[] = []
  let page: Page<GroupDocument> | undefined
  do {
    page = await groups.list(undefined, { limit: GROUPS_AT_ONCE, cursor: page?.next ?? undefined })
    all.push(...page.rows)
  } while (page.next !== null)
  return all
}

const list: Command<Cradle> = {
  name: 'group list',
  summary: 'List the groups',
  options: [JSON_OPTION],
  async run({ options, stdout }, cradle) {
    const rows = await toGroupRows(await listAll(cradle), cradle)
    if (options.json) printJson(stdout, rows)
    else
      printTable(stdout, [
        ['name', 'members', 'default', 'permissions', 'description'],
        ...rows.map(({ name, member_count, is_default, permissions, description }) => [
          name,
          String(member_count),
          is_default ? 'yes' : 'no',
          permissions.join(',') || '-',
          description ?? '-',
        ]),
      ])
    return 0
  },
}

const add: Command<Cradle> = {
  name: 'group add',
  summary: 'Create a group',
  arguments: [{ name: 'name', summary: 'name of the group', required: true }],
  options: [
    { flags: '--permissions <keys>', summary: 'the permissions of its members, separated by commas' },
    { flags: '--default', summary: 'have new accounts join it' },
    JSON_OPTION,
  ],
  audit: 'group.create',
  async run({ args, options, stdout }, cradle) {
    const permissions = typeof options.permissions === 'string' ? options.permissions.split(',') : []
    const body = checkGroup({ name: args[0], permissions, is_default: options.default === true })
    cradle.grants.assertGrantable({ role: 'admin', permissions: [] }, body)
    const [row] = await toGroupRows([await cradle.groups.create(body)], cradle)
    if (options.json) printJson(stdout, row)
    else stdout.write(`${row!.name} was created\n`)
    return 0
  },
}

const memberCommand = (
  verb: 'add' | 'remove',
  summary: string,
  describe: (username: string, group: string) => string,
): Command<Cradle> => ({
  name: `group member ${verb}`,
  summary,
  arguments: [GROUP, USERNAME],
  audit: `group.${verb}_member`,
  async run({ args, stdout }, { groups, accounts, users }) {
    const [group, user] = await Promise.all([groups.find(args[0]!), accounts.find(args[1]!)])
    if (verb === 'add') await users.joinGroup(user._id, group._id)
    else await users.leaveGroup(user._id, group._id)
    stdout.write(`${describe(user.username, group.name)}\n`)
    return 0
  },
})

/** `svc group …`: commands for operators of the server, who manage groups without signing in. */
export const groupCommands: Command<Cradle>[] = [
  list,
  add,
  memberCommand('add', 'Put an account into a group', (name, group) => `${name} is in ${group}`),
  memberCommand('remove', 'Take an account out of a group', (name, group) => `${name} is not in ${group}`),
]
