import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import bytes from 'bytes'
import { type WebSocket, WebSocketServer } from 'ws'
import type { SomeCradle } from '../contract/cradle.ts'
import { callerIn, type GuardRequest, type GuardUse } from '../contract/guard.ts'
import type { Socket } from '../contract/socket.ts'
import { AppError } from '../errors.ts'
import { type ErrorReply, replyTo, retryHeaders } from '../http/error-reply.ts'
import type { GuardChain } from '../http/guard-chain.ts'
import { isOwnOrigin } from '../http/network.ts'
import { assertParams, requestIdOf } from '../http/request-facts.ts'
import { createRouteTable } from '../http/route-table.ts'
import { chooseLocale, type Locale } from '../locale.ts'
import type { Runtime } from '../server/runtime.ts'
import { createFieldReader, createFrameCheck } from './frames.ts'
import { OpenConnection, type SocketRules } from './open-connection.ts'

/** A socket, and the services that its handler gets. */
interface OwnedSocket {
  socket: Socket
  cradle: SomeCradle
}

/** The header with which a guard confirms the subprotocol that it has read. */
const PROTOCOL_HEADER = 'Sec-WebSocket-Protocol'

/** Milliseconds that the peer of a refused connection has to read the reason. */
const REFUSAL_MS = 500

/** Opens WebSockets for declared sockets; a refusal is an HTTP answer with the usual error body. */
export function createUpgrader({
  runtime,
  sockets,
  chainOf,
  draining,
  strictReplies,
  pingIntervalMs,
}: {
  runtime: Runtime
  sockets: readonly OwnedSocket[]
  chainOf: (use: GuardUse) => GuardChain
  draining: () => boolean
  strictReplies: boolean
  /** Milliseconds between two pings; a peer that is silent for 1.4 times as long is dropped at the next one. */
  pingIntervalMs: number
}) {
  const { log, blueprint, limits } = runtime
  const { http } = blueprint.config.values
  const open = new Set<OpenConnection>()
  const webSockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    maxPayload: bytes.parse(http.body_limit)!,
    handleProtocols: (_, incoming) => answers.get(incoming)!.protocol ?? false,
  })
  const frameRate = { per_second: limits.of('frames_per_second'), burst: limits.of('frames_burst') }
  const answers = new WeakMap<IncomingMessage, Answer>()
  webSockets.on('headers', (headers, incoming) => {
    for (const [name, value] of Object.entries(answers.get(incoming)!.headers))
      headers.push(`${name}: ${value}`)
  })
  webSockets.on('wsClientError', (error, stream, incoming) => {
    const request_id = requestIdOf(incoming.headers)
    const locale = chooseLocale(incoming.headers['accept-language'])
    const cause = new AppError('BAD_REQUEST', { reason: error.message })
    refuse(stream, replyTo(cause, { table: blueprint.errors, locale, request_id }))
  })
  const endpoints = createRouteTable<ReturnType<typeof compile>>()
  for (const owned of sockets) endpoints.add('GET', `/api${owned.socket.path}`, compile(owned))
  let pinging: NodeJS.Timeout | undefined
  let pingedAt = 0
  const pingAll = () => {
    const now = performance.now()
    // After a pause of this process, frames of its peers may still be unread.
    const isLate = now - pingedAt > pingIntervalMs * 1.05
    pingedAt = now
    const patienceMs = isLate ? Number.POSITIVE_INFINITY : pingIntervalMs * 1.4
    for (const connection of open) connection.keepAlive(now, patienceMs)
  }

  function compile({ socket, cradle }: OwnedSocket) {
    const rules: SocketRules = {
      checkFrame: createFrameCheck(socket.receive),
      repeatedOf: createFieldReader(socket.receive, socket.repeats ?? []),
      checkSent: strictReplies ? createFrameCheck(socket.send) : undefined,
      frameRate,
      maxBacklog: limits.of('socket_backlog_bytes'),
    }
    return { socket, cradle, rules, guard: chainOf(socket.guard) }
  }

  function find(pathname: string) {
    const match = endpoints.find('GET', pathname)
    if (!match) throw new AppError('NOT_FOUND')
    return { endpoint: match.entry, params: assertParams(match.params) }
  }

  const explain = (error: unknown, { locale, request_id }: Reader) => {
    const reply = replyTo(error, { table: blueprint.errors, locale, request_id })
    log[reply.level]({ error: reply.cause, code: reply.body.code, request_id }, 'socket failed')
    return reply
  }

  async function upgrade(incoming: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const { headers } = incoming
    const reader = { locale: chooseLocale(headers['accept-language']), request_id: requestIdOf(headers) }
    const answer: Answer = { headers: { 'X-Request-Id': reader.request_id } }
    const dropped = () => stream.destroy()
    stream.on('error', dropped)
    try {
      if (draining()) throw new AppError('SHUTTING_DOWN')
      // Browsers do not send a preflight for sockets.
      if (!isOwnOrigin(headers, http)) throw new AppError('FORBIDDEN')
      const url = parseUrl(incoming)
      const { endpoint, params } = find(url.pathname)
      const request: GuardRequest = {
        transport: 'socket',
        method: 'GET',
        params,
        query: Object.fromEntries(url.searchParams),
        headers,
        ip: addressOf(incoming, http.trust_proxy),
        request_id: reader.request_id,
        route: endpoint.socket.path,
        guard: endpoint.socket.guard,
        scope: endpoint.socket.scope,
        setHeader: setterOf(answer),
      }
      const context = {}
      try {
        await endpoint.guard(request, context)
      } finally {
        // Set even if the guard refuses, so that the refusal is localized.
        reader.locale = chooseLocale(headers['accept-language'], callerIn(context)?.locale)
      }
      if (draining()) throw new AppError('SHUTTING_DOWN')
      const account_id = callerIn(context)?.id
      if (account_id !== undefined) limits.assertRoom('sockets', runtime.sockets.countOf(account_id))
      stream.off('error', dropped)
      answers.set(incoming, answer)
      webSockets.handleUpgrade(incoming, stream, head, (webSocket) =>
        connect(webSocket, endpoint, { request, reader, context }),
      )
    } catch (error) {
      refuse(stream, explain(error, reader), answer.headers)
    }
  }

  /** Separate from `upgrade`, so that an open connection does not keep the whole request in memory. */
  function connect(
    webSocket: WebSocket,
    { socket, cradle, rules, guard }: ReturnType<typeof compile>,
    { request, reader, context }: { request: GuardRequest; reader: Reader; context: object },
  ): void {
    const account_id = callerIn(context)?.id
    const peer = {
      explain: (error: unknown) => explain(error, reader),
      async runGuards() {
        const renewed = {}
        await guard({ ...request, opened: connection.context }, renewed)
        return renewed
      },
      accept: (connection: OpenConnection) =>
        socket.handler(
          connection as never,
          new OpenedRequest(request, reader.locale, connection) as never,
          cradle,
        ) as never,
      // Opening the next socket at once must not evade the rate of frames.
      onFlood() {
        if (account_id !== undefined) limits.charge(account_id, frameRate.burst)
      },
      onClose(closed: OpenConnection) {
        open.delete(closed)
        runtime.sockets.remove(closed)
      },
    }
    const connection = new OpenConnection(webSocket, rules, peer, context)
    open.add(connection)
    if (!pinging) {
      pinging = setInterval(pingAll, pingIntervalMs)
      pingedAt = performance.now()
    }
    runtime.sockets.add(connection)
  }

  return {
    upgrade,
    /** True if a path is a socket's: plain requests to it receive an error of their own. */
    isPath: (pathname: string) => endpoints.find('GET', pathname) !== undefined,
    /** Waits until every peer has closed; those that do not answer are dropped after `patienceMs`. */
    async close(patienceMs: number): Promise<void> {
      clearInterval(pinging)
      const deadline = performance.now() + patienceMs
      while (open.size > 0 && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 10))
      for (const connection of open) connection.terminate()
    },
  }
}

