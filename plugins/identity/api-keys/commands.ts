import { AppError, type Command, JSON_OPTION, type Page, printJson, printTable } from '#plugin-api'
import type { Account } from '../users/types.ts'
import type { ApiKeyDocument, Cradle } from './manifest.ts'
import { toRow } from './routes.ts'

const KEYS_AT_ONCE = 200
const USERNAME = { name: 'username', summary: 'username or ID of the account', required: true }

/** Throws NOT_FOUND for an unknown account. */
async function findAccount(key: string, { users }: Cradle): Promise<Account> {
  const user = (await users.findByUsername(key)) ?? (await users.find(key))
  if (!user) throw new AppError('NOT_FOUND')
  return user
}

/** Reads every key of an account, page by page. */
async function listAll(user_id: string, { apiKeys }: Cradle): Promise<ApiKeyDocument[]> {
  const all: ApiKeyDocument[] = []
  let page: Page<ApiKeyDocument> | undefined
  do {
    page = await apiKeys.list(user_id, { limit: KEYS_AT_ONCE, ...(page?.next && { cursor: page.next }) })
    all.push(...page.rows)
  } while (page.next !== null)
  return all
}

const list: Command<Cradle> = {
  name: 'api-key list',
  summary: 'List the API keys of an account, newest first',
  arguments: [USERNAME],
  options: [JSON_OPTION],
  async run({ args, options, stdout }, cradle) {
    const { _id } = await findAccount(args[0]!, cradle)
    const rows = (await listAll(_id, cradle)).map(toRow)
    if (options.json) printJson(stdout, rows)
    else
      printTable(stdout, [
        ['name', 'scopes', 'created (UTC)', 'expires (UTC)', 'last used (UTC)'],
        ...rows.map(({ name, scopes, created_at, expires_at, last_used_at }) => [
          name,
          scopes.join(','),
          ...[created_at, expires_at, last_used_at].map(formatTime),
        ]),
      ])
    return 0
  },
}

const remove: Command<Cradle> = {
  name: 'api-key delete',
  summary: 'Delete an API key of an account and end its connections',
  arguments: [USERNAME, { name: 'name', summary: 'name of the key', required: true }],
  audit: 'auth.delete_api_key',
  async run({ args, stdout }, cradle) {
    const { _id, username } = await findAccount(args[0]!, cradle)
    const { name } = await cradle.apiKeys.remove(_id, { name: args[1]! })
    stdout.write(`The API key "${name}" of ${username} was deleted.\n`)
    return 0
  },
}

const formatTime = (seconds: number | null) =>
  seconds === null ? '-' : new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')

/** `svc api-key …`: commands for operators of the server, who see and end keys without signing in. */
export const apiKeyCommands: Command<Cradle>[] = [list, remove]
