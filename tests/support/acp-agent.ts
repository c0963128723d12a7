import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type AgentContext,
  agent,
  ndJsonStream,
  type PermissionOptionKind,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk'

// A program: an agent that does what the lines of its prompt say, by the Agent Client Protocol.

const ALL_KINDS: PermissionOptionKind[] = ['allow_once', 'allow_always', 'reject_once', 'reject_always']
const SESSION = 'the-session'
const cancelled = new AbortController()
let tools = 0

/** One line of a prompt, as its first word and the argument. */
interface Step {
  word: string
  argument: string
  client: AgentContext
}

const update = ({ client }: Step, sent: SessionUpdate) =>
  client.notify('session/update', { sessionId: SESSION, update: sent })
const chunk = (
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
): SessionUpdate => ({
  sessionUpdate,
  content: { type: 'text', text },
})
const say = (step: Step, text: string) => update(step, chunk('agent_message_chunk', text))
const writeRaw = (text: string) =>
  new Promise<void>((resolve) => void process.stdout.write(text, () => resolve()))

/** Asks for a permission with options of these kinds, and tells which was chosen. */
async function askPermission(
  step: Step,
  kinds: PermissionOptionKind[],
  title = step.argument,
): Promise<void> {
  tools += 1
  const request: RequestPermissionRequest = {
    sessionId: SESSION,
    toolCall: {
      toolCallId: `tool-${tools}`,
      title,
      kind: 'execute',
      rawInput: { command: title },
      locations: [{ path: 'some/file.ts', line: 3 }],
    },
    options: kinds.map((kind) => ({ optionId: `id-${kind}`, name: kind, kind })),
  }
  const { outcome } = await step.client.request('session/request_permission', request)
  await say(step, `[${title}: ${outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome}]`)
}

const describe = (error: unknown) => {
  const { code, message } = error as RequestError
  return `(${code} ${message})`
}