/** The headers that guards add to the answer of an upgrade. */
interface Answer {
  headers: Record<string, string>
  /** The subprotocol that a guard has confirmed; a connection is opened without an unknown one. */
  protocol?: string
}

/** Returns the function that adds headers of guards to an answer; separate, so that it does not keep the upgrade in memory. */
const setterOf =
  (answer: Answer): GuardRequest['setHeader'] =>
  (name, value) => {
    if (name === PROTOCOL_HEADER) answer.protocol = value
    else answer.headers[name] = value
  }

/** The reader of a connection's errors. */
interface Reader {
  locale: Locale
  request_id: string
}

/** The request as the handler of its connection sees it. */
class OpenedRequest {
  readonly params: GuardRequest['params']
  readonly headers: GuardRequest['headers']
  readonly ip: string
  readonly request_id: string
  readonly locale: Locale
  readonly #connection: OpenConnection

  constructor({ params, headers, ip, request_id }: GuardRequest, locale: Locale, connection: OpenConnection) {
    this.params = params
    this.headers = headers
    this.ip = ip
    this.request_id = request_id
    this.locale = locale
    this.#connection = connection
  }

  get context(): object {
    return this.#connection.context
  }
}

function parseUrl({ url }: IncomingMessage): URL {
  try {
    const parsed = new URL(url!, 'http://localhost')
    decodeURIComponent(parsed.pathname)
    return parsed
  } catch (error) {
    throw new AppError('BAD_REQUEST', {}, { cause: error })
  }
}

/** The peer's address; behind a trusted proxy, what that proxy added last. */
function addressOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(headers['x-forwarded-for'] ?? '').split(',') : []
  return forwarded.at(-1)?.trim() || socket.remoteAddress!
}

/** Answers on a raw connection that never reaches the application, and closes it. */
export function refuse(
  stream: Duplex,
  { status, body }: ErrorReply,
  headers: Record<string, string> = {},
): void {
  if (!stream.writable) {
    stream.destroy()
    return
  }
  const content = JSON.stringify({ error: body })
  const lines = Object.entries({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(content)),
    Connection: 'close',
    'X-Request-Id': body.request_id,
    ...retryHeaders(body),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${content}`)
  // The peer may never close its side. Reads on, because unread data would reset the connection and lose the answer.
  stream.resume()
  const timer = setTimeout(() => stream.destroy(), REFUSAL_MS)
  stream.once('close', () => clearTimeout(timer))
}
