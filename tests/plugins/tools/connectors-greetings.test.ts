import type { ServerResponse } from 'node:http'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { spread } from '../../run/tier.ts'
import { startChat } from '../../support/chat.ts'
import { startFakeMcp } from '../../support/fake-mcp.ts'

/** A third of it is for the first question to a server. */
const CONNECT_SECONDS = 6

const mcp = await startFakeMcp()
t.teardown(() => mcp.close())
const { server, fake, agent_id, connect } = await startChat(t, {
  config: {
    plugins: { connectors: { allow_hosts: ['127.0.0.1'], connect_seconds: CONNECT_SECONDS } },
  },
})
const request = async (method: string, path: string, body?: unknown) =>
  (await server.request(method, path, { body })).body
const probe = () => request('POST', '/connectors/probe', { kind: 'mcp', config: { url: mcp.url } })

type Message = { id?: unknown }
type Reply = (reply: ServerResponse, message: Message) => void

const json =
  (status: number, value: (id: unknown) => unknown, type = 'application/json'): Reply =>
  (reply, { id }) =>
    void reply.writeHead(status, { 'content-type': type }).end(JSON.stringify(value(id)))
const text =
  (status: number, body: string, headers: Record<string, string> = {}): Reply =>
  (reply) =>
    void reply.writeHead(status, headers).end(body)
const refusal = (id: unknown, code: unknown = -32600) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: 'unknown method' },
})
const EVENTS = { 'content-type': 'text/event-stream' }
const HTML = { 'content-type': 'text/html' }

/** Replies of servers of earlier versions to the question for their versions, which they do not know. */
const firstReplies: Record<string, Reply> = {
  'an error without an id': json(200, () => refusal(null)),
  '401 without a challenge': json(401, () => ({ error: 'unauthorized' })),
  '401 because of a session': text(401, 'Unauthorized: Session not found'),
  'an error without an id, with 400': json(400, () => refusal(null)),
  'an error without an id, with 500': json(500, () => refusal(null)),
  'an error with the id "server-error"': json(400, () => refusal('server-error')),
  'an error whose id is a text': json(200, (id) => refusal(String(id))),
  'an error of another request': json(200, () => refusal(4711)),
  'an error whose code is a text': json(200, (id) => refusal(id, '-32601')),
  'an error that is a text': json(200, (id) => ({ jsonrpc: '2.0', id, error: 'unknown method' })),
  'an error beside a result': json(200, (id) => ({ ...refusal(id), result: null })),
  'an error without a version': json(200, (id) => ({ id, error: { code: -32601, message: 'unknown' } })),
  'a batch': json(200, (id) => [refusal(id)]),
  'a batch without ids': json(200, () => [refusal(null)]),
  'an empty batch': json(200, () => []),
  'an empty result': json(200, (id) => ({ jsonrpc: '2.0', id, result: {} })),
  'a result that is null': json(200, (id) => ({ jsonrpc: '2.0', id, result: null })),
  'a result that is a text': json(200, (id) => ({ jsonrpc: '2.0', id, result: 'ok' })),
  'an object': json(200, () => ({})),
  null: json(200, () => null),
  'a text': json(200, () => 'ok'),
  'half an answer': text(200, '{"jsonrpc":"2.0","id":', { 'content-type': 'application/json' }),
  'no body': text(200, ''),
  'no body, as JSON': text(200, '', { 'content-type': 'application/json' }),
  'no body, as events': text(200, '', EVENTS),
  'a page': text(200, '<html>hello</html>', HTML),
  'a page that is not found': text(404, '<html>not found</html>', HTML),
  words: text(200, 'This is a server of the Model Context Protocol.', { 'content-type': 'text/plain' }),
  'an event without an id': text(200, `data: ${JSON.stringify(refusal(null))}\n\n`, EVENTS),
  'an event that is not JSON': text(200, 'data: oops\n\n', EVENTS),
  'a stream that says nothing': (reply) => reply.writeHead(200, EVENTS).flushHeaders(),
  silence: () => undefined,
  'a closed connection': (reply) => void reply.destroy(),
  'a connection that is closed within the answer': (reply) => {
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    reply.write('{"jsonrpc"', () => reply.destroy())
  },
  'a session is missing': json(400, () => ({ error: 'Bad Request: No valid session ID provided' })),
  ...Object.fromEntries(
    [-32601, -32600, -32602, -32603, -32000, -32001, -32020].map((code) => [
      `the code ${code}`,
      json(200, (id) => refusal(id, code)),
    ]),
  ),
  ...Object.fromEntries(
    [202, 204, 400, 403, 404, 405, 406, 409, 415, 418, 422, 500, 501, 502, 503].map((status) => [
      `the status ${status}`,
      text(status, ''),
    ]),
  ),
}

t.test('A server of an earlier version is greeted so, whatever it first answered', async (t) => {
  for (const [name, write] of spread(Object.entries(firstReplies), 8)) {
    mcp.onDiscover = (message, reply) => write(reply, message)
    t.match(await probe(), { ok: true, tools: { length: 2 } }, name)
  }
  mcp.onDiscover = undefined
})

