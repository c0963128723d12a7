import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { startFakeOlderMcp } from '../../support/fake-older-mcp.ts'

const older = await startFakeOlderMcp()
t.teardown(() => older.close())
const { server, fake, agent_id, connect } = await startChat(t, {
  config: { plugins: { connectors: { allow_hosts: ['127.0.0.1'], call_seconds: 3, connect_seconds: 6 } } },
})
const socket = await connect()
const { body: connector } = await server.request('POST', '/connectors', {
  body: { name: 'older', kind: 'mcp', config: { url: older.url } },
})
t.match(connector, { status: 'ready', tools: { length: 2 } })
const tools = { look: { approval: 'allow' }, change: { approval: 'allow' } }
await server.request('PUT', `/agents/${agent_id}/connectors`, {
  body: { connectors: [{ id: connector.id, tools }] },
})
const callOnce = async (name: string) => {
  fake.next({ toolCalls: [{ name: `older__${name}`, arguments: {} }] }, { text: 'ok' })
  const { frames, end } = await socket.ask({ text: 'go' })
  t.equal(end.type, 'done')
  return frames.find(({ type }) => type === 'tool_result')
}
const done = (name: string) => ({ is_error: false, output: `${name} is done` })

/** Refusals of a message in a session that the server does not know. */
const lostReplies: Record<string, (reply: ServerResponse) => unknown> = {
  '404': (reply) => reply.writeHead(404).end('Could not find session'),
  '400': (reply) => reply.writeHead(400).end('No transport found for sessionId'),
  '400 without words': (reply) => reply.writeHead(400).end(),
  '410': (reply) => reply.writeHead(410).end(),
  '500 with words': (reply) => reply.writeHead(500).end('{"error":"unknown session"}'),
}

t.test('A session of the older transport that was lost is replaced, and the call repeated', async (t) => {
  for (const [name, reply] of Object.entries(lostReplies)) {
    t.match(await callOnce('change'), done('change'))
    older.forget()
    older.onUnknownSession = (response) => void reply(response)
    const initial = { begun: older.begun(), called: older.called.length }
    t.match(await callOnce('change'), done('change'), name)
    t.equal(older.begun(), initial.begun + 1, name)
    t.equal(older.called.length, initial.called + 1, `${name}: it was carried out once`)
  }
})

t.test('A stream that ends ends the session', async (t) => {
  t.match(await callOnce('change'), done('change'))
  older.restart()
  t.match(await callOnce('change'), done('change'), 'while nobody calls')
  for (const [tool, expected] of [
    ['look', done('look')],
    [
      'change',
      { is_error: true, output: /failed \(unreachable\): The server ended the stream of its answers\.$/ },
    ],
  ] as const) {
    let asked = 0
    older.onCall = (_, reply) => {
      asked += 1
      if (asked > 1) return false
      reply.writeHead(202).end()
      older.restart()
      return true
    }
    t.match(await callOnce(tool), expected, `during a call of ${tool}`)
    older.onCall = undefined
    t.match(await callOnce(tool), done(tool), 'the next call works')
  }
})

t.test('Messages of the older transport need not be to the letter', async (t) => {
  const { write } = older
  const forms: Record<string, typeof older.write> = {
    'no id': (answer) => write({ ...answer, id: null }),
    'an id that is a text': (answer) => write({ ...answer, id: String((answer as { id: unknown }).id) }),
    'an error beside the result': (answer) => write({ ...answer, error: null }),
    'carriage returns': (answer) => write(answer).replaceAll('\n', '\r'),
    'both line ends': (answer) => write(answer).replaceAll('\n', '\r\n'),
    'no name of the event': (answer) => write(answer).replace('event: message\n', ''),
    comments: (answer) => `: ping\n\n${write(answer)}`,
  }
  for (const [name, form] of Object.entries(forms)) {
    older.write = form
    t.match(await callOnce('change'), done('change'), name)
  }
  older.write = write
})

t.test('A limit of requests is waited for, and an error of the server is shown', async (t) => {
  let asked = 0
  older.onCall = (_, reply) => {
    asked += 1
    return asked === 1 && Boolean(reply.writeHead(429, { 'retry-after': '0' }).end())
  }
  t.match(await callOnce('change'), done('change'))
  older.onCall = (_, reply) => Boolean(reply.writeHead(500).end('the disk is full'))
  t.match(await callOnce('change'), {
    is_error: true,
    output: /\(unreachable\).* status 500: the disk is full$/,
  })
  older.onCall = undefined
  t.match(await callOnce('change'), done('change'))
})

t.test('The words of a server do not show the secrets of a connector', async (t) => {
  const echo = createServer((request, reply) =>
    reply.writeHead(400).end(`unknown key ${request.headers['x-key']}`),
  )
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  t.teardown(() => echo.close())
  const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/mcp`
  const { body } = await server.request('POST', '/connectors/probe', {
    body: { kind: 'mcp', config: { url, headers: { 'X-Key': 'canary-of-the-key' } } },
  })
  t.match(body, { ok: false, detail: 'The server answered with the status 400: unknown key ••••-key' })
})
