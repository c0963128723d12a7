import type { Command, CommandInput } from '#kernel'
import { readAddress } from './address.ts'
import { createApi, UnreachableError } from './api.ts'
import { readApiKey } from './api-key.ts'
import { findAgent } from './chat-command.ts'
import type { Cradle } from './manifest.ts'
import { createScreen } from './screen.ts'
import { createService } from './service.ts'
import { createSession } from './session.ts'
import { createTokenStore } from './token-store.ts'

/** `svc acp`: offers an agent to an editor, which starts this command and speaks the Agent Client Protocol with it. */
export const acpCommand: Command<Cradle> = {
  name: 'acp',
  summary: 'Offer an agent to an editor, over the Agent Client Protocol on standard input and output',
  options: [
    { flags: '--agent <agent>', summary: 'Name or id of the agent (default: assistant)' },
    { flags: '--url <url>', summary: 'Address of the server (default: the one that runs here)' },
    { flags: '--username <name>', summary: 'Account to use, logged in before by svc chat' },
    { flags: '--model <ref>', summary: 'Model to use, as provider:model' },
  ],
  database: false,

  async run(input, cradle) {
    const leave = new AbortController()
    const end = () => leave.abort()
    // Standard output belongs to the protocol, so messages for a person go to standard error.
    const screen = createScreen({ stream: input.stderr, env: input.env })
    const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
    for (const name of signals) process.on(name, end)
    input.stdout.on('error', end)
    try {
      await run(input, cradle.server.version, screen.writeLine, leave)
      return 0
    } catch (error) {
      if (leave.signal.aborted) return 0
      if (!(error instanceof Error)) throw error
      const advice = error instanceof UnreachableError ? ' Start it, or name another with --url.' : ''
      screen.writeLine(error.message + advice, 'red')
      return 1
    } finally {
      leave.abort()
      input.stdin.destroy()
      for (const name of signals) process.off(name, end)
    }
  },
}

async function run(
  { options, home, env, stdin, stdout }: CommandInput,
  version: Cradle['server']['version'],
  note: (text: string) => void,
  leave: AbortController,
) {
  const { signal } = leave
  const read = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined)
  const agent = read('agent') ?? 'assistant'
  const username = read('username')
  const language = /^zh/i.test(env.LC_ALL || env.LC_MESSAGES || env.LANG || '') ? 'zh' : 'en'
  const { url, local } = await readAddress({ option: read('url'), env, home })
  const [{ serveEditor }, { createSignIn }] = await Promise.all([
    import('./editor/editor-server.ts'),
    import('./editor/sign-in.ts'),
  ])
  const api = createApi({ url, language, signal })
  const address = read('url') === undefined ? '' : ` --url ${url}`
  const account = username === undefined ? '' : ` --username ${username}`
  const advice = `Run \`svc chat${address}${account}\` once in a terminal: it asks for the password and stores the login. Or set a variable in the settings of the editor: SVC_API_KEY to an API key, or SVC_PASSWORD to the password of the account ${username ?? 'that --username names'}.`
  const signIn = readApiKey(env, () => {
    const store = createTokenStore({ home, url })
    return { store, login: createSignIn({ api, env, home, local, store, username, advice, say: note }) }
  })
  const session = createSession({ api, ...signIn, username })
  await serveEditor({
    url,
    session,
    service: await createService({ url, language, session }),
    signal,
    model: read('model'),
    note,
    stdin,
    stdout,
    findAgent: () => findAgent(session, agent),
    title: agent,
    version,
    advice,
  })
}
