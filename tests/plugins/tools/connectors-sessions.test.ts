import type { ServerResponse } from 'node:http'
import t from '../../run/file-test.ts'
import { spread } from '../../run/tier.ts'
import { startChat } from '../../support/chat.ts'
import { fakeTool, startFakeMcp } from '../../support/fake-mcp.ts'

const mcp = await startFakeMcp()
t.teardown(() => mcp.close())
mcp.tools = [
  fakeTool('look', { annotations: { readOnlyHint: true } }),
  fakeTool('change', { annotations: { destructiveHint: false } }),
  fakeTool('set', { annotations: { idempotentHint: true } }),
]
const { server, fake, agent_id, connect } = await startChat(t, {
  config: { plugins: { connectors: { allow_hosts: ['127.0.0.1'], call_seconds: 3, connect_seconds: 6 } } },
})
const socket = await connect()
const { body: connector } = await server.request('POST', '/connectors', {
  body: { name: 'desk', kind: 'mcp', config: { url: mcp.url } },
})
await server.request('PUT', `/agents/${agent_id}/connectors`, {
  body: {
    connectors: [
      {
        id: connector.id,
        tools: Object.fromEntries(
          ['look', 'change', 'set'].map((name) => [name, { approval: 'allow', enabled: true }]),
        ),
      },
    ],
  },
})
fake.script(({ body }) => {
  const { role, content } = body.messages.at(-1)!
  return role === 'user' ? { toolCalls: JSON.parse(String(content)) } : { text: 'ok' }
})
/** Lets the model call tools at once, and returns the results. */
const callAll = async (...names: string[]) => {
  const calls = names.map((name) => ({ name: `desk__${name}`, arguments: {} }))
  const { frames, end } = await socket.ask({ text: JSON.stringify(calls) })
  t.equal(end.type, 'done')
  return frames.filter(({ type }) => type === 'tool_result')
}
const callOnce = async (name: string) => (await callAll(name))[0]
const sessions = () => mcp.of('initialize').length
const calls = () => mcp.of('tools/call').length
const done = (name: string) => ({ is_error: false, output: `${name} is done` })

type Message = { id?: unknown; method?: string }
const JSON_TYPE = { 'content-type': 'application/json' }
const rpc = (code: number, message: string, id: unknown = null) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })

