import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A request of the bot; `body` is its JSON. */
export interface QqRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: each call has another form
  body: any
}

/** An answer: JSON or bytes, or a socket that is cut. */
export interface QqReply {
  status: number
  body?: unknown
  bytes?: Uint8Array
  headers?: Record<string, string>
  cut?: boolean
}

/** A refusal in QQ's form. */
export const refuse = (status: number, code: number, message: string): QqReply => ({
  status,
  body: { code, err_code: code, message, trace_id: '4a8a61565b909f199b1ec169fdd6f49e' },
})

/** Starts an HTTP server on loopback; if `serve` returns nothing, the request stays unanswered. */
export async function startQqServer(
  serve: (request: QqRequest) => QqReply | undefined | Promise<QqReply | undefined>,
): Promise<{ server: Server; url: string; close(): Promise<void> }> {
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming
    const { pathname, searchParams } = new URL(url, 'http://fake')
    const body = Number(headers['content-length'] ?? 0) > 0 ? await json(incoming) : undefined
    const reply = await serve({ method, path: pathname, query: searchParams, headers, body })
    if (!reply) return
    if (reply.cut) return void response.destroy()
    const isJson = reply.body !== undefined
    response.writeHead(reply.status, {
      ...(isJson && { 'content-type': 'application/json' }),
      ...reply.headers,
    })
    response.end(isJson ? JSON.stringify(reply.body) : reply.bytes)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
