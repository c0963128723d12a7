import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createTestClock } from '../../support/clock.ts'
import type { TestReply } from '../../support/server.ts'
import { readEvents } from '../../support/sse.ts'
import { startReceiver, verify } from '../../support/webhook-receiver.ts'
import { punch, startPress } from '../conversations/approval-calls.ts'

const clock = createTestClock()
const MOST = 12
const ONE_YEAR = 31_536_000
const auth = { access_token_ttl_seconds: ONE_YEAR, refresh_token_ttl_seconds: ONE_YEAR }
const chat = await startPress(t, {
  clock,
  config: { limits: { webhooks: MOST }, plugins: { auth, webhooks: { allow_hosts: ['127.0.0.1'] } } },
})
const { agent_id, fake, server } = chat
const EVENTS = [
  'turn.ended',
  'approval.requested',
  'schedule.run_ended',
  'channel.state_changed',
  'budget.warned',
]

type Row = TestReply['body']

const webhooks = (method: string, path = '', body?: unknown, token?: string): Promise<TestReply> =>
  server.request(method, `/webhooks${path}`, { body, ...(token && { token }) })

const create = async (wanted: object, token?: string): Promise<Row> => {
  const { status, body } = await webhooks('POST', '', { events: EVENTS, ...wanted }, token)
  if (status !== 201) throw new Error(`the webhook was answered ${status} ${JSON.stringify(body)}`)
  return body
}

const read = async (id: string): Promise<Row> => (await webhooks('GET', `/${id}`)).body

const deliveriesOf = async (id: string): Promise<Row[]> => (await webhooks('GET', `/${id}/deliveries`)).body

/** Sets the clock, and has the server look at what is due. */
const advance = (seconds: number) => {
  clock.advance(seconds)
  server.server.runtime.cradleOf('webhooks').webhookSender.wake()
}

/** Sends a message and waits for the end of its turn. */
const talk = async (options?: { token: string; agent_id: string }) => {
  const socket = await chat.connect(options)
  const turn = await socket.ask({ text: 'hello' })
  socket.close()
  return turn
}

/** An account with its assistant. */
const createPerson = async (username: string) => {
  const { id, token } = await server.createUser({ username })
  const { body: agents } = await server.request('GET', '/agents', { token })
  return { id, username, token, agent_id: agents[0].id as string }
}

t.test('A webhook is created, listed, changed and deleted by its account', async (t) => {
  const receiver = await startReceiver(t)
  const { secret, ...made } = await create({ url: receiver.url, events: ['turn.ended'] })
  t.match(secret, /^whsec_[A-Za-z0-9+/]{32}$/)
  const { id, created_at, updated_at, ...row } = made
  t.match(id, /^whk_/)
  t.strictSame(row, {
    url: receiver.url,
    events: ['turn.ended'],
    agent_id: null,
    enabled: true,
    disabled_reason: null,
    failing_since: null,
  })
  t.equal(created_at, updated_at)
  t.strictSame((await webhooks('GET')).body, [made], 'a list has no secrets')
  const stored = await server.db.collection<{ _id: string; secret: string }>('webhooks').findOne({ _id: id })
  t.match(stored!.secret, /^v1\./, 'the secret is sealed')

  const { headers } = await webhooks('GET', `/${id}`)
  const change = (body: object, etag: string) =>
    server.request('PATCH', `/webhooks/${id}`, { body, headers: { 'if-match': etag } })
  const etag = headers.get('etag')!
  t.match(await change({ events: ['budget.warned'] }, etag), {
    status: 200,
    body: { events: ['budget.warned'] },
  })
  t.match(await change({ enabled: false }, etag), {
    status: 412,
    body: { error: { code: 'PRECONDITION_FAILED' } },
  })

  const renewed = (await webhooks('POST', `/${id}/secret`)).body.secret
  t.match(renewed, /^whsec_/)
  t.not(renewed, secret)
  const other = await createPerson('other')
  for (const [method, path, body] of [
    ['GET', `/${id}`],
    ['PATCH', `/${id}`, { enabled: false }],
    ['DELETE', `/${id}`],
    ['POST', `/${id}/secret`],
    ['POST', `/${id}/test`],
    ['GET', `/${id}/deliveries`],
    ['POST', `/${id}/deliveries/evt_1/retry`],
  ] as const)
    t.match(await webhooks(method, path, body, other.token), {
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    })
  t.equal((await webhooks('DELETE', `/${id}`)).status, 204)
  t.equal((await webhooks('GET', `/${id}`)).status, 404)
})

