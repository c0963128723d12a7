import t from '../../run/file-test.ts'
import { startPress } from '../conversations/approval-calls.ts'

const { server, fake } = await startPress(t)
fake.script(() => ({ text: 'Good day.' }))

const send = async (message: unknown, headers: Record<string, string> = {}) => {
  const reply = await fetch(`${server.url}/api/mcp`, {
    method: 'POST',
    body: JSON.stringify(message),
    headers: {
      authorization: `Bearer ${server.admin.token}`,
      'content-type': 'application/json',
      ...headers,
    },
  })
  const type = reply.headers.get('content-type')?.split(';')[0]
  const text = await reply.text()
  const body =
    type === 'text/event-stream'
      ? text
          .split('\n')
          .findLast((line) => line.startsWith('data:'))!
          .slice(5)
      : text
  return { status: reply.status, type, body: body === '' ? undefined : JSON.parse(body) }
}
const request = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })
const call = (args: unknown, more: object = {}) =>
  request('tools/call', { name: 'ask_assistant', arguments: args, ...more })

t.test('Clients are answered in the form that they accept', async (t) => {
  const [json, stream] = ['application/json', 'text/event-stream']
  const table: [accept: string, type: string][] = [
    ['*/*', stream],
    ['application/json, text/event-stream', stream],
    ['text/event-stream', stream],
    ['text/event-stream;q=0.9', stream],
    ['text/*', stream],
    ['Text/Event-Stream', stream],
    ['application/json', json],
    ['application/json; charset=utf-8', json],
    ['application/*', json],
    ['application/json, text/event-stream;q=0', json],
    ['application/json, text/html', json],
    ['application/json, */*;q=0.1', stream],
    ['', stream],
  ]
  for (const [accept, type] of table)
    t.match(
      await send(request('ping'), { accept }),
      { status: 200, type, body: { id: 1, result: {} } },
      accept,
    )
  for (const accept of ['text/html', 'image/png, text/html', 'application/json;q=0'])
    t.match(
      await send(request('ping'), { accept }),
      { status: 406, body: { error: { code: -32000 } } },
      accept,
    )

  const accept = json
  const { body } = await send(call({ message: 'Hello' }, { _meta: { progressToken: 1 } }), { accept })
  t.match(body, { id: 1, result: { content: [{ text: 'Good day.' }] } }, 'without the notes of progress')
  const batch = await send([request('ping'), { ...request('ping'), id: 2 }], { accept })
  t.strictSame(batch.body.map(({ id }: { id: number }) => id).sort(), [1, 2])
  t.match(await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, { accept }), { status: 202 })
  t.match(await send(request('magic'), { accept }), { status: 200, body: { error: { code: -32601 } } })
})

t.test('Null counts as missing, and greetings may be incomplete', async (t) => {
  const lists = [
    null,
    {},
    { cursor: null },
    { _meta: null },
    { cursor: null, _meta: { progressToken: null } },
  ]
  for (const params of lists)
    t.match(
      await send(request('tools/list', params)),
      { status: 200, body: { result: { tools: [{}] } } },
      JSON.stringify(params),
    )
  t.match(await send({ id: 1, method: 'tools/list' }), { status: 200, body: { result: {} } })
  const calls = [
    call({ message: 'Hello', thread_id: null }),
    call({ message: 'Hello' }, { _meta: null }),
    call({ message: 'Hello' }, { _meta: { progressToken: { odd: true } }, task: null }),
  ]
  for (const message of calls)
    t.match(await send(message), { body: { result: { content: [{ text: 'Good day.' }] } } })
  t.match(await send(call(null)), { body: { result: { isError: true } } })

  const info = { name: 'a', version: '1' }
  const greetings = [
    {
      protocolVersion: '2025-06-18',
      capabilities: { roots: null, magic: { x: 1 }, sampling: true },
      clientInfo: { ...info, title: null },
    },
    { protocolVersion: '2025-06-18', capabilities: null, clientInfo: { name: 'a', version: null } },
    { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: info },
    { protocolVersion: '2099-01-01', capabilities: {}, clientInfo: info },
    { protocolVersion: 1, capabilities: [], clientInfo: 'a' },
    {},
    null,
  ]
  for (const params of greetings)
    t.match(
      await send(request('initialize', params)),
      { status: 200, body: { result: { protocolVersion: /^2025-/, capabilities: { tools: {} } } } },
      JSON.stringify(params),
    )
  for (const params of [null, {}, { _meta: null }])
    t.match(await send({ jsonrpc: '2.0', method: 'notifications/initialized', params }), { status: 202 })

  const envelope = (name: string) => `io.modelcontextprotocol/${name}`
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
  const meta = {
    [envelope('protocolVersion')]: '2026-07-28',
    [envelope('clientInfo')]: { name: 'a', version: null },
  }
  const reply = await send(request('tools/list', { cursor: null, _meta: meta }), modern)
  t.match(reply, { status: 200, body: { result: { resultType: 'complete', tools: [{}] } } })
})

t.test('What cannot be accepted is refused by a sentence', async (t) => {
  const table: [message: unknown, code: number, sentence: RegExp][] = [
    [request('tools/list', []), -32602, /^"params" must be an object\.$/],
    [request('tools/list', 'x'), -32602, /^"params" must be an object\.$/],
    [request('tools/list', { cursor: {} }), -32602, /^"cursor" must be a text\.$/],
    [request('tools/list', { cursor: 7 }), -32602, /not valid/],
    [request('tools/list', { cursor: 'x' }), -32602, /not valid/],
    [request('tools/call'), -32602, /^"name" must be the name of a tool\.$/],
    [request('tools/call', { name: 7 }), -32602, /^"name" must be the name of a tool\.$/],
    [call('{}'), -32602, /^"arguments" must be an object\.$/],
    [call([]), -32602, /^"arguments" must be an object\.$/],
    [request('tools/call', { name: 'ask_nobody' }), -32602, /^\w[^{[]*$/],
    [request('magic/do', {}), -32601, /^Method not found$/],
    [{ ...request('ping'), id: null }, -32600, /^Bad Request: [^{[]*$/],
    [{ ...request('ping'), id: {} }, -32600, /^Bad Request: [^{[]*$/],
    [[], -32600, /^Bad Request: [^{[]*$/],
    [7, -32600, /^Bad Request: [^{[]*$/],
    [[request('ping'), request('tools/call')], -32602, /^"name" must be/],
  ]
  for (const [message, code, sentence] of table)
    t.match(
      await send(message),
      { body: { jsonrpc: '2.0', error: { code, message: sentence } } },
      JSON.stringify(message),
    )
})
