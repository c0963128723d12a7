import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../../run/file-test.ts'
import { createHold } from '../../support/chat.ts'
import { startServer } from '../../support/server.ts'
import { punch, startPress } from '../conversations/approval-calls.ts'

const ALLOWED = 'https://app.example.org'
const chat = await startPress(t, { config: { http: { cors_origins: [ALLOWED] } } })
const { server, fake, history } = chat
const address = (url = server.url) => new URL(`${url}/api/mcp`)
/** The revisions of the protocol: without sessions and handshake, and before. */
const ERAS = ['2026-07-28', 'legacy'] as const
type Era = (typeof ERAS)[number]

interface Options {
  era?: Era
  token?: string
  url?: string
  language?: string
}

/** Connects the official client. */
async function connect(
  t: Test,
  { era = 'legacy', token = server.admin.token, url, language }: Options = {},
): Promise<Client> {
  const mode = era === 'legacy' ? era : { pin: era }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const headers = { authorization: `Bearer ${token}`, ...(language && { 'accept-language': language }) }
  await client.connect(new StreamableHTTPClientTransport(address(url), { requestInit: { headers } }))
  t.teardown(() => client.close())
  return client
}

/** Sends a message as the bytes say. */
const post = (
  body: string,
  headers: Record<string, string> = {},
  { url = server.url, token = server.admin.token }: { url?: string; token?: string } = {},
) =>
  fetch(address(url), {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  })
const ask = (client: Client, args: object, name = 'ask_assistant') =>
  client.callTool({ name, arguments: args as Record<string, unknown> })
const texts = ({ content }: { content: { type: string; text?: string }[] }) => content.map(({ text }) => text)
const createAgent = async (body: object, token?: string): Promise<string> => {
  const { status, body: agent } = await server.request('POST', '/agents', { body, token })
  t.equal(status, 201)
  return agent.id
}
const lastMessages = async (thread_id: string) =>
  (await history(thread_id)).messages.map(({ role, status }: { role: string; status: string }) => [
    role,
    status,
  ])

for (const era of ERAS) {
  t.test(`${era}: a tool asks its agent, and continues the thread of its result`, async (t) => {
    const client = await connect(t, { era })
    t.match(client.getServerVersion(), { name: 'agent-platform-service' })
    const { tools } = await client.listTools()
    const tool = tools.find(({ name }) => name === 'ask_assistant')
    t.match(tool, { title: 'assistant', description: /assistant/, annotations: { readOnlyHint: false } })
    t.strictSame(Object.keys(tool!.inputSchema.properties!), ['message', 'thread_id'])
    fake.next({ text: ['Good ', 'day.'] })
    const first = await ask(client, { message: 'Hello' })
    t.notOk(first.isError)
    t.strictSame(texts(first as never), ['Good day.'])
    const { text, thread_id } = first.structuredContent as { text: string; thread_id: string }
    t.equal(text, 'Good day.')
    fake.next({ text: 'Again.' })
    const second = await ask(client, { message: 'And?', thread_id })
    t.same(second.structuredContent, { text: 'Again.', thread_id })
    t.match(await lastMessages(thread_id), { length: 4 })
    t.match(
      fake.requests.at(-1)!.body.messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'user'],
    )
  })

  t.test(`${era}: a turn reports its progress to clients that ask for it`, async (t) => {
    const client = await connect(t, { era, language: 'en' })
    fake.next(
      {
        text: 'I punch.',
        toolCalls: [{ id: 'call_p', name: 'punch', arguments: { mark: 'p', free: true } }],
      },
      { text: 'Done.' },
    )
    const reports: { progress: number; message?: string }[] = []
    const result = await client.callTool(
      { name: 'ask_assistant', arguments: { message: 'Punch' } },
      { onprogress: (report) => reports.push(report) },
    )
    t.match(result.structuredContent, { text: 'Done.' }, 'text before a call is not the answer')
    t.strictSame(
      reports.map(({ progress }) => progress),
      reports.map((_, index) => index + 1),
    )
    t.match(reports[0], { message: 'The agent has started.' })
    t.ok(reports.some(({ message }) => message === 'The agent is calling punch.'))
    t.ok(reports.some(({ message }) => message?.startsWith('The agent is writing: ')))
  })

  t.test(`${era}: a call that is cancelled stops its turn`, async (t) => {
    const client = await connect(t, { era })
    const { hold, release } = createHold()
    t.teardown(release)
    fake.next({ text: ['first ', 'second'], hold, holdAfter: 1 })
    const asked = fake.request(fake.requests.length)
    const cancelling = new AbortController()
    const call = client.callTool(
      { name: 'ask_assistant', arguments: { message: 'Hold' } },
      { signal: cancelling.signal },
    )
    await asked
    const [{ thread_id }] = (await chat.threads('GET', '?limit=1')).body
    // A thread whose turn was cancelled before its first event is removed.
    await eventually('the answer has begun', async () => (await lastMessages(thread_id)).length > 1)
    cancelling.abort()
    await t.rejects(call)
    await eventually('the turn is stopped', async () => !(await history(thread_id)).turn_active)
    t.strictSame((await lastMessages(thread_id)).at(-1), ['assistant', 'stopped'])
  })

  t.test(`${era}: a turn that pauses says so, and goes on with the decision`, async (t) => {
    const client = await connect(t, { era, language: 'en' })
    fake.next({ text: 'I punch.', toolCalls: [punch('call_a', `of ${era}`)] }, { text: 'Punched.' })
    const paused = await ask(client, { message: 'Punch' })
    t.notOk(paused.isError)
    const { text, thread_id } = paused.structuredContent as { text: string; thread_id: string }
    t.match(text, /waiting for a person.*\n- .*punch/s)
    t.ok(text.includes(thread_id))
    const reply = await chat.decide(thread_id, [{ type: 'approve' }])
    await reply.rest()
    t.match(await lastMessages(thread_id), { length: 4 })
  })
}