/** Results of `initialize` that can be understood. */
const results: Record<string, (result: Record<string, unknown>) => unknown> = {
  'an older version': (result) => ({ ...result, protocolVersion: '2024-11-05' }),
  'a version that does not exist': (result) => ({ ...result, protocolVersion: '2025-09-01' }),
  'a later version': (result) => ({ ...result, protocolVersion: '2027-01-01' }),
  'a version before the first one': (result) => ({ ...result, protocolVersion: '2024-01-01' }),
  'a version that is no date': (result) => ({ ...result, protocolVersion: '1.0' }),
  'a version that is a number': (result) => ({ ...result, protocolVersion: 1 }),
  'no version': ({ protocolVersion, ...result }) => result,
  'no capabilities': ({ capabilities, ...result }) => result,
  'capabilities that are null': (result) => ({ ...result, capabilities: null }),
  'capabilities as PHP writes them': (result) => ({ ...result, capabilities: { tools: [], logging: [] } }),
  'capabilities with null': (result) => ({
    ...result,
    capabilities: { tools: { listChanged: null }, prompts: null, resources: null },
  }),
  'a capability that is true': (result) => ({ ...result, capabilities: { tools: true } }),
  'no description of the server': ({ serverInfo, ...result }) => result,
  'a description that is null': (result) => ({ ...result, serverInfo: null }),
  'a description with null': (result) => ({
    ...result,
    serverInfo: { name: 'fake', version: null, title: null, icons: null, websiteUrl: null },
  }),
  'a version of the server that is a number': (result) => ({
    ...result,
    serverInfo: { name: 'fake', version: 1 },
  }),
  'a version of the server that is an odd object': (result) => ({
    ...result,
    serverInfo: { name: { toString: 1 }, version: [] },
  }),
  'instructions that are null': (result) => ({ ...result, instructions: null }),
  'notes that are null': (result) => ({ ...result, _meta: null }),
}

t.test('The result of a greeting need not be to the letter', async (t) => {
  for (const [name, change] of spread(Object.entries(results), 6)) {
    mcp.onInitialize = (result) => change({ ...result })
    t.match(await probe(), { ok: true, tools: { length: 2 } }, name)
  }
  mcp.onInitialize = (result) => result
})

const BYTE_ORDER_MARK = '\uFEFF'
/** Ways to send an answer, by their names: the headers and the body. */
const carriers: Record<string, (answer: string) => [Record<string, string>, string]> = {
  'no type': (answer) => [{}, answer],
  'plain text': (answer) => [{ 'content-type': 'text/plain; charset=utf-8' }, answer],
  'the type of a page': (answer) => [HTML, answer],
  bytes: (answer) => [{ 'content-type': 'application/octet-stream' }, answer],
  'another type of JSON': (answer) => [{ 'content-type': 'application/json-rpc' }, answer],
  'capital letters': (answer) => [{ 'content-type': 'Application/JSON; Charset=UTF-8' }, answer],
  'space before': (answer) => [{ 'content-type': 'application/json' }, `\r\n  ${answer}\n`],
  'a byte order mark': (answer) => [{ 'content-type': 'application/json' }, BYTE_ORDER_MARK + answer],
  'events of no type': (answer) => [{}, `event: message\ndata: ${answer}\n\n`],
  'events as plain text': (answer) => [{ 'content-type': 'text/plain' }, `data: ${answer}\n\n`],
  'events as JSON': (answer) => [{ 'content-type': 'application/json' }, `: hi\ndata: ${answer}\n\n`],
  'JSON as events': (answer) => [EVENTS, answer],
  'a byte order mark before events': (answer) => [EVENTS, `${BYTE_ORDER_MARK}data: ${answer}\n\n`],
  'carriage returns': (answer) => [EVENTS, `event: message\rdata: ${answer}\r\r`],
  'both line ends': (answer) => [EVENTS, `event: message\r\ndata: ${answer}\r\n\r\n`],
  comments: (answer) => [EVENTS, `: ping\n\n:\n\nretry: 50\n\ndata: ${answer}\n\n: bye\n\n`],
  'an empty event first': (answer) => [EVENTS, `id: 1\ndata:\n\nid: 2\ndata: ${answer}\n\n`],
  'an event without data first': (answer) => [EVENTS, `id: 1\nretry: 50\n\ndata: ${answer}\n\n`],
  'no space after the colon': (answer) => [EVENTS, `event:message\ndata:${answer}\n\n`],
  'no end': (answer) => [EVENTS, `data: ${answer}`],
  'one line end': (answer) => [EVENTS, `data: ${answer}\n`],
  'another name of the event': (answer) => [EVENTS, `event: response\ndata: ${answer}\n\n`],
  'data in lines': (answer) => [
    EVENTS,
    JSON.stringify(JSON.parse(answer), null, 1).replace(/^/gm, 'data: ').concat('\n\n'),
  ],
  'very many lines of data': (answer) => [EVENTS, `${'data:\n'.repeat(200_000)}data: ${answer}\n\n`],
  'words before': (answer) => [EVENTS, `data: connected\n\ndata: ${answer}\n\n`],
  'a batch': (answer) => [{ 'content-type': 'application/json' }, `[${answer}]`],
}

