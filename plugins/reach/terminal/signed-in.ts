import type { Client } from '#client'
import type { Command, CommandInput } from '#kernel'
import { readAddress } from './address.ts'
import { createApi, RefusedError, UnreachableError } from './api.ts'
import { readApiKey } from './api-key.ts'
import { findAgent } from './chat-command.ts'
import { createLogin } from './login.ts'
import type { Cradle } from './manifest.ts'
import { createPrompt } from './prompt.ts'
import { createScreen } from './screen.ts'
import { createService } from './service.ts'
import { createSession, type Session } from './session.ts'
import { createTokenStore } from './token-store.ts'

/** The options by which a command chooses the agent, the server and the account. */
const AGENT_OPTION = { flags: '--agent <agent>', summary: 'Name or id of the agent (default: assistant)' }
const OPTIONS = [
  { flags: '--url <url>', summary: 'Address of the server (default: the one that runs here)' },
  { flags: '--username <name>', summary: 'Account to log in with' },
]

/** A server, and the account that is signed in there. */
export interface SignedInAccount {
  service: Client
  url: string
  session: Session
}

/** A server, the account that is signed in there, and the chosen agent. */
export interface SignedIn extends Omit<SignedInAccount, 'session'> {
  agent_id: string
}

/** Declares a command that signs in as `svc chat` does and asks one thing of the server; errors end it with 1. */
export const signedInCommand = (
  { options = [], ...command }: Pick<Command<Cradle>, 'name' | 'summary' | 'arguments' | 'options'>,
  act: (input: CommandInput, at: SignedIn) => Promise<void>,
): Command<Cradle> =>
  accountCommand({ ...command, options: [...options, AGENT_OPTION] }, async (input, { session, ...at }) => {
    const { agent } = input.options
    const { id: agent_id } = await findAgent(session, typeof agent === 'string' ? agent : 'assistant')
    await act(input, { ...at, agent_id })
  })

/** Declares a command that signs in as `svc chat` does, for what belongs to no agent; errors end it with 1. */
export const accountCommand = (
  { options = [], ...command }: Pick<Command<Cradle>, 'name' | 'summary' | 'arguments' | 'options'>,
  act: (input: CommandInput, at: SignedInAccount) => Promise<void>,
): Command<Cradle> => ({
  ...command,
  options: [...options, ...OPTIONS],
  database: false,
  async run(input) {
    const leave = new AbortController()
    const end = () => leave.abort()
    const screen = createScreen({ stream: input.stderr, env: input.env })
    process.on('SIGINT', end)
    try {
      await act(input, await signIn(input, screen.writeLine, leave))
      return 0
    } catch (error) {
      if (leave.signal.aborted) return 130
      if (!(error instanceof Error)) throw error
      screen.writeLine(explain(error), 'red')
      return 1
    } finally {
      process.off('SIGINT', end)
    }
  },
})

async function signIn(
  { options, home, env, stdin, stderr }: CommandInput,
  say: (text: string) => void,
  leave: AbortController,
): Promise<SignedInAccount> {
  const { signal } = leave
  const read = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined)
  const language = /^zh/i.test(env.LC_ALL || env.LC_MESSAGES || env.LANG || '') ? 'zh' : 'en'
  const { url, local } = await readAddress({ option: read('url'), env, home })
  const api = createApi({ url, language, signal })
  const askSecret = async (label: string) => {
    const onInterrupt = () => leave.abort()
    const prompt = createPrompt({ stdin, output: stderr, label: '', hint: '', onInterrupt })
    return prompt.askSecret(label).finally(prompt.close)
  }
  const how = readApiKey(env, () => ({
    login: createLogin({ api, env, home, local, askSecret: stdin.isTTY ? askSecret : undefined, say }),
    store: createTokenStore({ home, url }),
  }))
  const session = createSession({ api, ...how, username: read('username') })
  return { service: await createService({ url, language, session }), url, session }
}

function explain(error: Error): string {
  if (error instanceof UnreachableError)
    return `${error.message} Start one with \`npm start\`, or name another with --url.`
  const issues = error instanceof RefusedError ? error.issues : []
  return [error.message, ...issues.map(({ path, message }) => `  ${path} ${message}`)].join('\n')
}
