import type {
  AuthProvider,
  Client,
  ClientOptions,
  JsonSchemaValidator,
  Progress,
  Request,
} from '@modelcontextprotocol/client'
import { type ConnectorTarget, createDeadline, untilAborted, withDeadline } from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import {
  createWorkTime,
  type Exchange,
  exchanges,
  toTimeout,
  type WorkLimits,
  type WorkTime,
} from './exchange.ts'
import { ConnectorFailure, SessionLost, toFailure } from './failure.ts'
import { connectHttp, type GreetingParts } from './greeting.ts'
import { startProgram } from './program.ts'
import { type AskingCall, createQuestions } from './questions.ts'
import { findLostSession, HttpRefusal } from './refusal.ts'
import { readToolResult, type ToolResult } from './tool-result.ts'

type Library = typeof import('@modelcontextprotocol/client')

/** The most bytes of one answer of a server. */
const MAX_REPLY_BYTES = 10 * 1024 * 1024
/** The time in which a server that works answers a ping, in milliseconds. */
const PING_MS = 2000

/** The receiver of what happens during a call. */
export interface CallFollower extends Omit<AskingCall, 'pause'> {
  signal: AbortSignal
  onProgress(progress: Progress): void
}

/** The tools of a server as it sent them; `is_whole` is false if there are more. */
export interface ListedTools {
  tools: unknown[]
  is_whole: boolean
}

/** An open connection to a server. */
export interface Connection {
  /** Lists at most so many tools, as the server sent them. */
  listTools(limit: number, signal: AbortSignal): Promise<ListedTools>
  /** Calls a tool. The time in which the user is asked something does not count. */
  call(call: { name: string; args: Record<string, unknown> }, follower: CallFollower): Promise<ToolResult>
  /** Returns false if the server, which may be busy, does not answer at all, or does not know the session. */
  isAnswering(): Promise<boolean>
  close(): Promise<void>
  /** Aborted when the connection has ended. */
  readonly closed: AbortSignal
}

/** The dependencies of a connection. */
export interface ConnectionParts extends Pick<GreetingParts, 'greeting' | 'onGreeting'> {
  fetch: typeof globalThis.fetch
  auth?: AuthProvider
  /** The folder in which a program runs. */
  home: string
  processes: Cradle['processes']
  version: string
  connect_seconds: number
  /** The time for which a call may say nothing. */
  call_seconds: number
  /** The time for a call that reports progress. */
  max_call_seconds: number
  onLog(log: string): void
  /** Masks the secrets of the target in words of its server. */
  redact(text: string): string
  onToolsChanged(): void
}

/** Connects to a server; throws a ConnectorFailure. The library is loaded with the first connection. */
export async function openConnection(target: ConnectorTarget, parts: ConnectionParts): Promise<Connection> {
  const library = await import('@modelcontextprotocol/client')
  const milliseconds = parts.connect_seconds * 1000
  const deadline = createDeadline([], { milliseconds, reason: () => toTimeout(milliseconds) })
  const { signal } = deadline
  const endsAt = performance.now() + milliseconds
  const millisecondsLeft = () => endsAt - performance.now()
  const exchange = { signal, millisecondsLeft, fail: deadline.abort }
  try {
    // A transport may wait for a server without heeding the signal.
    return await untilAborted(
      signal,
      exchanges.run(exchange, () => connect(library, target, parts, exchange)),
    )
  } catch (error) {
    throw maskSecrets(toFailure(signal.aborted ? signal.reason : error), parts.redact)
  } finally {
    deadline.release()
  }
}

function maskSecrets(failure: ConnectorFailure, redact: ConnectionParts['redact']): ConnectorFailure {
  failure.message = redact(failure.message)
  return failure
}

/** True if the transport refused a request before the server processed it. */
const isOfTransport = (failure: ConnectorFailure, error: unknown): boolean =>
  failure instanceof HttpRefusal || failure instanceof SessionLost || findLostSession(error) !== undefined

/** Accepts all results: the library's own check would compile what the server writes. */
const jsonSchemaValidator: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator<Data>(): JsonSchemaValidator<Data> {
    return (data) => ({ valid: true, data: data as Data, errorMessage: undefined })
  },
}