t.test('An address that is none, or that is in a private network, is refused', async (t) => {
  for (const [url, code] of [
    ['http://10.1.2.3/', 'ADDRESS_NOT_ALLOWED'],
    ['http://[::1]/', 'ADDRESS_NOT_ALLOWED'],
    ['http://localhost:1/', 'ADDRESS_NOT_ALLOWED'],
    ['http://ann:secret@127.0.0.1/', 'VALIDATION_FAILED'],
    ['http://', 'VALIDATION_FAILED'],
    ['ftp://example.com/', 'VALIDATION_FAILED'],
  ] as const)
    t.equal((await webhooks('POST', '', { url, events: EVENTS })).body.error?.code, code, url)
  const url = 'http://127.0.0.1:1/'
  for (const wanted of [
    { events: [] },
    { events: ['turn.started'] },
    { events: ['turn.ended', 'turn.ended'] },
    { events: EVENTS, secret: 'mine' },
  ])
    t.equal((await webhooks('POST', '', { url, ...wanted })).status, 422, JSON.stringify(wanted))
  const unknown = await webhooks('POST', '', { url, events: EVENTS, agent_id: 'unknown' })
  t.match(unknown, { status: 404, body: { error: { code: 'AGENT_NOT_FOUND' } } })
})

t.test('Requests are signed as Standard Webhooks, also for a test', async (t) => {
  const receiver = await startReceiver(t)
  const { id, secret } = await create({ url: receiver.url })
  const test = await webhooks('POST', `/${id}/test`)
  t.match(test, { status: 200, body: { event: 'webhook.test', status: 'delivered', attempts: 1 } })
  const [request] = await receiver.see(1)
  t.equal(request!.id, test.body.id)
  t.equal(test.body.body, JSON.stringify(request!.body))
  t.match(verify(secret, request!), { type: 'webhook.test', data: { webhook_id: id } })
  const renewed = (await webhooks('POST', `/${id}/secret`)).body.secret
  await webhooks('POST', `/${id}/test`)
  t.throws(() => verify(secret, receiver.requests[1]!), /No matching signature/)
  t.ok(verify(renewed, receiver.requests[1]!))
  receiver.answer = () => 500
  t.match((await webhooks('POST', `/${id}/test`)).body, {
    status: 'failed',
    response_status: 500,
    next_attempt_at: null,
    error: { code: 'WEBHOOK_STATUS', message: 'The receiver answered with status 500.' },
  })
  await webhooks('DELETE', `/${id}`)
})

