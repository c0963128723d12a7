import type { Command, CommandInput } from '#plugin-api'
import { UnreachableError } from './api.ts'
import { createApproval, readPolicy, type WithPrompt } from './approval.ts'
import { createChat, INTERRUPTED, isFinal } from './chat.ts'
import { connect, findAgent, readText, URL_OPTION, USERNAME_OPTION } from './connect.ts'
import { createConversation } from './conversation.ts'
import { createPipe } from './line-input.ts'
import { createLogin } from './login.ts'
import type { Cradle } from './manifest.ts'
import { createPrompt } from './prompt.ts'
import { createQuestions, type Questions } from './questions.ts'
import { createRenderer } from './renderer.ts'
import type { FetchArguments } from './review.ts'
import { createScreen } from './screen.ts'
import { createSlashCommands } from './slash-commands.ts'
import { createFrameLog, USER_LABEL, USER_STYLE } from './view.ts'
import { createWorkspaceFiles } from './workspace-files.ts'

/** `svc chat [agent]`: talks to an agent over the public API. */
export const chatCommand: Command<Cradle> = {
  name: 'chat',
  summary: 'Chat with an agent in the terminal',
  arguments: [{ name: 'agent', summary: 'name or ID of the agent (default: assistant)' }],
  options: [
    URL_OPTION,
    USERNAME_OPTION,
    { flags: '--thread <id>', summary: 'continue this thread' },
    { flags: '-m, --message <text>', summary: 'send one message, print the answer and exit' },
    { flags: '--model <ref>', summary: 'model to use, as provider:model' },
    {
      flags: '--approve <which>',
      summary: 'decide without asking: all approves, none rejects every request',
    },
    { flags: '--json', summary: 'print each event as a line of JSON' },
  ],
  database: false,

  async run(input) {
    const leave = new AbortController()
    try {
      const code = await run(input, leave)
      return leave.signal.aborted ? INTERRUPTED : code
    } catch (error) {
      if (leave.signal.aborted) return INTERRUPTED
      if (!(error instanceof Error)) throw error
      const advice =
        error instanceof UnreachableError ? ' Start one with `npm start`, or set another one with --url.' : ''
      createScreen({ stream: input.stderr, env: input.env }).writeLine(error.message + advice, 'red')
      return 1
    }
  },
}

async function run(
  { args, options, home, env, stdin, stdout, stderr }: CommandInput,
  leave: AbortController,
) {
  const read = (name: string) => readText({ options }, name)
  const { signal } = leave
  const policy = readPolicy(read('approve'))
  const message = read('message')
  const isInteractive = message === undefined && Boolean(stdin.isTTY)
  const onPage = stdout.isTTY && !options.json
  const answer = createScreen({ stream: stdout, env })
  const detail = onPage ? answer : createScreen({ stream: stderr, env })
  const view = options.json ? createFrameLog({ stream: stdout, detail }) : createRenderer({ answer, detail })

  const close: (() => void)[] = []
  const closeAll = () => {
    for (const step of close) step()
  }
  let stop: (() => boolean) | undefined
  let questions: Questions | undefined
  const interrupt = () => {
    if (questions?.cancel()) return
    if (stop?.()) view.note('Stopping. Press Ctrl-C again to leave.')
    else leave.abort()
  }
  const openPrompt = () =>
    createPrompt({
      stdin,
      output: onPage ? stdout : stderr,
      label: detail.paint(USER_STYLE, USER_LABEL),
      hint: detail.paint('dim', 'Press Ctrl-C again, or Ctrl-D, to leave.'),
      onInterrupt: interrupt,
    })
  const openForNow: WithPrompt = (use) => {
    const once = openPrompt()
    close.push(once.close)
    return use(once).finally(once.close)
  }
  const prompt = isInteractive ? openPrompt() : undefined
  if (prompt) close.push(prompt.close)
  const usePrompt: WithPrompt = (use) => (prompt ? use(prompt) : openForNow(use))
  const withPrompt = stdin.isTTY ? usePrompt : undefined
  process.on('SIGINT', interrupt)
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      leave.abort()
    })
  // Readers that wait for a key or a line do not watch the signal: closing them is how they end.
  signal.addEventListener('abort', closeAll)

  try {
    const askSecret = withPrompt && ((label: string) => withPrompt((asker) => asker.askSecret(label)))
    const { service, session, url } = await connect({ options, home, env }, signal, (parts) =>
      createLogin({ ...parts, askSecret, say: view.note }),
    )
    const agent = await findAgent(session, args[0] ?? 'assistant')

    const commandFor = (thread_id: string) => {
      const name = args[0] === undefined ? '' : ` ${/^[\w.-]+$/.test(agent.name) ? agent.name : agent.id}`
      const address = read('url') === undefined ? '' : ` --url ${url}`
      return `svc chat${name}${address} --thread ${thread_id}`
    }
    const fetchArguments: FetchArguments = async (args_url) => {
      const path = args_url.replace(/^\/api/, '')
      return (await session.request<{ args: Record<string, unknown> }>({ method: 'GET', path })).args
    }
    const approval = createApproval({ policy, withPrompt, commandFor, fetchArguments, view })
    const conversation = createConversation({
      url,
      agent_id: agent.id,
      session,
      service,
      approval,
      view,
      signal,
    })
    conversation.model = read('model')
    close.push(conversation.close)
    stop = () => {
      const can = conversation.canStop
      conversation.stop()
      return can
    }
    const chat = createChat({ conversation, view })
    const thread = read('thread')
    const earlierCode = thread && !isInteractive ? await chat.select(thread) : 0
    if (isFinal(earlierCode)) return earlierCode
    if (message !== undefined) return (await chat.sendOne(message)) || earlierCode

    const files = createWorkspaceFiles({ service, url, agent_id: agent.id, signal })
    const input = prompt ?? createPipe({ stdin })
    close.push(input.close)
    questions = createQuestions({ prompt, input, view })
    const commands = createSlashCommands({ session, agent, conversation, files, questions, view })
    if (!prompt) return (await chat.sendAll(input, commands)) || earlierCode
    view.note(`You are talking to ${agent.name}. Type /help for commands; press Ctrl-D to leave.`)
    if (thread) await chat.open(thread)
    const code = await chat.talk(prompt, commands)
    if (conversation.thread_id) view.note(`Continue later with: ${commandFor(conversation.thread_id)}`)
    return code
  } finally {
    process.off('SIGINT', interrupt)
    closeAll()
  }
}