t.test('A failed call is a result with the sentence in the language of the client', async (t) => {
  const client = await connect(t, { language: 'zh' })
  const failure = async (args: object) => {
    const result = await ask(client, args)
    t.equal(result.isError, true)
    return texts(result as never).join('\n')
  }
  t.equal(await failure({ message: 'Hello', thread_id: 'thr_nowhere' }), '找不到该对话。')
  t.match(await failure({ message: ' ' }), /\/message/)
  t.match(await failure({ message: 'x', more: 1 }), /more/)
  t.match(await failure({}), /message/)
  fake.next({ status: 401 })
  t.match(await failure({ message: 'Hello' }), /[\u4e00-\u9fff]/)
  fake.next({ text: '' }, { text: '' })
  t.match(await failure({ message: 'Hello' }), /空的回答/)

  const stopped = await createAgent({ name: 'sleeper' })
  await server.request('POST', `/agents/${stopped}/stop`)
  const result = await ask(client, { message: 'Hello' }, 'ask_sleeper')
  t.match(result, { isError: true, structuredContent: undefined })
  await t.rejects(ask(client, { message: 'Hello' }, 'ask_nobody'), { code: -32602 } as never)
  await t.rejects(ask(client, { message: 'Hello' }, 'assistant'), { code: -32602 } as never)
  await t.rejects(client.listTools({ cursor: 'nowhere' }), { code: -32602 } as never)
})

t.test('Every agent that the caller can open is a tool with a valid and stable name', async (t) => {
  const ann = await server.createUser({ username: 'ann' })
  const names = ['Über uns', '小助手', `x_${'A'.repeat(26)}`, 'x'.repeat(61), 'a.b', 'plain-1']
  const own = new Map<string, string>()
  for (const name of names) own.set(name, await createAgent({ name }, ann.token))
  const shared = await createAgent({ name: 'plain-1', is_shared: true })
  await createAgent({ name: 'hidden' })
  const client = await connect(t, { token: ann.token })
  const { tools } = await client.listTools()
  const listed = new Set(tools.map(({ name }) => name))
  t.equal(listed.size, tools.length)
  for (const name of listed) t.match(name, /^[A-Za-z0-9_-]{1,64}$/)
  t.strictSame(
    names.map((name) => tools.find(({ title }) => title === name)!.name),
    [
      `ask_ber_uns_${own.get('Über uns')}`,
      `ask_${own.get('小助手')}`,
      `ask_x_${'A'.repeat(26)}_${own.get(`x_${'A'.repeat(26)}`)}`,
      `ask_${'x'.repeat(33)}_${own.get('x'.repeat(61))}`,
      `ask_a_b_${own.get('a.b')}`,
      'ask_plain-1',
    ],
  )
  t.ok(listed.has(`ask_plain-1_${shared}`))
  t.notOk([...listed].some((name) => name.includes('hidden')))
  for (const name of listed)
    t.match(await ask(client, { message: 'Hello' }, name), { structuredContent: { text: 'Hello' } })
})

