import type {
  ClientContext,
  InitializeResponse,
  NewSessionResponse,
  PromptResponse,
  RequestError,
  SessionNotification,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import type { ToolContext, WorkClock } from '#plugin-api'
import { RunnerFailure } from './errors.ts'
import { createLogin } from './login.ts'
import type { Cradle } from './manifest.ts'
import { createMessageStream, type MessagePipes } from './message-stream.ts'
import { createPermissions } from './permissions.ts'
import { createProgress } from './progress.ts'
import type { Redaction } from './runner-env.ts'
import type { OpenedRunner } from './types.ts'
import { createAnswer, createUpdateReader, shorten, showJson } from './updates.ts'

/** The most notes to the model about steps that the user rejected. */
const MAX_NOTES = 6
const MAX_NOTE_CHARS = 200
/** The most written files that the reader of the turn is shown. */
const MAX_ATTACHMENTS = 100

const STOP_NOTES = new Map<unknown, string>([
  ['refusal', 'it refused to continue'],
  ['max_tokens', 'it reached its limit of tokens'],
  ['max_turn_requests', 'it reached its limit of steps'],
  ['cancelled', 'it was cancelled'],
])

/** The dependencies of a conversation. */
interface ConversationParts {
  runner: OpenedRunner
  workspace: string
  version: string
  context: ToolContext
  files: Cradle['workspaceFiles']
  redaction: Redaction
  clock: WorkClock
  /** Aborted when the conversation must end. */
  signal: AbortSignal
}

/** Lets a runner carry out an instruction over the Agent Client Protocol; returns its answer. */
export async function converse(
  pipes: MessagePipes,
  prompt: string,
  parts: ConversationParts,
): Promise<string> {
  const { runner, workspace, version, context, redaction, clock, signal } = parts
  const { client, PROTOCOL_VERSION, RequestError } = await import('@agentclientprotocol/sdk')
  const progress = createProgress((text) => {
    if (!signal.aborted) context.progress(text)
  })
  signal.addEventListener('abort', progress.end)
  const answer = createAnswer()
  const notes: string[] = []
  const note = (text: string) => {
    if (notes.length < MAX_NOTES) notes.push(redaction.head(text, MAX_NOTE_CHARS))
  }
  const read = createUpdateReader({ mode: runner.tool_parse_mode, answer, progress })
  let session: string | undefined
  let hasActed = false
  const onUpdate = (update: SessionNotification) => {
    if (session === undefined || update?.sessionId !== session) return
    hasActed ||= isToolCall(update.update)
    read(update.update)
  }
  const stream = createMessageStream(pipes, {
    maxBytes: runner.stdio_buffer_limit_bytes,
    redaction,
    onUpdate,
  })
  const decide = createPermissions({ runner, context, clock, progress, note })
  const files = createFileRequests(parts, RequestError)
  const app = client({ name: 'svc' })
    .onRequest('session/request_permission', ({ params }) => {
      hasActed = true
      return decide(params)
    })
    .onRequest('fs/read_text_file', ({ params }) => files.read(params))
    .onRequest('fs/write_text_file', ({ params }) => {
      hasActed = true
      return files.write(params)
    })

  /** Runs the session; every answer is checked, since a runner may send anything. */
  const talk = async (agent: ClientContext): Promise<string> => {
    const greeting: Partial<InitializeResponse> | null = await agent.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'svc', version },
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
    })
    if (greeting?.protocolVersion !== PROTOCOL_VERSION)
      throw new RunnerFailure(
        `does not speak version ${PROTOCOL_VERSION} of the Agent Client Protocol, but ${shorten(showJson(greeting?.protocolVersion)) || 'none'}`,
      )
    const login = createLogin(agent, greeting.authMethods, parts)
    const opened: Partial<NewSessionResponse> | null = await login.around(() =>
      agent.request('session/new', { cwd: workspace, mcpServers: [] }),
    )
    const sessionId = opened?.sessionId
    if (typeof sessionId !== 'string') throw new RunnerFailure('did not open a session')
    session = sessionId
    // A runner that has ended cannot receive the cancellation, and does not need it.
    const cancel = () => void agent.notify('session/cancel', { sessionId }).catch(() => undefined)
    signal.addEventListener('abort', cancel)
    try {
      const request = { sessionId, prompt: [{ type: 'text' as const, text: prompt }] }
      const end: Partial<PromptResponse> | null = await login.around(
        () => agent.request('session/prompt', request),
        () => hasActed,
      )
      if (end?.stopReason !== 'end_turn')
        notes.push(`It stopped: ${STOP_NOTES.get(end?.stopReason) ?? 'it did not say why'}.`)
    } finally {
      signal.removeEventListener('abort', cancel)
    }
    const text = answer.text()
    return [text === '' ? '(it said nothing)' : text, ...notes.map((line) => `[${line}]`)].join('\n')
  }

  try {
    return await app.connectWith(stream, talk)
  } finally {
    signal.removeEventListener('abort', progress.end)
    progress.end()
  }
}

/** True for the update of a runner that acts. */
const isToolCall = (update: Partial<SessionUpdate> | undefined): boolean =>
  update?.sessionUpdate === 'tool_call' || update?.sessionUpdate === 'tool_call_update'

/** Creates the handlers of a runner's file requests, which act in the workspace like the file tools. */
function createFileRequests(
  { workspace, context, files, signal }: ConversationParts,
  Failure: typeof RequestError,
) {
  const attached = new Set<string>()
  const explainFailure = async <Result>(path: string, work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      const { message, cause } = error as Error
      if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
        throw Failure.resourceNotFound(path)
      throw Failure.invalidParams(undefined, message)
    }
  }
  return {
    async read({ path, line, limit }: { path: string; line?: number | null; limit?: number | null }) {
      const range = { line: line ?? undefined, limit: limit ?? undefined }
      return { content: await explainFailure(path, files.readText(workspace, path, range)) }
    },
    async write({ path, content }: { path: string; content: string }) {
      const target = { workspace, agent_id: context.agent_id }
      const written = await explainFailure(path, files.writeText(target, path, content, signal))
      if (!signal.aborted && attached.size < MAX_ATTACHMENTS && !attached.has(written.path)) {
        attached.add(written.path)
        context.attach(written)
      }
      return {}
    },
  }
}
