import type { components } from '#client'
import { type Command, type CommandInput, JSON_OPTION } from '#plugin-api'
import type { SignedInAccount } from './connect.ts'
import type { Cradle } from './manifest.ts'
import { shorten } from './printable.ts'
import { readAnswer } from './service.ts'
import { accountCommand, printList } from './signed-in.ts'

type Row = components['schemas']['Connector']

/** The most connectors that are read. */
const MAX_CONNECTORS = 200
/** The width of a text of a server in a line of output. */
const COLUMNS = 60

const CONNECTOR = { name: 'connector', summary: 'ID or name of the connector', required: true } as const

const list = accountCommand(
  { name: 'connector list', summary: 'List the connectors you can use', options: [JSON_OPTION] },
  async (input, at) =>
    printList(input, await readConnectors(at), {
      noun: 'connector',
      head: ['ID', 'NAME', 'KIND', 'OWNER', 'TOOLS', 'STATUS'],
      toCells: ({ id, name, kind, owner, tools, status }) => {
        return [id, name, kind, owner ?? '-', String(tools.length), status]
      },
    }),
)

const kinds = accountCommand(
  { name: 'connector kinds', summary: 'List the kinds of connectors', options: [JSON_OPTION] },
  async (input, { service, url }) =>
    printList(input, await readAnswer(service.GET('/connectors/kinds'), url), {
      noun: 'connector kind',
      head: ['KIND', 'SERVER', 'SETTINGS'],
      toCells: ({ kind, preset, config_schema: { properties = {} } }) => {
        return [kind, preset?.url ?? '-', Object.keys(properties as object).join(', ')]
      },
    }),
)

const add = accountCommand(
  {
    name: 'connector add',
    summary: 'Connect to an MCP server',
    arguments: [
      { name: 'name', summary: 'a name, used as a prefix of its tools', required: true },
      {
        name: 'target...',
        summary: 'an address, a kind from `svc connector kinds`, or a program with its arguments',
        required: true,
      },
    ],
    options: [
      {
        flags: '--config <json>',
        summary: 'additional settings of the kind, e.g. {"headers": …}; - reads stdin',
      },
      { flags: '--global', summary: 'make it available to everyone (administrators only)' },
      { flags: '--default', summary: 'use it in all conversations, with any agent' },
    ],
  },
  async ({ args, options, stdin, stdout }, at) => {
    const [name, ...target] = args as [string, ...string[]]
    const { kind, config } = await readTarget(target, at)
    const further = await readConfig(options, stdin)
    const body = {
      name,
      kind,
      config: { ...config, ...further },
      scope: options.global ? ('global' as const) : ('user' as const),
      is_default: options.default === true,
    }
    const connector = await readAnswer(at.service.POST('/connectors', { body }), at.url)
    stdout.write(`${connector.id}  ${describe(connector)}\n`)
    if (connector.status === 'unauthorized' && connector.auth === 'oauth')
      await showSignIn(connector, stdout, at)
  },
)

const check = accountCommand(
  { name: 'connector check', summary: 'Test a connector and list its tools', arguments: [CONNECTOR] },
  async ({ args, stdout }, at) => {
    const { id, name } = await findConnector(args[0]!, at)
    const params = { path: { id } }
    const { ok, detail, left_out } = await readAnswer(
      at.service.POST('/connectors/{id}/test', { params }),
      at.url,
    )
    if (!ok) throw new Error(`"${name}" failed: ${shorten(detail ?? '', COLUMNS * 2)}`)
    const { tools } = await readAnswer(at.service.GET('/connectors/{id}', { params }), at.url)
    for (const { name, description, seen: isSeen } of tools)
      stdout.write(`${shorten(name, COLUMNS)}${isSeen ? '' : ' (new)'}  ${shorten(description, COLUMNS)}\n`)
    for (const sentence of left_out ?? []) stdout.write(`${shorten(sentence, COLUMNS * 2)}\n`)
  },
)

const login = accountCommand(
  { name: 'connector login', summary: 'Sign in to a connector', arguments: [CONNECTOR] },
  async ({ args, stdout }, at) => showSignIn(await findConnector(args[0]!, at), stdout, at),
)

const logout = accountCommand(
  { name: 'connector logout', summary: 'Remove your credentials for a connector', arguments: [CONNECTOR] },
  async ({ args, stdout }, at) => {
    const { id, name } = await findConnector(args[0]!, at)
    await readAnswer(at.service.DELETE('/connectors/{id}/credentials', { params: { path: { id } } }), at.url)
    stdout.write(`Your credentials for "${name}" were removed.\n`)
  },
)

const remove = accountCommand(
  { name: 'connector remove', summary: 'Delete a connector', arguments: [CONNECTOR] },
  async ({ args, stdout }, at) => {
    const { id, name } = await findConnector(args[0]!, at)
    await readAnswer(at.service.DELETE('/connectors/{id}', { params: { path: { id } } }), at.url)
    stdout.write(`"${name}" was deleted.\n`)
  },
)

/** `svc connector …`: connectors over the public API. */
export const connectorCommands: Command<Cradle>[] = [list, kinds, add, check, login, logout, remove]

const readConnectors = ({ service, url }: SignedInAccount): Promise<Row[]> =>
  readAnswer(service.GET('/connectors', { params: { query: { limit: MAX_CONNECTORS } } }), url)

async function findConnector(nameOrId: string, at: SignedInAccount): Promise<Row> {
  const connector = (await readConnectors(at)).find(({ id, name }) => id === nameOrId || name === nameOrId)
  if (connector) return connector
  throw new Error(
    `The connector "${nameOrId}" does not exist. \`svc connector list\` shows the ones you can use.`,
  )
}

/** Returns the kind and the settings that an address, the name of a kind or a program means. */
async function readTarget([first, ...more]: string[], { service, url }: SignedInAccount) {
  if (/^https?:\/\//.test(first!) && more.length === 0) return { kind: 'mcp', config: { url: first } }
  const kinds = await readAnswer(service.GET('/connectors/kinds'), url)
  const isKind = more.length === 0 && kinds.some(({ kind }) => kind === first)
  if (isKind) return { kind: first!, config: {} }
  return { kind: 'mcp_stdio', config: { command: first, ...(more.length > 0 && { args: more }) } }
}

/** Returns the settings of `--config`; throws a sentence unless they are a JSON object. */
async function readConfig({ config }: CommandInput['options'], stdin: CommandInput['stdin']) {
  if (typeof config !== 'string') return {}
  const text = config === '-' ? await readText(stdin) : config
  const parsed: unknown = parseJson(text)
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw new Error('--config is not a JSON object.')
}

async function readText(stream: AsyncIterable<Buffer | string>): Promise<string> {
  let text = ''
  for await (const part of stream) text += String(part)
  return text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function showSignIn(
  { id, name }: Row,
  stdout: CommandInput['stdout'],
  { service, url }: SignedInAccount,
): Promise<void> {
  const params = { path: { id } }
  const { authorization_url } = await readAnswer(
    service.POST('/connectors/{id}/authorize', { params, body: {} }),
    url,
  )
  stdout.write(`Sign in to "${name}" in a browser:\n${authorization_url}\n`)
}

const describe = ({ status, tools, error }: Row) =>
  status === 'ready'
    ? `ready, ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`
    : `${status}: ${shorten(error ?? '', COLUMNS * 2)}`