t.test('The list of tools has pages', async (t) => {
  const bob = await server.createUser({ username: 'bob' })
  const { _id, ...agent } = (await server.db.collection('agents').findOne({ owner_username: 'bob' }))!
  const copies = Array.from({ length: 120 }, (_, n) => ({ ...agent, _id: `copy-${n}`, name: `copy-${n}` }))
  await server.db.collection('agents').insertMany(copies as never)
  const client = await connect(t, { token: bob.token })
  const { tools } = await client.listTools()
  t.equal(tools.filter(({ name }) => name.startsWith('ask_copy-')).length, copies.length)
  await server.db.collection('agents').deleteMany({ owner_username: 'bob', _id: { $ne: _id } })
})

t.test('A message waits behind the turn of its thread, and is taken back with its call', async (t) => {
  const client = await connect(t, { language: 'en' })
  const { hold, release } = createHold()
  fake.next({ text: ['first ', 'second'], hold, holdAfter: 1 })
  const socket = await chat.connect()
  const sent = socket.say({ text: 'running' })
  const { thread_id } = await socket.until(({ content }) => content === 'first ')
  const cancelling = new AbortController()
  const queued = Promise.all(
    ['stays', 'goes'].map((message) => {
      const reports: string[] = []
      const signal = message === 'goes' ? cancelling.signal : undefined
      return new Promise<{ result: Promise<{ structuredContent?: unknown }>; reports: string[] }>(
        (resolve) => {
          const result = client.callTool(
            { name: 'ask_assistant', arguments: { message, thread_id } },
            {
              signal,
              onprogress: (report) => {
                reports.push(report.message!)
                resolve({ result, reports })
              },
            },
          )
          result.catch(() => undefined)
        },
      )
    }),
  )
  const [stays, goes] = await queued
  t.match(stays!.reports[0], /^The message is queued at position [12]\.$/)
  cancelling.abort()
  await t.rejects(goes!.result)
  await eventually('the message is taken back', async () => (await history(thread_id)).queued.length === 1)
  release()
  t.match(await stays!.result, { structuredContent: { text: 'stays', thread_id } })
  t.match((await socket.seeTurn(sent)).end, { type: 'done', stop_reason: 'end' })
})

t.test('A message that is taken back elsewhere ends its call', async (t) => {
  const client = await connect(t, { language: 'en' })
  const { hold, release } = createHold()
  fake.next({ text: ['first ', 'second'], hold, holdAfter: 1 })
  const socket = await chat.connect()
  const sent = socket.say({ text: 'running' })
  const { thread_id } = await socket.until(({ content }) => content === 'first ')
  const call = ask(client, { message: 'goes', thread_id })
  const [{ queue_id }] = await eventually(
    'the message is queued',
    async () => (await history(thread_id)).queued.length === 1 && (await history(thread_id)).queued,
  )
  socket.send({ type: 'unqueue', thread_id, queue_id })
  t.match(await call, { isError: true, structuredContent: { thread_id } })
  release()
  await socket.seeTurn(sent)
})