t.test('A webhook hears of ended turns and approval requests, of one agent or all', async (t) => {
  const receiver = await startReceiver(t)
  const { id, secret } = await create({ url: receiver.url })
  const { body: second } = await server.request('POST', '/agents', { body: { name: 'second' } })
  const narrow = await create({ url: `${receiver.url}narrow`, agent_id: second.id })
  const turn = await talk()
  const [ended] = await receiver.see(1)
  t.match(verify(secret, ended!), {
    type: 'turn.ended',
    data: {
      agent_id,
      thread_id: turn.thread_id,
      turn_id: turn.turn_id,
      stop_reason: 'end',
      message_id: turn.end.message_id,
      error: null,
    },
  })
  t.ok(Math.abs(Date.parse(ended!.body.timestamp) - Date.now()) < 60_000)

  const { thread_id, pending, sent, socket } = await chat.pauseTurn([
    { toolCalls: [punch('call_a', 'told')] },
  ])
  const { pending_id, expires_at } = pending
  const [, asked] = await receiver.see(2)
  t.match(asked!.body, {
    type: 'approval.requested',
    data: { thread_id, pending_id, expires_at, tools: ['punch'] },
  })
  await chat.decide(thread_id, [{ type: 'approve' }])
  await socket.seeTurn(sent)
  t.match((await receiver.see(3))[2]!.body, { type: 'turn.ended', data: { thread_id } })

  fake.next({ status: 400 })
  t.equal((await talk()).end.type, 'error')
  const [, , , failed] = await receiver.see(4)
  t.match(failed!.body, { data: { stop_reason: null, error: { code: String } } })

  await talk({ token: server.admin.token, agent_id: second.id })
  await receiver.see(6)
  t.equal(receiver.requests.filter(({ path }) => path === '/narrow').length, 1)
  const rows = await eventually('the outcomes', async () => {
    const rows = await deliveriesOf(id)
    return rows.every(({ status }) => status === 'delivered') && rows
  })
  t.strictSame(
    rows.map((row) => row.id),
    receiver.requests
      .filter(({ path }) => path === '/')
      .map((request) => request.id)
      .reverse(),
  )
  for (const one of [id, narrow.id]) await webhooks('DELETE', `/${one}`)
  t.equal(await server.db.collection('webhook_deliveries').countDocuments({ webhook_id: id }), 0)
})

t.test('A webhook hears nothing of what was before, and of nobody else', async (t) => {
  const receiver = await startReceiver(t)
  const ann = await createPerson('ann')
  await talk(ann)
  await talk()
  clock.advance(2)
  const { id } = await create({ url: receiver.url }, ann.token)
  await talk()
  const { turn_id } = await talk(ann)
  const [request] = await receiver.see(1)
  t.equal(request!.body.data.turn_id, turn_id)
  await webhooks('PATCH', `/${id}`, { enabled: false }, ann.token)
  await talk(ann)
  clock.advance(2)
  await webhooks('PATCH', `/${id}`, { enabled: true }, ann.token)
  const later = await talk(ann)
  t.equal((await receiver.see(2))[1]!.body.data.turn_id, later.turn_id)
  t.equal(receiver.requests.length, 2)
  await webhooks('DELETE', `/${id}`, undefined, ann.token)
})

t.test('A webhook hears of runs of schedules, states of channels and budgets', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await create({ url: receiver.url })
  const schedule = { every_seconds: 3600 }
  const job = await server.call('POST', `/agents/${agent_id}/cron`, { name: 'Plan', prompt: 'do', schedule })
  const run = await server.call('POST', `/agents/${agent_id}/cron/${job.id}/run-now`)
  const [ended] = await eventually('the run', () => {
    const ended = receiver.of('schedule.run_ended')
    return ended.length > 0 && ended
  })
  t.match(ended!.body.data, {
    schedule_id: job.id,
    name: 'Plan',
    status: 'succeeded',
    turn_id: run.turn_id,
    thread_id: run.thread_id,
    error: null,
  })
  await server.call('DELETE', `/agents/${agent_id}/cron/${job.id}`)

  const telegram = { kind: 'telegram', name: 'bot', config: { bot_token: '1:x' } }
  const channel = await server.call('POST', `/agents/${agent_id}/channels`, telegram)
  const [changed] = await eventually('the state', () => {
    const changed = receiver.of('channel.state_changed')
    return changed.length > 0 && changed
  })
  t.match(changed!.body.data, {
    channel_id: channel.id,
    agent_id,
    kind: 'telegram',
    name: 'bot',
    state: String,
  })
  await server.call('DELETE', `/agents/${agent_id}/channels/${channel.id}`)

  const bob = await createPerson('bob')
  const own = await create({ url: `${receiver.url}bob`, events: ['budget.warned'] }, bob.token)
  const price = { input: 1, output: 1 }
  const models = [{ id: 'dear', price }]
  await server.call('POST', '/admin/providers', {
    name: 'shop',
    kind: 'openai-compatible',
    base_url: fake.url,
    models,
  })
  await server.call('PATCH', '/users/bob', { budget: { amount: 1, window: 'day' } })
  fake.next({ text: 'yes', usage: { prompt_tokens: 809_999, completion_tokens: 1 } })
  const socket = await chat.connect(bob)
  await socket.ask({ text: 'hello', model: 'shop:dear' })
  const warned = await eventually('both warnings', () => {
    const warned = receiver.of('budget.warned')
    return warned.length >= 2 && warned
  })
  t.strictSame(warned.map(({ path }) => path).sort(), ['/', '/bob'])
  t.match(warned[0]!.body.data, { user_id: bob.id, scope: 'account', spent: 0.81, budget: { amount: 1 } })
  await webhooks('DELETE', `/${id}`)
  await webhooks('DELETE', `/${own.id}`, undefined, bob.token)
})