/** Replies of servers that do not know a session, with words that say so or a status that does. */
const lostReplies: Record<string, (reply: ServerResponse, message: Message) => unknown> = {
  '404': (reply) => reply.writeHead(404).end(),
  '404 with an error': (reply, { id }) =>
    reply.writeHead(404, JSON_TYPE).end(rpc(-32001, 'Session not found', id)),
  '400 with words': (reply) => reply.writeHead(400).end('No valid session ID'),
  '400 of the official library': (reply) =>
    reply.writeHead(400, JSON_TYPE).end(rpc(-32000, 'Bad Request: No valid session ID provided')),
  '400 without a session': (reply) =>
    reply.writeHead(400, JSON_TYPE).end(rpc(-32000, 'Bad Request: Mcp-Session-Id header is required')),
  '400 before the greeting': (reply) =>
    reply.writeHead(400, JSON_TYPE).end(rpc(-32000, 'Bad Request: Server not initialized')),
  '400 of the library for Python': (reply) =>
    reply
      .writeHead(400, JSON_TYPE)
      .end(rpc(-32600, 'Bad Request: No valid session ID provided', 'server-error')),
  '400 in an object': (reply) => reply.writeHead(400, JSON_TYPE).end('{"error":"unknown session"}'),
  '400 in other words': (reply) => reply.writeHead(400).end('who are you'),
  '400 in Chinese': (reply) => reply.writeHead(400, JSON_TYPE).end('{"message":"会话已失效"}'),
  '400 without words': (reply) => reply.writeHead(400).end(),
  '401 of the library for Rust': (reply) => reply.writeHead(401).end('Unauthorized: Session not found'),
  '409': (reply) => reply.writeHead(409).end('The session has expired.'),
  '410': (reply) => reply.writeHead(410).end(),
  '422': (reply) => reply.writeHead(422).end('unexpected message, expected initialize request'),
  '500 with words': (reply) => reply.writeHead(500).end('Session does not exist'),
  '503 with words': (reply) => reply.writeHead(503).end('invalid session id'),
  'an error -32000': (reply, { id }) =>
    reply.writeHead(200, JSON_TYPE).end(rpc(-32000, 'Session not found', id)),
  'an error -32001': (reply, { id }) =>
    reply.writeHead(200, JSON_TYPE).end(rpc(-32001, 'Unknown session', id)),
  'an error -32600': (reply, { id }) =>
    reply.writeHead(200, JSON_TYPE).end(rpc(-32600, 'Session expired, please reconnect', id)),
  'an error without an id': (reply) =>
    reply.writeHead(200, JSON_TYPE).end(rpc(-32600, 'Received request before initialization was complete')),
  'an error as an event': (reply, { id }) =>
    reply
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${rpc(-32000, 'Invalid session ID', id)}\n\n`),
}

t.test('A lost session is replaced, and the call repeated', async (t) => {
  for (const [name, reply] of spread(Object.entries(lostReplies), 8)) {
    t.match(await callOnce('change'), done('change'))
    mcp.restart()
    mcp.onUnknownSession = (message, response) => void reply(response, message)
    const initial = { sessions: sessions(), calls: calls() }
    t.match(await callOnce('change'), done('change'), name)
    t.equal(sessions(), initial.sessions + 1, name)
    t.equal(calls(), initial.calls + 1, `${name}: it was carried out once`)
  }
})

t.test('Calls at the same time share the new session', async (t) => {
  t.match(await callOnce('look'), done('look'))
  mcp.restart()
  mcp.onUnknownSession = (_, reply) => void reply.writeHead(404).end()
  const initialSessions = sessions()
  const results = await callAll('look', 'change', 'set', 'look')
  t.equal(results.filter(({ is_error }) => !is_error).length, 4)
  t.equal(sessions(), initialSessions + 1)
})

/** Failures after which nobody knows whether the call was carried out. */
const unclearFailures: Record<string, (reply: ServerResponse) => unknown> = {
  '500': (reply) => reply.writeHead(500).end(),
  '502': (reply) => reply.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
  '503': (reply) => reply.writeHead(503).end('starting'),
  '504': (reply) => reply.writeHead(504).end(),
  'a closed connection': (reply) => reply.destroy(),
  'a connection that is reset': (reply) => reply.socket!.resetAndDestroy(),
  'half an answer': (reply) => {
    reply.writeHead(200, { ...JSON_TYPE, 'content-length': '500' })
    return reply.write('{"jsonrpc":', () => reply.destroy())
  },
  'an empty stream': (reply) => reply.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
}

t.test('A call whose fate is unknown is repeated only if that is safe', async (t) => {
  for (const [name, reply] of spread(Object.entries(unclearFailures), 4)) {
    t.match(await callOnce('look'), done('look'))
    for (const [tool, isSafe] of [
      ['look', true],
      ['set', true],
      ['change', false],
    ] as const) {
      let asked = 0
      mcp.onRequest = (_, { method }, response) => {
        if (method !== 'tools/call' || asked > 0) return false
        asked += 1
        reply(response)
        return true
      }
      const expected = isSafe ? done(tool) : { is_error: true, output: /failed \(unreachable\): The / }
      t.match(await callOnce(tool), expected, `${name}: ${tool}`)
      t.equal(asked, 1)
      mcp.onRequest = undefined
      t.match(await callOnce(tool), done(tool), `${name}: the next call works`)
    }
  }
})

/** Refusals of one request, and the words that the model reads. */
const refusals: Record<string, [(reply: ServerResponse, message: Message) => unknown, RegExp]> = {
  ...Object.fromEntries(
    [-32602, -32603, -32600, -32601, -32002, -32000, -32042, 1001].map((code) => [
      `the code ${code}`,
      [
        (reply: ServerResponse, { id }: Message) =>
          reply.writeHead(200, JSON_TYPE).end(rpc(code, 'no city of that name', id)),
        /: no city of that name$/,
      ],
    ]),
  ),
  ...Object.fromEntries(
    [400, 404, 422, 500].map((status) => [
      `an error with the status ${status}`,
      [
        (reply: ServerResponse, { id }: Message) =>
          reply.writeHead(status, JSON_TYPE).end(rpc(-32603, 'no city of that name', id)),
        /: no city of that name$/,
      ],
    ]),
  ),
  'words with 400': [(reply) => reply.writeHead(400).end('no such city'), /status 400: no such city$/],
  'an error of another request with 400': [
    (reply) => reply.writeHead(400, JSON_TYPE).end(rpc(-32602, 'no such city')),
    /status 400: no such city$/,
  ],
  'words with 422': [(reply) => reply.writeHead(422).end('{"detail":"no such city"}'), /422: no such city$/],
  'a reply that is not JSON': [
    (reply) => reply.writeHead(200, JSON_TYPE).end('{"jsonrpc": nothing}'),
    /failed \(protocol\): The server answered with something that is not JSON\.$/,
  ],
  'an event that is not JSON': [
    (reply) => reply.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {oops\n\n'),
    /failed \(protocol\): The server answered with something that is not JSON\.$/,
  ],
  'an event of very many lines': [
    (reply) =>
      reply
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`${'data: oops\n'.repeat(100_000)}\n`),
    /failed \(protocol\): The server answered with something that is not JSON\.$/,
  ],
  'a page': [
    (reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>'),
    /failed \(protocol\): The server does not answer as a server of the/,
  ],
  'an answer without a result': [
    (reply) => reply.writeHead(200, JSON_TYPE).end('{}'),
    /failed \(protocol\): The answer of the server does not have the form/,
  ],
  'no content': [(reply) => reply.writeHead(204).end(), /failed \(protocol\).* status 204 is empty\.$/],
  'words of 10,000 characters': [
    (reply, { id }) => reply.writeHead(200, JSON_TYPE).end(rpc(-32603, 'x'.repeat(10_000), id)),
    /: x{500}…$/,
  ],
  ...Object.fromEntries(
    [-32000, -32001, -32600].map((code) => [
      `words about a session of the tool with the code ${code}`,
      [
        (reply: ServerResponse, { id }: Message) =>
          reply.writeHead(200, JSON_TYPE).end(rpc(code, 'The checkout session has expired', id)),
        /failed \(protocol\): The checkout session has expired$/,
      ],
    ]),
  ),
  'words about a session of the tool': [
    (reply, { id }) => reply.writeHead(200, JSON_TYPE).end(rpc(-32602, 'The browser session is closed', id)),
    /: The browser session is closed$/,
  ],
}

t.test('A refused call keeps the session, puts no server to rest, and says why', async (t) => {
  await callOnce('look')
  const initialSessions = sessions()
  for (const [name, [reply, output]] of spread(Object.entries(refusals), 8)) {
    mcp.onRequest = (_, message, response) => {
      if (message.method !== 'tools/call') return false
      reply(response, message)
      return true
    }
    for (let tries = 0; tries < 4; tries += 1)
      t.match(await callOnce('change'), { is_error: true, output }, name)
    mcp.onRequest = undefined
    t.match(await callOnce('change'), done('change'), name)
    t.equal(sessions(), initialSessions, name)
  }
})

t.test('A server that limits requests is asked again when it says', async (t) => {
  await callOnce('look')
  const initialSessions = sessions()
  const limit = (replies: (Record<string, string> | undefined)[], status = 429) => {
    let asked = 0
    mcp.onRequest = (_, { method }, reply) => {
      if (method !== 'tools/call') return false
      const headers = replies[Math.min(asked, replies.length - 1)]
      asked += 1
      return headers !== undefined && Boolean(reply.writeHead(status, headers).end())
    }
  }
  const inOneSecond = () => new Date(Date.now() + 1000).toUTCString()
  for (const replies of [
    [{ 'retry-after': '1' }, undefined],
    [{ 'retry-after': '0' }, { 'retry-after': '0.5' }, undefined],
    [{ 'retry-after': inOneSecond() }, undefined],
    [{ 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ]) {
    limit(replies)
    t.match(await callOnce('change'), done('change'), JSON.stringify(replies))
  }
  limit([{ 'retry-after': '1' }, undefined], 503)
  t.match(await callOnce('change'), done('change'), 'a server that restarts')
  for (const [replies, output] of [
    [[{ 'retry-after': '120' }], /asked\. It can be asked again in 120 seconds\.$/],
    [[{}], /The server limits how often it is asked\. Try again later\.$/],
    [[{ 'retry-after': '0' }], /The server limits how often it is asked/],
  ] as const) {
    limit([...replies])
    for (let tries = 0; tries < 4; tries += 1)
      t.match(await callOnce('change'), { is_error: true, output }, JSON.stringify(replies))
  }
  mcp.onRequest = undefined
  t.match(await callOnce('change'), done('change'))
  t.equal(sessions(), initialSessions)
})

t.test('A server that is down is not asked for a while, and then works at once', async (t) => {
  t.match(await callOnce('look'), done('look'))
  mcp.onRequest = (_, __, reply) => Boolean(reply.destroy())
  for (let tries = 0; tries < 3; tries += 1)
    t.match(await callOnce('change'), { is_error: true, output: /failed \(unreachable\)/ })
  t.match(await callOnce('change'), { output: /failed \(unavailable\): The server failed 3 times in a row/ })
  mcp.onRequest = undefined
  await server.request('POST', `/connectors/${connector.id}/test`)
  t.match(await callOnce('change'), done('change'))
})