async function connect(
  library: Library,
  target: ConnectorTarget,
  parts: ConnectionParts,
  { signal, millisecondsLeft }: Exchange,
): Promise<Connection> {
  const questions = createQuestions()
  const running = new Set<Exchange>()
  const ended = new AbortController()
  const end = (failure: ConnectorFailure) => {
    ended.abort(failure)
    for (const exchange of running) exchange.fail(failure)
  }
  const createClient = ({ firstMilliseconds }: { firstMilliseconds?: number }): Client => {
    const client = new library.Client(
      { name: 'agent-platform-service', title: 'Agent Platform Service', version: parts.version },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation:
          firstMilliseconds === undefined
            ? { mode: 'legacy' }
            : { mode: 'auto', probe: { timeoutMs: firstMilliseconds } },
        listChanged: { tools: { autoRefresh: false, onChanged: () => parts.onToolsChanged() } },
        jsonSchemaValidator,
      },
    )
    const request = client.request.bind(client) as (message: Request, ...more: unknown[]) => Promise<unknown>
    const acceptAny = (message: Request, ...more: unknown[]) =>
      // Calls of tools, and the lists that the library reads for them, come without a schema.
      message.method.startsWith('tools/') && more.length === 1
        ? request(message, ANY_RESULT, ...more)
        : request(message, ...more)
    client.request = acceptAny as typeof client.request
    client.setRequestHandler('elicitation/create', ({ params }) =>
      questions.ask(params, exchanges.getStore()),
    )
    return client
  }
  const open = async () => {
    if (target.transport === 'http') {
      const { fetch, auth, greeting, onGreeting } = parts
      const milliseconds = parts.connect_seconds * 1000
      const http = { library, fetch, auth, maxBytes: MAX_REPLY_BYTES, onLost: end }
      const greetingParts = { ...http, createClient, greeting, onGreeting, milliseconds, millisecondsLeft }
      return { ...(await connectHttp(target, greetingParts, signal)), findFailure: () => undefined }
    }
    const program = await startProgram(target, { ...parts, maxBytes: MAX_REPLY_BYTES, library })
    try {
      const client = createClient({})
      await client.connect(program.transport, { signal })
      const { end: leave, findFailure } = program
      return { client, leave, findFailure }
    } catch (error) {
      await program.end()
      throw program.findFailure() ?? error
    }
  }
  const { client, leave, findFailure } = await open()
  const createClosed = () => new ConnectorFailure('unreachable', 'The connection was closed.')
  client.onclose = () => end(findFailure() ?? createClosed())
  client.onerror = () => undefined

  const isAnswering = () =>
    withDeadline(PING_MS, [ended.signal], async (signal) => {
      try {
        await client.ping({ signal, timeout: NO_TIMEOUT_MS })
        return true
      } catch (error) {
        const failure = toFailure(error)
        // A refusal is an answer, too, unless it is one of the transport.
        return !signal.aborted && failure.reason !== 'unreachable' && !isOfTransport(failure, error)
      }
    })
  const explain = async (error: unknown): Promise<ConnectorFailure> => {
    const failure = findFailure()
    if (failure) return failure
    const lost = target.transport === 'http' ? findLostSession(error) : undefined
    // The call of a tool that has done something must not be repeated.
    const isLost = lost && !(lost.isDoubtful && (await isAnswering()))
    return isLost ? lost.failure : toFailure(error)
  }
  const withoutSecrets = (failure: ConnectorFailure) => maskSecrets(failure, parts.redact)

  /** Runs a request with a time that begins now; throws a ConnectorFailure, or the reason of the outer signal. */
  const exchange = async <Value>(
    limits: WorkLimits,
    outer: AbortSignal,
    work: (time: WorkTime) => Promise<Value>,
  ): Promise<Value> => {
    const time = createWorkTime(limits, outer)
    running.add(time)
    try {
      return await exchanges.run(time, () => work(time))
    } catch (error) {
      outer.throwIfAborted()
      throw withoutSecrets(time.signal.aborted ? toFailure(time.signal.reason) : await explain(error))
    } finally {
      running.delete(time)
      time.release()
    }
  }

  const callLimits: WorkLimits = {
    silence: parts.call_seconds * 1000,
    total: Math.max(parts.call_seconds, parts.max_call_seconds) * 1000,
  }
  return {
    closed: ended.signal,
    async listTools(limit, outer) {
      if (!client.getServerCapabilities()?.tools) return { tools: [], is_whole: true }
      const limits = { silence: parts.connect_seconds * 1000 }
      return exchange(limits, outer, ({ signal }) => listTools(client, limit, signal))
    },
    call: ({ name, args }, follower) =>
      exchange(callLimits, follower.signal, async (time) => {
        const { signal, pause } = time
        const onprogress = (progress: Progress) => {
          time.extend()
          follower.onProgress(progress)
        }
        return questions.during(time, { ...follower, pause }, async () => {
          const result = await client.callTool(
            { name, arguments: args },
            { signal, timeout: NO_TIMEOUT_MS, onprogress },
          )
          return readToolResult(result)
        })
      }),
    isAnswering,
    async close() {
      end(createClosed())
      await leave()
      await client.close().catch(() => undefined)
    },
  }
}

/** The most pages of a list that are read. */
const MAX_PAGES = 64
/** The library's own limits do not apply: calls have a deadline of their own, which does not count a person's time. */
const NO_TIMEOUT_MS = 2_000_000_000

/**
 * Accepts each result: the library's own schema refuses a whole list for one odd tool, and describes each fault of a
 * result, however many there are.
 */
const ANY_RESULT = {
  '~standard': {
    version: 1,
    vendor: 'svc',
    validate: (value: unknown) => ({ value }),
  },
} as const

/** Lists at most so many tools of a server. A cursor that is no text, or was sent before, ends the list. */
async function listTools(client: Client, limit: number, signal: AbortSignal): Promise<ListedTools> {
  const tools: unknown[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  do {
    const params = cursor === undefined ? {} : { cursor }
    const options = { signal, timeout: NO_TIMEOUT_MS }
    const listed = await client.request({ method: 'tools/list', params }, ANY_RESULT, options)
    const { tools: listedTools, nextCursor } = Object(listed) as Record<string, unknown>
    if (!Array.isArray(listedTools))
      throw new ConnectorFailure('protocol', 'The server did not answer with a list of its tools.')
    for (const tool of listedTools) tools.push(tool)
    const isLast = typeof nextCursor !== 'string' || nextCursor === '' || cursors.has(nextCursor)
    cursor = isLast ? undefined : nextCursor
    if (cursor !== undefined) cursors.add(cursor)
  } while (cursor !== undefined && cursors.size < MAX_PAGES && tools.length < limit)
  return { tools: tools.slice(0, limit), is_whole: cursor === undefined && tools.length <= limit }
}
