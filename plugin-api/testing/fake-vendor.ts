import { createHash } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { readFields } from './form-fields.ts'

/** Why a vendor refuses; each wire has its own words for it. */
export type Refusal =
  | 'auth'
  | 'quota'
  | 'rate_limit'
  | 'outage'
  | 'model_not_found'
  | 'bad_request'
  | 'context_too_long'

/** One reply in terms that every vendor's wire can say; deltas go out in the order reasoning, text, tool calls. */
export interface VendorReply {
  reasoning?: string[]
  text?: string[]
  /** Made at once; their arguments are sent in several pieces where the wire can do so. */
  toolCalls?: { id: string; name: string; input: Record<string, unknown> }[]
  /** Totals; `cached` is a part of `input`, `reasoning` of `output`. */
  usage?: { input: number; cached: number; output: number; reasoning: number }
  /** True if it is cut at its limit of tokens. */
  finish?: 'length'
  /** Said instead of a reply, or where the reply breaks. */
  refusal?: Refusal
  /** Seconds, sent with a refusal. */
  retryAfter?: number
  /** The reply breaks after so many deltas: with the refusal, else by cutting the connection. */
  breakAfter?: number
  /** Awaited before the first delta. */
  hold?: Promise<unknown>
}

/** A call as it arrived. `body` is parsed JSON or the fields of a form, if the call has a body. */
export interface VendorRequest {
  method: string
  /** With its query. */
  path: string
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: each vendor's body has another form
  body: any
  /** Aborted when the client leaves before it has the whole reply. */
  gone: AbortSignal
}

/** A running fake of a vendor's service. */
export interface FakeVendor {
  /** The base URL for a provider. */
  url: string
  requests: VendorRequest[]
  queue(...replies: VendorReply[]): void
  /** Waits for request number `n`, counted from 0. */
  request(n: number): Promise<VendorRequest>
  close(): Promise<void>
}

/** A vector of unit length made from a hash of a text, so that the same text has the same vector. */
export function vectorOf(text: string): number[] {
  const bytes = createHash('sha256').update(text).digest()
  return [...bytes].map((byte) => byte / Math.hypot(...bytes))
}

const PLAIN_REPLY: VendorReply = {
  text: ['All', ' is', ' well.'],
  usage: { input: 5, cached: 0, output: 3, reasoning: 0 },
}

/** Starts an HTTP server on loopback whose requests are answered by `serve`; `basePath` ends the base URL. */
export async function startFakeVendor({
  basePath = '',
  serve,
}: {
  basePath?: string
  serve(exchange: Exchange): Promise<void> | void
}): Promise<FakeVendor> {
  const requests: VendorRequest[] = []
  const arrivals = new EventEmitter()
  const queued: VendorReply[] = []

  const server = createServer(async (incoming, response) => {
    const leaving = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) leaving.abort()
    })
    try {
      const bytes = await buffer(incoming)
      const { method = '', url = '', headers } = incoming
      const body = await readFields(bytes, headers)
      const request = { method, path: url, headers, body, gone: leaving.signal }
      requests.push(request)
      arrivals.emit(String(requests.length - 1), request)
      await serve(createExchange(request, response, () => queued.shift() ?? PLAIN_REPLY))
    } catch (error) {
      if (leaving.signal.aborted) return
      response.destroy(error as Error)
      throw error
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${basePath}`,
    requests,
    queue: (...replies) => void queued.push(...replies),
    request: async (n) => requests[n] ?? ((await once(arrivals, String(n)))[0] as VendorRequest),
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** A request and the means to answer it. */
export type Exchange = ReturnType<typeof createExchange>

function createExchange(request: VendorRequest, response: ServerResponse, takeReply: () => VendorReply) {
  const { gone: aborted } = request
  return {
    request,
    /** The reply that is due: the next in the queue, or a plain one. */
    takeReply,
    sendJson(status: number, body: unknown, headers?: Record<string, string>) {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(body))
    },
    /** Sends a whole reply of any type. */
    send(status: number, type: string, body: string | Uint8Array) {
      response.writeHead(status, { 'content-type': type })
      response.end(body)
    },
    /** Begins a reply that streams. */
    open(contentType: string, headers?: Record<string, string>) {
      response.writeHead(200, { 'content-type': contentType, ...headers })
      response.flushHeaders()
    },
    /** Writes a piece of it; throws when the client has left. */
    async write(piece: string | Uint8Array) {
      aborted.throwIfAborted()
      if (!response.write(piece)) await once(response, 'drain', { signal: aborted })
      // Client and fake share a process: it is the client's turn.
      await setImmediate()
    },
    /** Waits for `hold`; throws when the client leaves meanwhile. */
    async wait(hold: Promise<unknown> | undefined) {
      if (!hold) return
      await Promise.race([hold, once(aborted, 'abort')])
      aborted.throwIfAborted()
    },
    end: () => void response.end(),
    /** Cuts the connection. */
    hangUp: () => void response.socket?.destroySoon(),
  }
}