const steps: Record<string, (step: Step) => Promise<unknown>> = {
  say: (step) => say(step, step.argument),
  /** A part of the message with this id. */
  message(step) {
    const [messageId, ...words] = step.argument.split(' ')
    return update(step, { ...chunk('agent_message_chunk', words.join(' ')), messageId } as SessionUpdate)
  },
  think: (step) => update(step, chunk('agent_thought_chunk', step.argument)),
  plan: (step) =>
    update(step, {
      sessionUpdate: 'plan',
      entries: step.argument.split(', ').map((content, index) => ({
        content,
        priority: 'medium',
        status: index === 0 ? 'completed' : 'pending',
      })),
    }),
  async tool(step) {
    tools += 1
    const toolCallId = `tool-${tools}`
    await update(step, {
      sessionUpdate: 'tool_call',
      toolCallId,
      title: step.argument,
      kind: 'edit',
      status: 'pending',
      rawInput: { argument: 'given' },
      locations: [{ path: 'some/file.ts', line: 3 }],
    })
    await update(step, {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: 'completed',
      content: [
        { type: 'content', content: { type: 'text', text: 'it worked' } },
        { type: 'diff', path: 'changed.ts', oldText: 'a', newText: 'b' },
        { type: 'terminal', terminalId: 'terminal-1' },
      ],
    })
  },
  permission: (step) => askPermission(step, ALL_KINDS),
  /** Several at the same time. */
  async permissions(step) {
    await Promise.all(step.argument.split(' ').map((title) => askPermission(step, ALL_KINDS, title)))
  },
  'permission-always': (step) => askPermission(step, ['allow_always', 'reject_always']),
  'permission-odd': (step) => askPermission(step, []),
  async read(step) {
    const [path = '', line, limit] = step.argument.split(' ')
    const range = { ...(line && { line: Number(line) }), ...(limit && { limit: Number(limit) }) }
    const file = await step.client
      .request('fs/read_text_file', { sessionId: SESSION, path, ...range })
      .catch((error) => ({ content: describe(error) }))
    await say(step, `[${path}: ${file.content}]`)
  },
  async write(step) {
    const [path = '', ...words] = step.argument.split(' ')
    const done = await step.client
      .request('fs/write_text_file', { sessionId: SESSION, path, content: words.join(' ') })
      .then(() => 'written', describe)
    await say(step, `[${path}: ${done}]`)
  },
  async env(step) {
    const shown = step.argument === '*' ? Object.keys(process.env).sort() : process.env[step.argument]
    await say(step, `[${step.argument}: ${JSON.stringify(shown)}]`)
  },
  /** The authentication methods that clients chose. */
  chosen: (step) => say(step, `[${chosen.join(' ')}]`),
  /** Asks for a permission with what the protocol does not allow, and tells what was chosen. */
  async 'permission-loose'({ argument, client }) {
    const request = JSON.parse(argument) as RequestPermissionRequest
    const { outcome } = await client.request('session/request_permission', { ...request, sessionId: SESSION })
    await say(
      { word: '', argument, client },
      `[${outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome}]`,
    )
  },
  folders: (step) => say(step, `[process ${process.cwd()}, session ${sessionFolder}]`),
  /** The file operations that it can do by itself. */
  async open(step) {
    const [path = '', ...words] = step.argument.split(' ')
    const attempt = () => {
      if (words.length > 0) writeFileSync(path, words.join(' '))
      return readFileSync(path, 'utf8')
    }
    try {
      await say(step, `[${attempt()}]`)
    } catch (error) {
      await say(step, `[${(error as NodeJS.ErrnoException).code}]`)
    }
  },
  async pid({ argument }) {
    writeFileSync(argument, String(process.pid))
  },
  /** Waits until a file is there. */
  async await({ argument }) {
    while (!existsSync(argument)) await pause(10)
  },
  /** Something that goes on when this ends. */
  async grandchild({ argument }) {
    const child = spawn(
      process.execPath,
      ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6)'],
      {
        stdio: 'ignore',
      },
    )
    writeFileSync(argument, String(child.pid))
  },
  async sleep({ argument }) {
    await pause(Number(argument))
  },
  async hang() {
    await pause(1e9)
  },
  async 'until-cancelled'() {
    await pause(1e9, undefined, { signal: cancelled.signal }).catch(() => undefined)
    return 'cancelled'
  },
  async stderr({ argument }) {
    process.stderr.write(`${argument}\n`)
  },
  /** More than is shown. */
  async 'stderr-long'() {
    const lines = Array.from({ length: 500 }, (_, line) => `${line} ${process.env.API_KEY}`)
    await new Promise<void>((resolve) => {
      process.stderr.write(`${lines.join('\n')}\nthe last line\n`, () => resolve())
    })
  },
  async exit({ argument }) {
    process.exit(Number(argument))
  },
  async fail({ argument }) {
    throw new RequestError(-32099, argument, { details: `because of ${process.env.API_KEY}` })
  },
  /** Asks for a login if nobody has logged in. */
  async private() {
    if (!isLoggedIn) throw loginError()
  },
  async busy() {
    throw new RequestError(-32000, 'The model is overloaded')
  },
  async 'need-login'() {
    throw RequestError.authRequired()
  },
  async stop({ argument }) {
    return argument as StopReason
  },
  /** So many lines that are no messages. */
  async garbage({ argument }) {
    for (let line = 1; line <= Number(argument); line += 1)
      await writeRaw(`line ${line} that is no message, ${process.env.API_KEY}\n`)
  },
  /** One message of so many bytes at least. */
  big: (step) => say(step, 'x'.repeat(Number(step.argument))),
  /** So many MiB of thoughts. */
  async flood({ argument }) {
    const params = { sessionId: SESSION, update: chunk('agent_thought_chunk', 'x'.repeat(1024 * 1024)) }
    const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params })}\n`
    for (let count = 0; count < Number(argument); count += 1) await writeRaw(line)
  },
  /** Messages that a client may not choke on. */
  async odd({ argument }) {
    const send = (message: object) => writeRaw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    for (const params of [null, 7, {}, { sessionId: SESSION }, { sessionId: SESSION, update: null }])
      await send({ method: 'session/update', params })
    for (const odd of [
      { sessionUpdate: argument },
      { sessionUpdate: 'plan', entries: 'none' },
      { sessionUpdate: 'plan', entries: [null, { content: 7 }] },
      { sessionUpdate: 'tool_call', title: 7, locations: [null, 'x'], rawInput: [[]] },
      { sessionUpdate: 'tool_call_update', toolCallId: {}, status: [], content: [7, { type: 'content' }] },
      { sessionUpdate: 'agent_message_chunk', content: 'plain' },
      { sessionUpdate: 'agent_message_chunk' },
    ])
      await send({ method: 'session/update', params: { sessionId: SESSION, update: odd } })
    await send({
      method: 'session/update',
      params: { sessionId: 'another', update: chunk('agent_message_chunk', '!') },
    })
    await send({ method: 'unheard/of' })
    await send({ id: 'nobody-asked', result: {} })
    await send({ id: 'q', method: 'session/request_permission', params: { options: 'none' } })
    await send({ id: 'r', method: 'terminal/create', params: {} })
  },
}

let sessionFolder = ''

/** The error for a client that has not logged in, with the words and the code of some agents. */
const loginError = () =>
  process.env.ACP_LOGIN === 'words'
    ? new RequestError(-32603, 'You are not logged in')
    : RequestError.authRequired()

/** Answers a method, with null if the environment says so. */
const unlessNull = <Answer>(method: string, answer: Answer): Answer =>
  process.env.ACP_NULL === method ? (null as Answer) : answer

/** The methods to authenticate that it offers, as JSON, and the one that it accepts. */
const authMethods = process.env.ACP_METHODS ? JSON.parse(process.env.ACP_METHODS) : undefined
const accepted = process.env.ACP_ACCEPTS
let isLoggedIn = process.env.ACP_LOGIN === undefined
/** The methods that a client has chosen. */
const chosen: string[] = []

const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>
agent({ name: 'scripted' })
  .onRequest('initialize', ({ params }) =>
    unlessNull('initialize', {
      protocolVersion: process.env.ACP_VERSION ? Number(process.env.ACP_VERSION) : params.protocolVersion,
      agentCapabilities: {},
      ...(authMethods !== undefined && { authMethods }),
    }),
  )
  .onRequest('authenticate', ({ params: { methodId } }) => {
    chosen.push(methodId)
    if (methodId !== accepted) throw new RequestError(-32602, `not by ${methodId}`)
    isLoggedIn = true
    return {}
  })
  .onRequest('session/new', ({ params }) => {
    sessionFolder = params.cwd
    if (!isLoggedIn && process.env.ACP_LOGIN !== 'late') throw loginError()
    return unlessNull('session/new', { sessionId: SESSION })
  })
  .onRequest('session/prompt', async ({ params, client }) => {
    const text = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('')
    for (const line of text.split('\n')) {
      const [word = '', ...words] = line.split(' ')
      const stopReason = await steps[word]!({ word, argument: words.join(' '), client })
      if (typeof stopReason === 'string') return { stopReason: stopReason as StopReason }
    }
    return unlessNull('session/prompt', { stopReason: 'end_turn' })
  })
  .onNotification('session/cancel', () => cancelled.abort())
  .connect(ndJsonStream(output, input))
