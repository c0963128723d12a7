import type { Command, CommandInput } from '#plugin-api'
import type { Cradle } from './manifest.ts'
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
  database: false,
  async run(input, { terminalAccounts: { signIn, explain } }) {
    const leave = new AbortController()
    const end = () => leave.abort()
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, end)
    try {
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
