import { setTimeout as pause } from 'node:timers/promises'
import type {
  AuthProvider,
  Client,
  StreamableHTTPClientTransport,
  Transport,
} from '@modelcontextprotocol/client'
import { type ConnectorTarget, readRetryAfter } from '#plugin-api'
import { boundedFetch } from './bounded-fetch.ts'
import { exchanges } from './exchange.ts'
import { ConnectorFailure } from './failure.ts'
import { createMessageReader, type MessageReader } from './readable-messages.ts'
import { noteMessages, readableFetch } from './readable-replies.ts'

type Library = typeof import('@modelcontextprotocol/client')
type HttpTarget = Extract<ConnectorTarget, { transport: 'http' }>

/** The time for a farewell to a server, in milliseconds. */
const FAREWELL_MS = 2000
/** The most requests and notifications of a server that are received without a pause. */
const MAX_MESSAGES = 1000

const UNANSWERED = 'The server ended its reply before it had answered the request.'

/** The dependencies of a connection over HTTP. */
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
}

/** Connects a client over streamable HTTP. */
export async function connectStreamable(
  client: Client,
  { url, headers = {} }: HttpTarget,
  { library, fetch, auth: authProvider, maxBytes }: HttpParts,
  reader: MessageReader,
  signal: AbortSignal,
): Promise<HttpConnection> {
  const fetchAnswer: typeof globalThis.fetch = (input, init) => {
    const exchange = exchanges.getStore()
    return boundedFetch(fetch, maxBytes, (failure) => exchange?.fail(failure))(input, init)
  }
  const transport = new library.StreamableHTTPClientTransport(new URL(url), {
    authProvider,
    requestInit: { headers },
    fetch: readableFetch(patientFetch(fetchAnswer), reader, {
      hasSession: (sent) => sent.has('mcp-session-id'),
    }),
  })
  failUnanswered(transport, reader)
  noteMessages(transport, reader)
  await connect(client, transport, signal)
  limitMessages(transport)
  return {
    client,
    async leave() {
      const farewell = transport.terminateSession().catch(() => undefined)
      await Promise.race([farewell, new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref())])
    },
  }
}

/** Connects a client over HTTP with server-sent events, as it was before streamable HTTP. */
export async function connectOlder(
  client: Client,
  { url, headers = {} }: HttpTarget,
  { library, fetch, auth: authProvider, maxBytes, onLost }: HttpParts,
  signal: AbortSignal,
): Promise<HttpConnection> {
  const reader = createMessageReader()
  const transport = new library.SSEClientTransport(new URL(url), {
    authProvider,
    requestInit: { headers },
    fetch: readableFetch(patientFetch(boundedFetch(fetch, maxBytes, onLost)), reader, {
      hasSession: () => true,
      isAnsweredElsewhere: true,
    }),
  })
  noteMessages(transport, reader)
  await connect(client, transport, signal)
  const { onerror } = transport
  transport.onerror = (error) => {
    // The library would open another stream before the session exists.
    if (error instanceof library.SseError)
      onLost(new ConnectorFailure('unreachable', 'The server ended the stream of its answers.'))
    onerror?.(error)
  }
  return { client, leave: async () => undefined }
}

async function connect(client: Client, transport: Transport, signal: AbortSignal): Promise<void> {
  signal.addEventListener('abort', () => void transport.close().catch(() => undefined), { once: true })
  try {
    await client.connect(transport, { signal })
  } catch (error) {
    await client.close().catch(() => undefined)
    throw error
  }
}

/** Fails a request whose reply ends without an answer, for which the library would wait forever. */
function failUnanswered(transport: StreamableHTTPClientTransport, reader: MessageReader): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const exchange = exchanges.getStore()
    const onRequestStreamEnd = () => {
      if ([message].flat().some(reader.isUnanswered))
        exchange?.fail(new ConnectorFailure('unreachable', UNANSWERED))
    }
    return send(message, { ...options, onRequestStreamEnd })
  }
}

/** Fails a request whose reply is a batch of too many messages, each of which takes time. */
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

/** The pause before a request is repeated if the server does not say how long to wait, in milliseconds. */
const SHORT_PAUSE_MS = 1000
/** The most repetitions of a request that the server limits. */
const MAX_TRIES = 5

/**
 * Returns a `fetch` that waits as long as a server says that limits how often it is asked, or is unavailable for a
 * moment, within the time of the request.
 */
const patientFetch =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const exchange = exchanges.getStore()
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(input, init)
      const { status } = response
      const askedMs = readRetryAfter(response.headers)
      const isUnavailable = status === 503 && askedMs !== undefined
      if ((status !== 429 && !isUnavailable) || init?.method !== 'POST') return response
      const wait = askedMs ?? SHORT_PAUSE_MS
      const isOver = tries > (askedMs === undefined ? 1 : MAX_TRIES)
      const canWait = !isOver && exchange !== undefined && wait < exchange.millisecondsLeft()
      if (!canWait && isUnavailable) return response
      await response.body?.cancel()
      if (!canWait) throw toRateLimited(askedMs)
      await pause(wait, undefined, { signal: exchange.signal })
    }
  }

const toRateLimited = (milliseconds: number | undefined) =>
  new ConnectorFailure(
    'unavailable',
    milliseconds === undefined
      ? 'The server limits how often it is asked. Try again later.'
      : `The server limits how often it is asked. It can be asked again in ${Math.ceil(milliseconds / 1000)} seconds.`,
  )
