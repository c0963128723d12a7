import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** A call of the app. */
export interface FakeCall {
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: each call's body has another form
  body: any
}

/** Its answer; bytes go out as they are. */
export interface FakeAnswer {
  status?: number
  headers?: Record<string, string>
  body: object | Buffer
}

/** Answers calls of one method and path, e.g. `POST /media/upload`; what ends in `/*` answers all below. */
export type FakeRoutes = Record<string, (call: FakeCall) => FakeAnswer | Promise<FakeAnswer>>

/** The HTTP side of the fake. */
export interface FakeHttp {
  url: string
  /** The calls so far, as `METHOD /path`. */
  calls: string[]
  /** True to leave calls unanswered. */
  isMute: boolean
  close(): Promise<void>
}

/** Starts a server on loopback; `upgrade` gets what wants to be a WebSocket. */
export async function startFakeHttp(
  routes: FakeRoutes,
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<FakeHttp> {
  const server: Server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://fake')
    const called = `${request.method} ${pathname}`
    http.calls.push(called)
    const bytes = await buffer(request).catch(() => undefined)
    if (!bytes || http.isMute) return
    const handle = routes[called] ?? routes[called.replace(/[^/]*$/, '*')]
    const {
      status = 200,
      headers,
      body,
    } = (await handle?.({
      path: pathname,
      query: searchParams,
      headers: request.headers,
      bytes,
      body: parse(bytes),
    })) ?? { status: 404, body: { code: 'InvalidAction.NotFound', message: called } }
    const isRaw = Buffer.isBuffer(body)
    response.writeHead(status, { ...(!isRaw && { 'content-type': 'application/json' }), ...headers })
    response.end(isRaw ? body : JSON.stringify(body))
  })
  server.on('upgrade', upgrade)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const http: FakeHttp = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    isMute: false,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return http
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    // A form is no JSON, and is read by the route that expects it.
    return {}
  }
}