t.test('A client that leaves stops its turn, and a stopped turn is a result', async (t) => {
  const { hold, release } = createHold()
  t.teardown(release)
  for (const leaves of [true, false]) {
    fake.next({ text: ['first ', 'second'], hold, holdAfter: 1 })
    const asked = fake.request(fake.requests.length)
    const client = await connect(t, { language: 'en' })
    const call = ask(client, { message: 'Hold' })
    call.catch(() => undefined)
    await asked
    const [{ thread_id }] = (await chat.threads('GET', '?limit=1')).body
    if (leaves) await client.close()
    else {
      const socket = await chat.connect()
      socket.send({ type: 'stop', thread_id })
      t.match(await call, { isError: true, structuredContent: { thread_id, text: /stopped/ } })
    }
    await eventually('the turn is stopped', async () => !(await history(thread_id)).turn_active)
  }
})

t.test('Any server of a database answers, and cancels', async (t) => {
  const second = await startServer(t, { home: server.home })
  const { hold, release } = createHold()
  t.teardown(release)
  fake.next({ text: ['first ', 'second'], hold, holdAfter: 1 })
  const initialize = await post(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }),
  )
  const session = initialize.headers.get('mcp-session-id')!
  t.match(session, /^[\x21-\x7e]+$/)
  await initialize.text()
  const call = {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'ask_assistant', arguments: { message: 'Hold' } },
  }
  const asked = fake.request(fake.requests.length)
  const headers = { 'mcp-session-id': session }
  const reply = await post(JSON.stringify(call), headers)
  await asked
  // The id of a request is its name on every server, so the same one does not run twice.
  t.match(await (await post(JSON.stringify(call), headers, second)).text(), /"isError":true/)
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
  const unknown = { ...cancelled, params: { requestId: 8 } }
  t.equal((await post(JSON.stringify(cancelled))).status, 202, 'of no session')
  t.equal((await post(JSON.stringify(unknown), headers, second)).status, 202)
  t.equal((await post(JSON.stringify(cancelled), headers, second)).status, 202)
  t.match(await reply.text(), /"isError":true/)
})

t.test('The door takes only what the protocol says', async (t) => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const refused = await fetch(address(), { method: 'POST', body: ping })
  t.match([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer'])
  for (const method of ['GET', 'DELETE']) {
    const reply = await server.request(method, '/mcp')
    t.match([reply.status, reply.headers.get('allow')], [405, 'POST'])
  }
  const table: [body: string, headers: Record<string, string>, status: number][] = [
    [ping, {}, 200],
    ['{', {}, 400],
    ['', {}, 400],
    ['null', {}, 400],
    ['{}', {}, 400],
    [ping, { accept: 'text/html' }, 406],
    [ping, { 'content-type': 'text/plain' }, 415],
    [ping, { 'mcp-protocol-version': '1999-01-01' }, 400],
    [ping, { origin: ALLOWED }, 200],
    [ping, { origin: new URL(server.url).origin }, 200],
    [ping, { origin: 'https://evil.example.org' }, 403],
    ['x'.repeat(1024 * 1024 + 1), {}, 413],
  ]
  for (const [body, headers, status] of table) {
    const reply = await post(body, headers)
    t.equal(reply.status, status, `${body.slice(0, 20)} ${JSON.stringify(headers)} ${await reply.text()}`)
  }
  for (const [body, message] of [
    [`[${'{},'.repeat(100_000)}{}]`, 'Invalid Request: it has more than 50000 values.'],
    ['['.repeat(100_000), 'Invalid Request: it has more than 64 levels.'],
  ] as const) {
    const reply = await post(body)
    t.match([reply.status, await reply.json()], [400, { id: null, error: { code: -32_600, message } }])
  }
})

t.test('A call ends with the session of its caller', async (t) => {
  const cat = await server.createUser({ username: 'cat' })
  const { hold, release } = createHold()
  t.teardown(release)
  fake.next({ text: ['first ', 'second'], hold, holdAfter: 1 })
  const asked = fake.request(fake.requests.length)
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'ask_assistant', arguments: { message: 'Hold' } },
  }
  const reply = await post(JSON.stringify(call), {}, { token: cat.token })
  const upstream = await asked
  t.ok(upstream)
  await server.request('POST', '/auth/logout', { token: cat.token })
  t.match(await reply.text(), /"error":\{"code":-32000,.*"SESSION_ENDED"/)
})
