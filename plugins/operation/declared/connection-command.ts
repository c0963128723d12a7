import { type Command, type CommandInput, readServerNote } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { SentenceError } from './sentence-error.ts'
import { createServerApi, type ServerApi } from './server-api.ts'

type Declared = Pick<Command<Cradle>, 'name' | 'summary' | 'arguments' | 'options'>

/** Declares a command that works on a server as the administrator who is signed in. */
export const connectionCommand = (
  { options = [], ...command }: Declared,
  act: (input: CommandInput, api: ServerApi) => Promise<number>,
): Command<Cradle> => ({
  ...command,
  options: [
    ...options,
    { flags: '--url <url>', summary: 'address of the server (default: the one running here)' },
    { flags: '--username <name>', summary: 'administrator to sign in as' },
  ],
  usesDatabase: isOnHome,
  async run(input, cradle) {
    const { signIn, explain } = cradle.terminalAccounts
    const leave = new AbortController()
    const end = () => leave.abort()
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, end)
    try {
      if (isOnHome(input)) return await actOnHome(input, cradle, leave.signal, act)
      const { url, session } = await signIn(input, (line) => void input.stderr.write(`${line}\n`), leave)
      return await act(input, createServerApi(url, session, leave.signal))
    } catch (error) {
      if (leave.signal.aborted) return 130
      if (!(error instanceof Error)) throw error
      input.stderr.write(`${explain(error)}\n`)
      return 1
    } finally {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, end)
    }
  },
})

/** True for a command on the home of a running server, which needs no password, unless the input names an account. */
function isOnHome({ options, env, home }: CommandInput): boolean {
  const isSignedIn = options.url ?? options.username ?? (env.SVC_URL || env.SVC_API_KEY || env.SVC_PASSWORD)
  return !isSignedIn && readServerNote(home) !== undefined
}

/** Works on the server of this home in a session of its administrator, which ends with the command. */
async function actOnHome(
  input: CommandInput,
  cradle: Cradle,
  signal: AbortSignal,
  act: (input: CommandInput, api: ServerApi) => Promise<number>,
): Promise<number> {
  const { url } = readServerNote(input.home)!
  const username = input.env.SVC_ADMIN_USERNAME || 'admin'
  const account = await cradle.users.findByUsername(username)
  if (account?.role !== 'admin')
    throw new SentenceError(
      `${username} is not an administrator here: set SVC_ADMIN_USERNAME, or sign in with --username`,
    )
  let token = await cradle.terminalAccounts.openOnHome(username, cradle)
  const session = {
    readToken: async () => token,
    renewLogin: async () => token,
    keep: async (renewed: string) => {
      token = renewed
    },
  }
  const api = createServerApi(url, session, signal)
  return act(input, api).finally(() => api.request('/auth/logout', { method: 'POST', isLast: true }))
}