t.test('Answers are read whatever carries them', async (t) => {
  for (const [name, carry] of spread(Object.entries(carriers), 6)) {
    mcp.onRequest = (_, { id, method }, reply) => {
      if (method !== 'initialize' && method !== 'tools/list') return false
      const initialized = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'fake', version: '1' },
      }
      const result = method === 'initialize' ? initialized : { tools: mcp.tools, nextCursor: null }
      const [headers, body] = carry(JSON.stringify({ jsonrpc: '2.0', id, result }))
      reply.writeHead(200, headers)
      // A byte at a time first, so that nothing depends on the borders of chunks.
      for (const byte of Buffer.from(body).subarray(0, 8)) reply.write(Buffer.of(byte))
      return Boolean(reply.end(Buffer.from(body).subarray(8)))
    }
    t.match(await probe(), { ok: true, tools: { length: 2 } }, name)
  }
  mcp.onRequest = undefined
})

t.test('A list of tools ends with a cursor that leads nowhere', async (t) => {
  const { tools } = mcp
  for (const cursors of [[null], [7], [''], ['a', 'a'], ['a', 'b', 'a'], [{}], [true]]) {
    let pages = 0
    mcp.onRequest = (_, { id, method }, reply) => {
      if (method !== 'tools/list') return false
      const nextCursor = cursors[pages]
      const result = { tools: [{ ...(tools[0] as object), name: `tool-${pages}` }], nextCursor }
      pages += 1
      reply.writeHead(200, { 'content-type': 'application/json' })
      return Boolean(reply.end(JSON.stringify({ jsonrpc: '2.0', id, result })))
    }
    const { ok, tools: listed } = await probe()
    t.match({ ok, pages, listed: listed.length }, { ok: true, pages: cursors.length, listed: cursors.length })
  }
  mcp.onRequest = undefined
})

t.test('The greeting that works is remembered, and forgotten when it fails', async (t) => {
  mcp.onDiscover = (_, reply) => void reply.writeHead(500).end()
  const count = (method: string) => mcp.of(method).length
  const { id, status } = await request('POST', '/connectors', {
    name: 'kept',
    kind: 'mcp',
    config: { url: mcp.url },
  })
  t.equal(status, 'ready')
  await eventually('the greeting', async () => {
    const initialCount = count('server/discover')
    t.match(await request('POST', `/connectors/${id}/test`), { ok: true })
    return count('server/discover') === initialCount
  })
  await request('PUT', `/agents/${agent_id}/connectors`, { connectors: [{ id }] })
  const socket = await connect()
  fake.next({ toolCalls: [{ name: 'kept__look', arguments: {} }] }, { text: 'ok' })
  const initialCount = count('server/discover')
  const { frames } = await socket.ask({ text: 'go' })
  t.match(
    frames.find(({ type }) => type === 'tool_result'),
    { output: 'look is done' },
  )
  t.equal(count('server/discover'), initialCount, 'it is not asked for its versions again')

  mcp.onRequest = (_, { method }, reply) =>
    method === 'initialize' && Boolean(reply.writeHead(400).end('unknown method'))
  t.match(await request('POST', `/connectors/${id}/test`), { ok: false, detail: /unknown method/ })
  t.equal(count('server/discover'), initialCount + 1)
  mcp.onRequest = undefined
  mcp.onDiscover = undefined
})

t.test('The failure that says most is shown', async (t) => {
  const cases: [Reply, Reply, RegExp][] = [
    [text(500, ''), text(402, '{"error":{"message":"the plan has ended"}}'), /402: the plan has ended$/],
    [text(403, 'the key is locked'), (reply) => void reply.destroy(), /403: the key is locked$/],
    [text(404, HTML['content-type']), json(200, (id) => refusal(id, -32000)), /^unknown method$/],
    [
      text(404, ''),
      text(404, '<html>no such page</html>', HTML),
      /^The server answered with the status 404\.$/,
    ],
    [text(500, 'the disk is full'), () => undefined, /500: the disk is full$/],
    [text(200, '<p>', HTML), text(200, '<p>', HTML), /does not answer as a server of the Model Context/],
    [
      text(404, ''),
      text(400, '{"detail":[{"msg":"the field x is missing"}]}'),
      /400: the field x is missing$/,
    ],
  ]
  for (const [first, second, detail] of cases) {
    mcp.onDiscover = (message, reply) => first(reply, message)
    mcp.onRequest = (_, message, reply) => {
      if (message.method === undefined) return Boolean(reply.writeHead(405).end())
      if (message.method !== 'initialize') return false
      second(reply, message)
      return true
    }
    t.match(await probe(), { ok: false, detail })
  }
  mcp.onRequest = undefined
  mcp.onDiscover = undefined
})