t.test('A failed delivery is retried ever later, while the next ones are sent', async (t) => {
  const receiver = await startReceiver(t)
  let broken = ''
  receiver.answer = ({ id }) => {
    broken ||= id
    return id === broken ? 503 : 200
  }
  const { id } = await create({ url: receiver.url })
  await talk()
  await receiver.see(1)
  await talk()
  await receiver.see(2)
  let row: Row
  for (const [attempts, wait] of [
    [1, 5],
    [2, 20],
    [3, 80],
    [4, 320],
  ] as const) {
    row = await eventually(`attempt ${attempts}`, async () =>
      (await deliveriesOf(id)).find((row) => row.id === broken && row.attempts === attempts),
    )
    t.match(row, { status: 'pending', response_status: 503, error: { code: 'WEBHOOK_STATUS' } })
    t.ok(Math.abs(row.next_attempt_at - row.last_attempt_at - wait) <= 1, `${wait} s`)
    advance(wait + 1)
  }
  t.ok((await read(id)).failing_since > 0)
  broken = 'none'
  await eventually('the delivery', async () => {
    advance(2000)
    return (await deliveriesOf(id)).every(({ status }) => status === 'delivered')
  })
  t.equal((await read(id)).failing_since, null)
  const count = receiver.requests.length
  const again = await webhooks('POST', `/${id}/deliveries/${row.id}/retry`)
  t.match(again, { status: 202, body: { id: row.id, status: 'pending', attempts: 0 } })
  t.equal((await receiver.see(count + 1)).at(-1)!.id, row.id)
  await webhooks('DELETE', `/${id}`)
})

t.test('A receiver is disabled by 410, and by a day of failures', async (t) => {
  const receiver = await startReceiver(t)
  receiver.answer = () => 410
  const events = await readEvents(t, `${server.url}/api/events`, { token: server.admin.token, headers: {} })
  const { id } = await create({ url: receiver.url })
  await talk()
  const gone = await eventually('the end', async () => {
    const row = await read(id)
    return !row.enabled && row
  })
  t.match(gone, { disabled_reason: 'GONE' })
  t.ok(await events.until((event) => event.type === 'webhook.changed' && event.webhook_id === id))
  const [delivery] = await deliveriesOf(id)
  t.match(delivery, { status: 'failed', attempts: 1, response_status: 410 })
  t.match(await webhooks('POST', `/${id}/deliveries/${delivery.id}/retry`), {
    status: 409,
    body: { error: { code: 'WEBHOOK_DISABLED' } },
  })

  receiver.answer = () => 500
  t.match((await webhooks('PATCH', `/${id}`, { enabled: true })).body, {
    enabled: true,
    disabled_reason: null,
  })
  await talk()
  await eventually('the first failure', async () => (await read(id)).failing_since !== null)
  const failing = await eventually('the end', async () => {
    advance(7000)
    const row = await read(id)
    return !row.enabled && row
  })
  t.match(failing, { disabled_reason: 'FAILING' })
  t.match((await deliveriesOf(id))[0], { status: 'failed', next_attempt_at: null })
  await webhooks('DELETE', `/${id}`)
})

