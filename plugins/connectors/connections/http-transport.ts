import type {
  AuthProvider,
  Client,
  StreamableHTTPClientTransport,
  Transport,
} from '@modelcontextprotocol/client'
import type { ConnectorTarget } from '#plugin-api'
import { boundedFetch } from './bounded-fetch.ts'
import { exchanges } from './exchange.ts'
import { ConnectorFailure, toFailure } from './failure.ts'

type Library = typeof import('@modelcontextprotocol/client')
type HttpTarget = Extract<ConnectorTarget, { transport: 'http' }>

/** The time for a farewell to a server, in milliseconds. */
const FAREWELL_MS = 2000
/** The most requests and notifications of a server that are received without a pause. */
const MAX_MESSAGES = 1000

/** The parts of a connection over HTTP besides its target. */
export interface HttpParts {
  library: Library
  fetch: typeof globalThis.fetch
  auth?: AuthProvider
  /** The most bytes of one answer. */
  maxBytes: number
  /** Notified when the stream with the answers to all requests has ended. */
  onLost(failure: ConnectorFailure): void
}

/** A client that is connected over HTTP. */
export interface HttpConnection {
  client: Client
  /** Says farewell to the server. */
  leave(): Promise<void>
  /** True if the server keeps a session, which it may forget. */
  hasSession(): boolean
}

/** Connects a new client over streamable HTTP, or over the older transport if the server knows only that. */
export async function connectHttp(
  createClient: () => Client,
  { url, headers = {} }: HttpTarget,
  { library, fetch, auth: authProvider, maxBytes, onLost }: HttpParts,
  signal: AbortSignal,
): Promise<HttpConnection> {
  const options = { authProvider, requestInit: { headers } }
  const fetchAnswer: typeof globalThis.fetch = (input, init) => {
    const exchange = exchanges.getStore()
    return boundedFetch(fetch, maxBytes, (failure) => exchange?.fail(failure))(input, init)
  }
  const attempt = async (transport: Transport) => {
    const client = createClient()
    signal.addEventListener('abort', () => void transport.close().catch(() => undefined), { once: true })
    try {
      await client.connect(transport, { signal })
      return client
    } catch (error) {
      await client.close().catch(() => undefined)
      throw error
    }
  }
  const streamable = new library.StreamableHTTPClientTransport(new URL(url), {
    ...options,
    fetch: fetchAnswer,
  })
  try {
    const client = await attempt(streamable)
    failUnanswered(streamable)
    limitMessages(streamable)
    const leave = async () => {
      const farewell = streamable.terminateSession().catch(() => undefined)
      await Promise.race([farewell, new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref())])
    }
    return { client, leave, hasSession: () => streamable.sessionId !== undefined }
  } catch (error) {
    signal.throwIfAborted()
    if (!isOlderServer(error)) throw toFailure(error)
    const older = { ...options, fetch: boundedFetch(fetch, maxBytes, onLost) }
    const client = await attempt(new library.SSEClientTransport(new URL(url), older)).catch((second) => {
      const { reason } = toFailure(second)
      throw toFailure(reason === 'unauthorized' ? second : error)
    })
    return { client, leave: async () => undefined, hasSession: () => true }
  }
}

/** True for the replies of servers from before streamable HTTP to a message that is posted to them. */
const isOlderServer = (error: unknown): boolean => {
  const { status } = Object((error as { data?: unknown }).data) as { status?: number }
  return status !== undefined && [400, 404, 405, 406, 415].includes(status)
}

/** Has a request fail whose reply ends without an answer, for which the library waits forever. */
function failUnanswered(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const exchange = exchanges.getStore()
    const onRequestStreamEnd = () =>
      exchange?.fail(
        new ConnectorFailure('unreachable', 'The server ended its reply before it had answered the request.'),
      )
    return send(message, { ...options, onRequestStreamEnd })
  }
}

/** Has a request fail whose reply is a batch of very many messages, each of which takes its time. */
function limitMessages(transport: StreamableHTTPClientTransport): void {
  const { onmessage } = transport
  let received = 0
  transport.onmessage = (message) => {
    if ('method' in message) {
      if (received === 0)
        setImmediate(() => {
          received = 0
        })
      received += 1
      if (received > MAX_MESSAGES)
        throw new ConnectorFailure('too_large', `The server sent more than ${MAX_MESSAGES} messages at once.`)
    }
    onmessage?.(message)
  }
}
