import type { Command, CommandInput } from '#plugin-api'
import { UnreachableError } from './api.ts'
import { connect, findAgent, readText, URL_OPTION } from './connect.ts'
import type { Cradle } from './manifest.ts'
import { createScreen } from './screen.ts'

/** `svc acp`: offers an agent to an editor, which starts this command and speaks the Agent Client Protocol with it. */
export const acpCommand: Command<Cradle> = {
  name: 'acp',
  summary:
    'Make an agent available to an editor, over the Agent Client Protocol on standard input and output',
  options: [
    { flags: '--agent <agent>', summary: 'name or ID of the agent (default: assistant)' },
    URL_OPTION,
    { flags: '--username <name>', summary: 'account to use, already signed in with svc chat' },
    { flags: '--model <ref>', summary: 'model to use, as provider:model' },
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
      const advice = error instanceof UnreachableError ? ' Start it, or set another one with --url.' : ''
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
  const read = (name: string) => readText({ options }, name)
  const agent = read('agent') ?? 'assistant'
  const username = read('username')
  const [{ serveEditor }, { createSignIn }] = await Promise.all([
    import('./editor/editor-server.ts'),
    import('./editor/sign-in.ts'),
  ])
  const adviseOn = (url: string) => {
    const address = read('url') === undefined ? '' : ` --url ${url}`
    const account = username === undefined ? '' : ` --username ${username}`
    return `Run \`svc chat${address}${account}\` once in a terminal to sign in with your password. Or set a variable in the editor settings: SVC_API_KEY to an API key, or SVC_PASSWORD to the password of ${username ?? 'the account in --username'}.`
  }
  const { service, session, url } = await connect({ options, home, env }, signal, (parts) =>
    createSignIn({ ...parts, username, advice: adviseOn(parts.url), say: note }),
  )
  await serveEditor({
    url,
    session,
    service,
    signal,
    model: read('model'),
    note,
    stdin,
    stdout,
    findAgent: () => findAgent(session, agent),
    title: agent,
    version,
    advice: adviseOn(url),
  })
}