t.test('Redirects are not followed, and Retry-After holds the webhook for an hour at most', async (t) => {
  const receiver = await startReceiver(t)
  receiver.answer = (_, response) => {
    response.writeHead(307, { location: `${receiver.url}elsewhere` }).end()
    return undefined
  }
  const { id } = await create({ url: receiver.url })
  await talk()
  await eventually(
    'the attempt',
    async () => (await deliveriesOf(id))[0]?.error?.code === 'WEBHOOK_REDIRECTED',
  )
  t.strictSame(
    receiver.requests.map(({ path }) => path),
    ['/'],
  )
  receiver.answer = (_, response) => {
    response.writeHead(429, { 'retry-after': '999999' }).end()
    return undefined
  }
  await talk()
  const held = await eventually('the refusal', async () =>
    (await deliveriesOf(id)).find(({ response_status }) => response_status === 429),
  )
  t.ok(Math.abs(held.next_attempt_at - held.last_attempt_at - 3600) <= 1)
  const count = receiver.requests.length
  advance(3000)
  await talk()
  advance(0)
  t.equal(receiver.requests.length, count, 'nothing is sent meanwhile')
  receiver.answer = () => 200
  advance(700)
  await receiver.see(count + 3)
  const sent = receiver.requests.slice(count).map((request) => request.id)
  const inOrder = (await deliveriesOf(id)).map((row) => row.id).reverse()
  t.strictSame(sent, inOrder, 'what has waited is sent in its order')
  await webhooks('DELETE', `/${id}`)
})

t.test('A disabled account sends nothing, and a deleted one leaves nothing', async (t) => {
  const receiver = await startReceiver(t)
  receiver.answer = () => 500
  const eve = await createPerson('eve')
  const { id } = await create({ url: receiver.url }, eve.token)
  await talk(eve)
  await receiver.see(1)
  await server.call('PATCH', '/users/eve', { enabled: false })
  advance(60)
  await talk()
  t.equal(receiver.requests.length, 1)
  receiver.answer = () => 200
  await server.call('PATCH', '/users/eve', { enabled: true })
  advance(60)
  await receiver.see(2)
  await server.call('DELETE', '/users/eve')
  for (const name of ['webhooks', 'webhook_deliveries'])
    t.equal(await server.db.collection(name).countDocuments({ user_id: eve.id }), 0, name)
  t.equal(await server.db.collection('webhooks').countDocuments({ _id: id as never }), 0)
})

t.test('Who may no longer use an agent hears no more of it; a deleted agent leaves nothing', async (t) => {
  const receiver = await startReceiver(t)
  const guest = await createPerson('guest')
  const { body: shared } = await server.request('POST', '/agents', {
    body: { name: 'shared', is_shared: true },
  })
  const { id } = await create({ url: receiver.url }, guest.token)
  receiver.answer = () => 500
  await talk({ token: guest.token, agent_id: shared.id })
  await receiver.see(1)
  await server.call('PATCH', `/agents/${shared.id}`, { is_shared: false })
  advance(60)
  await eventually(
    'nothing waits',
    async () =>
      (await server.request('GET', `/webhooks/${id}/deliveries`, { token: guest.token })).body.length === 0,
  )
  t.equal(receiver.requests.length, 1)
  const narrow = await create({ url: receiver.url, agent_id: shared.id })
  await server.call('DELETE', `/agents/${shared.id}`)
  t.equal((await webhooks('GET', `/${narrow.id}`)).status, 404)
  await webhooks('DELETE', `/${id}`, undefined, guest.token)
})

t.test('An account has a bounded number of webhooks', async (t) => {
  const made = []
  for (let n = 0; n < MOST; n += 1) made.push(await create({ url: 'http://127.0.0.1:1/', enabled: false }))
  t.match(await webhooks('POST', '', { url: 'http://127.0.0.1:1/', events: EVENTS }), {
    body: { error: { code: 'LIMIT_REACHED', details: { limit: 'webhooks', max: MOST } } },
  })
  for (const { id } of made) await webhooks('DELETE', `/${id}`)
})
