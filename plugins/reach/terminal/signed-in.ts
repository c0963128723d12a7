import { type Command, type CommandInput, printJson, printTable } from '#plugin-api'
import { RefusedError, UnreachableError } from './api.ts'
import { connect, findAgent, readText, type SignedInAccount, URL_OPTION, USERNAME_OPTION } from './connect.ts'
import { openOnHome } from './home-login.ts'
import { createLogin } from './login.ts'
import type { Cradle } from './manifest.ts'
import { createPrompt } from './prompt.ts'
import { createScreen } from './screen.ts'

/** The option that chooses the agent. */
const AGENT_OPTION = { flags: '--agent <agent>', summary: 'name or ID of the agent (default: assistant)' }

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
    const { id: agent_id } = await findAgent(session, readText(input, 'agent') ?? 'assistant')
    await act(input, { ...at, agent_id })
  })

/** Declares a command that signs in as `svc chat` does, for what belongs to no agent; errors end it with 1. */
export const accountCommand = (
  { options = [], ...command }: Pick<Command<Cradle>, 'name' | 'summary' | 'arguments' | 'options'>,
  act: (input: CommandInput, at: SignedInAccount) => Promise<void>,
): Command<Cradle> => ({
  ...command,
  options: [...options, URL_OPTION, USERNAME_OPTION],
  database: false,
  async run(input, cradle) {
    const leave = new AbortController()
    const end = () => leave.abort()
    const screen = createScreen({ stream: input.stderr, env: input.env })
    process.on('SIGINT', end)
    try {
      const username = readText(input, 'user')
      if (username === undefined) await act(input, await signIn(input, screen.writeLine, leave))
      else await actOnHome(input, { username, cradle, signal: leave.signal }, act)
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

/** Acts as an account of this home, in a session that ends with the command. */
async function actOnHome(
  input: CommandInput,
  { username, cradle, signal }: { username: string; cradle: Cradle; signal: AbortSignal },
  act: (input: CommandInput, at: SignedInAccount) => Promise<void>,
): Promise<void> {
  const login = async () => ({ username, access_token: await openOnHome(username, cradle) })
  const at = await connect(input, signal, () => login)
  await act(input, at).finally(() => at.session.request({ method: 'POST', path: '/auth/logout' }))
}

/** Prints the rows of a list as JSON or as a table, or a sentence if there are none. */
export function printList<Row>(
  { options, stdout }: Pick<CommandInput, 'options' | 'stdout'>,
  rows: readonly Row[],
  { noun, head, toCells }: { noun: string; head: string[]; toCells: (row: Row) => string[] },
): void {
  if (options.json) printJson(stdout, rows)
  else if (rows.length === 0) stdout.write(`There are no ${noun}s.\n`)
  else printTable(stdout, [head, ...rows.map(toCells)])
}

/** Returns the only row with this id or name; throws a sentence if there is none or several have the name. */
export function findNamed<Row extends { id: string; name: string }>(
  rows: readonly Row[],
  nameOrId: string,
  { noun, advice }: { noun: string; advice: string },
): Row {
  const [match, ...others] = rows.filter(({ id, name }) => id === nameOrId || name === nameOrId)
  if (!match) throw new Error(`The ${noun} "${nameOrId}" does not exist. ${advice}`)
  if (others.length === 0) return match
  throw new Error(`${others.length + 1} ${noun}s have this name: choose one by its ID.`)
}

/**
 * Signs in as `svc chat` does, by the options `--url` and `--username` of a command. `say` shows a line to the person, and
 * `leave` is aborted if the person leaves the prompt. Throws a sentence, or the server's refusal.
 */
export async function signIn(
  { options, home, env, stdin, stderr }: CommandInput,
  say: (text: string) => void,
  leave: AbortController,
): Promise<SignedInAccount> {
  const askSecret = async (label: string) => {
    const onInterrupt = () => leave.abort()
    const prompt = createPrompt({ stdin, output: stderr, label: '', hint: '', onInterrupt })
    return prompt.askSecret(label).finally(prompt.close)
  }
  return connect({ options, home, env }, leave.signal, (parts) =>
    createLogin({ ...parts, askSecret: stdin.isTTY ? askSecret : undefined, say }),
  )
}

/** Describes an error of a command for its user, in a line or several. */
export function explain(error: Error): string {
  if (error instanceof UnreachableError)
    return `${error.message} Start one with \`npm start\`, or set another one with --url.`
  const issues = error instanceof RefusedError ? error.issues : []
  return [error.message, ...issues.map(({ path, message }) => `  ${path} ${message}`)].join('\n')
}
