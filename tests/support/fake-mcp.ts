import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

type Message = {
  id?: string | number
  method?: string
  params?: Record<string, unknown>
  result?: unknown
}

/** A request to a fake server of the Model Context Protocol. */
export interface McpCall {
  message: Message
  headers: IncomingHttpHeaders
  /** Sends something before the result. */
  send(message: object): void
  /** Asks the client something and waits for its answer. */
  ask(method: string, params: object): Promise<Message>
}

type OnRequest = (
  headers: IncomingHttpHeaders,
  message: Message,
  reply: ServerResponse,
  path: string,
) => boolean | Promise<boolean>

/** A tool as the server lists it. */
export const fakeTool = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  ...more,
})

/** Writes a reply. */
type Answer = (message: Message, reply: ServerResponse) => void

/**
 * Starts a server over streamable HTTP that behaves, and misbehaves, as a test says. Without that it is strict: it knows
 * only the sessions that it has begun, and requires the headers and the order of the protocol.
 */
export async function startFakeMcp() {
  const calls: McpCall[] = []
  const answers = new Map<unknown, (message: Message) => void>()
  const streams = new Set<ServerResponse>()
  let asked = 0
  let begun = 0
  const fake = {
    calls,
    tools: [fakeTool('look', { annotations: { readOnlyHint: true } }), fakeTool('change')] as object[],
    /** The number of tools on a page of the list. */
    page: 100,
    /** Answers a call of a tool. */
    onCall: async (call: McpCall): Promise<unknown> => ({
      content: [{ type: 'text', text: `${call.message.params?.name} is done` }],
    }),
    /** Writes a reply of its own; true if it did. */
    onRequest: undefined as OnRequest | undefined,
    /** Answers the question for the versions that the server knows. */
    onDiscover: undefined as Answer | undefined,
    /** Changes the result of `initialize`. */
    onInitialize: (result: object): unknown => result,
    /** Answers a request in a session that the server does not know. */
    onUnknownSession: ((_, reply) => void reply.writeHead(404).end()) as Answer,
    /** The sessions that the server knows. */
    sessions: new Set<string>(),
    /** Forgets all sessions, and ends all open streams. */
    restart: () => {
      fake.sessions.clear()
      for (const stream of streams) stream.end()
    },
    url: '',
    /** The calls of one method. */
    of: (method: string) => calls.filter(({ message }) => message.method === method),
    /** Tells every client that listens. */
    notify: (method: string) => {
      for (const stream of streams) stream.write(event({ jsonrpc: '2.0', method }))
    },
    listeners: () => streams.size,
    close: () =>
      new Promise((resolve) => {
        http.close(resolve)
        http.closeAllConnections()
      }),
  }
  const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`

  async function answer({ message, ...call }: McpCall): Promise<object> {
    const { id, method, params = {} } = message
    const reply = (result: unknown) => ({ jsonrpc: '2.0', id, result })
    if (method === 'initialize')
      return reply(
        fake.onInitialize({
          protocolVersion: '2025-06-18',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'fake', version: '1' },
        }),
      )
    if (method === 'tools/list') {
      const start = Number(params.cursor ?? 0)
      const end = start + fake.page
      const next = end < fake.tools.length ? { nextCursor: String(end) } : {}
      return reply({ tools: fake.tools.slice(start, end), ...next })
    }
    if (method === 'tools/call') return reply(await fake.onCall({ message, ...call }))
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown method' } }
  }

  /** Returns why a request is not one of the protocol. */
  const findFault = ({ method, headers, url }: IncomingMessage): string | undefined => {
    if (url !== '/mcp' || method === 'DELETE') return undefined
    const accepted = headers.accept ?? ''
    if (!accepted.includes('text/event-stream')) return 'it does not accept text/event-stream'
    if (method === 'GET') return undefined
    if (!accepted.includes('application/json')) return 'it does not accept application/json'
    return headers['content-type'] === 'application/json' ? undefined : 'its type is not application/json'
  }
  /** True if a request belongs to no session that the server knows. */
  const isStray = ({ headers }: IncomingMessage) => {
    const session = headers['mcp-session-id']
    return typeof session === 'string' && !fake.sessions.has(session)
  }

  const http = createServer(async (request, response) => {
    const fault = findFault(request)
    if (fault) return void response.writeHead(406).end(fault)
    if (request.method === 'GET') {
      if (await fake.onRequest?.(request.headers, {}, response, request.url!)) return
      if (isStray(request)) return fake.onUnknownSession({}, response)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      streams.add(response)
      response.on('close', () => streams.delete(response))
      return
    }
    if (request.method === 'DELETE') {
      fake.sessions.delete(String(request.headers['mcp-session-id']))
      return void response.writeHead(200).end()
    }
    const message = (await json(request)) as Message
    if (await fake.onRequest?.(request.headers, message, response, request.url!)) return
    if (message.method === 'server/discover' && fake.onDiscover) {
      calls.push({ message, headers: request.headers, send: () => undefined, ask: async () => message })
      return fake.onDiscover(message, response)
    }
    if (message.method === 'initialize' && request.headers['mcp-session-id'] !== undefined)
      return void response.writeHead(400).end('A session begins without the header Mcp-Session-Id.')
    if (isStray(request)) return fake.onUnknownSession(message, response)
    if (message.method === undefined) {
      answers.get(message.id)?.(message)
      return void response.writeHead(202).end()
    }
    const write = (sent: object) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(event(sent))
    }
    const call: McpCall = {
      message,
      headers: request.headers,
      send: (sent) => write({ jsonrpc: '2.0', ...sent }),
      ask(method, params) {
        asked += 1
        const id = `ask-${asked}`
        const answered = new Promise<Message>((resolve) => answers.set(id, resolve))
        write({ jsonrpc: '2.0', id, method, params })
        return answered
      },
    }
    calls.push(call)
    if (message.id === undefined) return void response.writeHead(202).end()
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (message.method === 'initialize') {
      begun += 1
      const session = `session-${begun}`
      fake.sessions.add(session)
      headers['mcp-session-id'] = session
    }
    const result = await answer(call)
    if (response.headersSent) return void response.end(event(result))
    response.writeHead(200, headers).end(JSON.stringify(result))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  fake.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  return fake
}
