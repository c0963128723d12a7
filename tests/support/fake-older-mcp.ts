import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { fakeTool } from './fake-mcp.ts'

type Message = { id?: string | number; method?: string; params?: Record<string, unknown> }

/**
 * Starts a server over HTTP with server-sent events, as before streamable HTTP. A stream is a session: its address for
 * messages is known until the stream ends, and nothing but `initialize` is carried out before that.
 */
export async function startFakeOlderMcp() {
  const sessions = new Map<string, { stream: ServerResponse; isInitialized: boolean }>()
  let begun = 0
  const fake = {
    tools: [fakeTool('look', { annotations: { readOnlyHint: true } }), fakeTool('change')] as object[],
    /** The names of the tools that were called. */
    called: [] as string[],
    /** The number of streams that were opened. */
    begun: () => begun,
    /** Answers a call instead of the server; true if it did. */
    onCall: undefined as ((message: Message, reply: ServerResponse) => boolean) | undefined,
    /** Answers a message in a session that the server does not know. */
    onUnknownSession: (reply: ServerResponse) => void reply.writeHead(404).end('Could not find session'),
    /** Writes an answer as an event. */
    write: (answer: object) => `event: message\ndata: ${JSON.stringify(answer)}\n\n`,
    url: '',
    /** Ends all streams. */
    restart: () => {
      for (const { stream } of sessions.values()) stream.end()
      sessions.clear()
    },
    /** Forgets all sessions, whose streams stay open. */
    forget: () => sessions.clear(),
    close: () =>
      new Promise((resolve) => {
        http.close(resolve)
        http.closeAllConnections()
      }),
  }
  const answer = ({ method, params }: Message): object => {
    if (method === 'initialize')
      return {
        result: {
          protocolVersion: '2024-11-05',
          capabilities: { tools: {} },
          serverInfo: { name: 'older', version: '1' },
        },
      }
    if (method === 'tools/list') return { result: { tools: fake.tools } }
    if (method !== 'tools/call') return { error: { code: -32601, message: 'unknown method' } }
    fake.called.push(String(params?.name))
    return { result: { content: [{ type: 'text', text: `${params?.name} is done` }] } }
  }

  const http = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, fake.url)
    if (request.method === 'GET' && pathname === '/sse') {
      begun += 1
      const id = `session-${begun}`
      sessions.set(id, { stream: response, isInitialized: false })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write(`event: endpoint\ndata: /messages?session_id=${id}\n\n`)
    }
    if (request.method !== 'POST' || pathname !== '/messages') return void response.writeHead(405).end()
    const message = (await json(request)) as Message
    const session = sessions.get(searchParams.get('session_id')!)
    if (!session) return fake.onUnknownSession(response)
    if (message.method === 'initialize') session.isInitialized = true
    if (!session.isInitialized)
      return void response.writeHead(400).end('Received a request before initialize')
    if (message.method === 'tools/call' && fake.onCall?.(message, response)) return
    response.writeHead(202).end('Accepted')
    if (message.id === undefined) return
    session.stream.write(fake.write({ jsonrpc: '2.0', id: message.id, ...answer(message) }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  fake.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`
  return fake
}
