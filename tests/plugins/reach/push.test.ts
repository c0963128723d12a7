import { randomBytes } from 'node:crypto'
import { createHold, eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createTestClock } from '../../support/clock.ts'
import { startFakePush } from '../../support/fake-push.ts'
import { ADMIN, startServer } from '../../support/server.ts'
import { call, punch, question, startPress } from '../conversations/approval-calls.ts'

const clock = createTestClock()
const push = await startFakePush(t)
const config = {
  limits: { push_subscriptions: 3 },
  plugins: { push: { allow_hosts: ['127.0.0.1'], contact: 'mailto:ops@example.com' } },
}
const chat = await startPress(t, { clock, config })
const { server, agent_id } = chat
const { db } = server
const cradle = () => server.server.runtime.cradleOf('push')
const ME = '/auth/me/push'

const subscribe = async (token?: string) => {
  const subscription = push.subscribe()
  const { status } = await server.request('POST', ME, { body: { subscription }, token })
  if (status !== 204) throw new Error(`the subscription was answered ${status}`)
  return subscription
}
const list = async (token?: string): Promise<{ endpoint: string }[]> =>
  (await server.request('GET', ME, { token })).body.subscriptions
const unsubscribe = (endpoint: string) => server.request('DELETE', ME, { body: { endpoint } })
const focus = (has_focus: boolean, page = 'page-0001') =>
  server.request('POST', `${ME}/focus`, { body: { page, has_focus } })
const decide = (token: string, decision: string) =>
  server.request('POST', '/push/decisions', { token: null, body: { token, decision } })
const pushesTo = (endpoint: string) => push.received.filter((push) => push.endpoint === endpoint)
const catchUp = () => cradle().delivery.catchUp()
/** Waits until nothing is left to do for a fact. */
const seeDone = (id: string) =>
  eventually(`the end of ${id}`, async () => {
    const notice = await db.collection<{ _id: string }>('push_notices').findOne({ _id: id })
    return notice !== null && (notice as { due_at?: unknown }).due_at === null
  })
const resume = (thread_id: string, ...decisions: object[]) =>
  server.request('POST', `/agents/${agent_id}/chat/hitl/resume`, { body: { thread_id, decisions } })

t.test('a device is listed, receives a test and is removed', async (t) => {
  const { endpoint } = await subscribe()
  const { body } = await server.request('GET', ME)
  t.match(body.public_key, /^[\w-]{87}$/)
  t.match(body.subscriptions, [{ endpoint, last_sent_at: null }])
  t.notOk(JSON.stringify(body).includes('auth'), 'its secret is not shown')
  t.match(await server.request('POST', `${ME}/test`), {
    status: 200,
    body: { sent: 1, ended: 0, failed: 0 },
  })
  const test = await push.until((push) => push.endpoint === endpoint)
  t.match(test.payload, { title: 'Notifications work', path: '/account', tag: 'test', lang: 'en' })
  t.match(test.sender, { sub: 'mailto:ops@example.com', public_key: body.public_key })
  t.ok((await server.request('GET', ME)).body.subscriptions[0].last_sent_at > 0)

  await server.request('PATCH', '/auth/me', { body: { locale: 'zh' } })
  await server.request('POST', `${ME}/test`)
  await push.until(({ payload }) => payload.title === '通知功能正常')
  await server.request('PATCH', '/auth/me', { body: { locale: null } })

  t.equal((await unsubscribe(endpoint)).status, 204)
  t.strictSame(await list(), [])
  t.equal((await unsubscribe(endpoint)).status, 204, 'and again')
})

t.test('what is no subscription is refused, and so are too many', async (t) => {
  const { endpoint, keys } = push.subscribe()
  const refused = async (subscription: object, path: string) =>
    t.match(await server.request('POST', ME, { body: { subscription } }), {
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path }] } } },
    })
  await refused({ endpoint: 'http://push.example.com/x', keys }, '/subscription/endpoint')
  await refused({ endpoint: 'no address', keys }, '/subscription/endpoint')
  await refused({ endpoint: 'https://push.example.com:99999/x', keys }, '/subscription/endpoint')
  await refused({ endpoint: 'https://ann:secret@push.example.com/x', keys }, '/subscription/endpoint')
  await refused({ endpoint, keys: { ...keys, p256dh: 'AAAA' } }, '/subscription/keys')
  await refused({ endpoint, keys: { ...keys, auth: 'AAAA' } }, '/subscription/keys')
  await refused(
    { endpoint, keys: { ...keys, p256dh: randomBytes(65).toString('base64url') } },
    '/subscription/keys',
  )
  const devices = [await subscribe(), await subscribe(), await subscribe()]
  const more = await server.request('POST', ME, { body: { subscription: push.subscribe() } })
  t.match(more, { body: { error: { code: 'LIMIT_REACHED' } } })
  const again = await server.request('POST', ME, { body: { subscription: devices[0] } })
  t.equal(again.status, 204, 'a known device is no further one')
  for (const { endpoint } of devices) await unsubscribe(endpoint)
})

t.test('a private address is not reached', async (t) => {
  const subscription = { ...push.subscribe(), endpoint: 'https://192.168.7.9/send/1' }
  t.equal((await server.request('POST', ME, { body: { subscription } })).status, 204)
  t.match((await server.request('POST', `${ME}/test`)).body, { sent: 0, failed: 1 })
  t.ok(server.logged().includes('a notification could not be sent'))
  await unsubscribe(subscription.endpoint)
})

t.test('a finished turn notifies once, unless a page has the focus', async (t) => {
  const { endpoint } = await subscribe()
  const socket = await chat.connect()
  const ask = async (text: string, answer: string) => {
    const thread_id = await chat.createThread()
    chat.fake.next({ text: [answer] })
    const turn = await socket.ask({ thread_id, text })
    await seeDone(`turn:${turn.turn_id}`)
    return turn
  }
  t.strictSame((await focus(true)).body, { again_seconds: 30 })
  await ask('hi', 'seen')
  await focus(false)
  const { thread_id } = await ask('Numbers', '**Three** things\n\n- are `new` ')
  const { payload, headers } = await push.until((push) => push.endpoint === endpoint)
  const path = `/chat/${agent_id}/${thread_id}`
  t.strictSame(payload, {
    title: 'Numbers',
    body: 'Three things are new',
    tag: thread_id,
    path,
    lang: 'en',
  })
  t.equal(headers.ttl, '86400')
  await catchUp()
  t.equal(pushesTo(endpoint).length, 1, 'the one with the focus is not told later')

  // A page that died without saying so.
  await focus(true, 'page-0002')
  clock.advance(60)
  await ask('two', 'not told')
  clock.advance(30)
  await ask('three', 'told')
  await push.until(({ payload }) => payload.body === 'told')
  t.notOk(push.received.some(({ payload }) => payload.body === 'not told'))

  chat.fake.next({ status: 400 })
  await socket.ask({ thread_id: await chat.createThread(), text: 'four' })
  t.match(await push.until(({ payload }) => payload.title === 'Failed: four'), { payload: { body: /./ } })

  const { hold, release } = createHold()
  chat.fake.next({ text: ['long ', 'answer'], hold, holdAfter: 1 })
  const stopped = await chat.createThread()
  const sent = socket.say({ thread_id: stopped, text: 'five' })
  await socket.until((frame) => frame.thread_id === stopped && frame.type === 'content')
  socket.send({ type: 'stop', thread_id: stopped })
  const { turn_id } = await socket.seeTurn(sent)
  release()
  await ask('six', 'after it')
  t.equal(await db.collection('push_notices').countDocuments({ subject_id: turn_id }), 0, 'a stopped turn')
  await unsubscribe(endpoint)
})

t.test('an approval is decided from the notification, once', async (t) => {
  const { endpoint } = await subscribe()
  for (const [decision, label] of [
    ['approve', 'Approved'],
    ['deny', 'Denied'],
  ] as const) {
    const mark = `m-${decision}`
    const { socket, sent, pending, thread_id } = await chat.pauseTurn([
      { toolCalls: [punch('1', mark)] },
      { text: ['done'] },
    ])
    const { payload, headers } = await push.until(({ payload }) => payload.tag === pending.pending_id)
    t.match(payload, {
      title: 'assistant needs your approval',
      body: `Press punch: ${mark}`,
      path: `/chat/${agent_id}/${thread_id}`,
      actions: [
        { action: 'approve', title: 'Approve' },
        { action: 'deny', title: 'Deny' },
      ],
    })
    t.equal(headers.urgency, 'high')
    const { token } = payload
    const other = await decide('x'.repeat(43), decision)
    t.match(other, { status: 404, body: { error: { message: /Open the conversation/ } } })
    const results = await Promise.all([decide(token, decision), decide(token, decision)])
    t.match(
      results.find(({ body }) => body.title === label),
      {
        status: 200,
        body: { body: 'assistant continues.', path: payload.path },
      },
    )
    t.equal(results.filter(({ body }) => body.title === label).length, 1, 'one of two takes effect')
    const { frames, turn_id } = await socket.seeTurn(sent)
    await seeDone(`turn:${turn_id}`)
    t.equal(chat.marks().includes(mark), decision === 'approve')
    t.equal(frames.filter(({ type }) => type === 'hitl_resolved').length, 1)
    t.equal((await decide(token, decision)).status, 404, 'and never again')
  }
  await unsubscribe(endpoint)
})

t.test('a token ends with the approval, and with the sign-in of its device', async (t) => {
  const { endpoint } = await subscribe()
  const { pending, socket, sent, thread_id } = await chat.pauseTurn([
    { toolCalls: [punch('1', 'ended')] },
    { text: ['done'] },
  ])
  const first = await push.until(({ payload }) => payload.tag === pending.pending_id)
  await unsubscribe(endpoint)
  t.equal(
    (await decide(first.payload.token, 'approve')).status,
    404,
    'a device that is no longer in the list',
  )

  await resume(thread_id, { type: 'reject' })
  await socket.seeTurn(sent)
  t.notOk(chat.marks().includes('ended'))

  const third = await subscribe()
  const later = await chat.pauseTurn([{ toolCalls: [punch('1', 'later')] }, { text: ['done'] }])
  const { payload } = await push.until(({ payload }) => payload.tag === later.pending.pending_id)
  await resume(later.thread_id, { type: 'reject' })
  await seeDone(`turn:${(await later.socket.seeTurn(later.sent)).turn_id}`)
  t.equal((await decide(payload.token, 'approve')).status, 404, 'the approval was decided in the console')
  await unsubscribe(third.endpoint)
})

t.test('only a request that is shown whole can be approved', async (t) => {
  const { endpoint } = await subscribe()
  const see = async (calls: ReturnType<typeof call>[]) => {
    const turn = await chat.pauseTurn([{ toolCalls: calls }, { text: ['done'] }])
    const { payload } = await push.until(({ payload }) => payload.tag === turn.pending.pending_id)
    const decisions = turn.pending.action_requests.map(() =>
      payload.actions ? { type: 'reject' } : { type: 'respond', message: 'Ann' },
    )
    await resume(turn.thread_id, ...decisions)
    await seeDone(`turn:${(await turn.socket.seeTurn(turn.sent)).turn_id}`)
    return payload
  }
  const namesOf = ({ actions = [] }: { actions?: { action: string }[] }) =>
    actions.map(({ action }) => action)
  const long = await see([call('1', 'loose', { text: 'y'.repeat(300), more: 1 })])
  t.strictSame(namesOf(long), ['deny'])
  t.equal(long.body.length, 200)
  t.match(long.body, /^Press loose: text: y+…$/)
  t.equal((await decide(long.token, 'approve')).status, 404)
  const two = await see([punch('1', 'a'), punch('2', 'b')])
  t.strictSame(namesOf(two), ['deny'])
  t.equal(two.body, '2 requests: Press punch')
  t.strictSame(namesOf(await see([punch('1', 'a\u202Eb')])), ['deny'], 'hidden characters')
  const asked = await see([question('1', 'Which year?')])
  t.match(asked, { title: 'assistant has a question', body: 'Which year?' })
  t.strictSame(namesOf(asked), [])
  t.notOk('token' in asked)
  await unsubscribe(endpoint)
})

t.test('an approval that waits notifies once nobody looks any more', async (t) => {
  const { endpoint } = await subscribe()
  await focus(true)
  const { pending, socket, sent, thread_id } = await chat.pauseTurn([
    { toolCalls: [punch('1', 'wait')] },
    { text: ['done'] },
  ])
  await eventually('the fact is stored', () =>
    db.collection('push_notices').countDocuments({ subject_id: pending.pending_id, lease_until: 0 }),
  )
  await catchUp()
  t.strictSame(pushesTo(endpoint), [])
  await focus(false)
  clock.advance(31)
  await catchUp()
  t.match(pushesTo(endpoint), [{ payload: { tag: pending.pending_id } }])
  // The server that was to tell died in between.
  await db.collection('push_notices').deleteMany({})
  await catchUp()
  t.equal(pushesTo(endpoint).length, 2, 'an approval without a notice is found')
  await catchUp()
  t.equal(pushesTo(endpoint).length, 2)
  await unsubscribe(endpoint)
  await resume(thread_id, { type: 'reject' })
  await socket.seeTurn(sent)
})

t.test('a push service that fails is tried again; one that says gone ends the subscription', async (t) => {
  const [busy, gone, wrong] = [await subscribe(), await subscribe(), await subscribe()]
  push.answer(busy.endpoint, 503, 2)
  push.answer(gone.endpoint, 410)
  push.answer(wrong.endpoint, 400)
  const socket = await chat.connect()
  chat.fake.next({ text: ['patience'] })
  await socket.ask({ thread_id: await chat.createThread(), text: 'go' })
  await eventually('the device that is gone is removed', async () => (await list()).length === 2)
  await eventually('the first attempt is over', () =>
    db.collection('push_notices').countDocuments({ attempts: 1, lease_until: 0 }),
  )
  t.strictSame(pushesTo(busy.endpoint), [])
  for (const seconds of [6, 21]) {
    clock.advance(seconds)
    await catchUp()
  }
  t.match(pushesTo(busy.endpoint), [{ payload: { body: 'patience' } }])
  t.strictSame(pushesTo(wrong.endpoint), [], 'a refusal is final')
  clock.advance(400)
  await catchUp()
  t.equal(pushesTo(busy.endpoint).length, 1)
  for (const { endpoint } of await list()) await unsubscribe(endpoint)
})

t.test('a sign-out ends the device, and so does the end of the account', async (t) => {
  const ann = await server.createUser({ username: 'ann' })
  const token = await server.login('ann', ann.password)
  await subscribe(token)
  await subscribe(ann.token)
  await server.request('POST', '/auth/logout', { token, body: {} })
  await eventually('the device ends', async () => (await list(ann.token)).length === 1)
  await server.request('PATCH', `/users/${ann.id}`, { body: { enabled: false } })
  const countOf = () => db.collection('push_subscriptions').countDocuments({ user_id: ann.id })
  await eventually('all devices end', async () => (await countOf()) === 0)
  t.equal((await server.request('DELETE', `/users/${ann.id}`, { body: {} })).status, 204)
})

t.test('a device whose session has ended without a word receives nothing', async (t) => {
  const token = await server.login(ADMIN.username, ADMIN.password)
  const [ended, live] = [await subscribe(token), await subscribe()]
  const { session_id } = (await db
    .collection<{ endpoint: string; session_id: string }>('push_subscriptions')
    .findOne({ endpoint: ended.endpoint }))!
  // As an operator does who ends all sessions.
  await db
    .collection<{ _id: string }>('sessions')
    .updateOne({ _id: session_id }, { $set: { ended_at: Date.now() } })
  const socket = await chat.connect()
  chat.fake.next({ text: ['for one'] })
  await socket.ask({ thread_id: await chat.createThread(), text: 'go' })
  await push.until(({ payload }) => payload.body === 'for one')
  t.match(await list(), [{ endpoint: live.endpoint }])
  t.strictSame(pushesTo(ended.endpoint), [])
  await unsubscribe(live.endpoint)
})

t.test('a finished schedule notifies by its name, and two servers send each fact once', async (t) => {
  const { endpoint } = await subscribe()
  const other = await startServer(t, { home: server.home, clock, config })
  const secondCradle = other.server.runtime.cradleOf('push')
  chat.fake.next({ text: ['All is well.'] })
  const body = { name: 'Watch', prompt: 'Look.', schedule: { every_seconds: 3600 } }
  const { id } = (await server.request('POST', `/agents/${agent_id}/cron`, { body })).body
  const { turn_id, thread_id } = (
    await server.request('POST', `/agents/${agent_id}/cron/${id}/run-now`, { body: {} })
  ).body
  const { payload } = await push.until((push) => push.endpoint === endpoint)
  t.match(payload, { title: 'Scheduled task finished: Watch', body: 'All is well.', tag: thread_id })
  await seeDone(`schedule:${turn_id}`)

  const { id: user_id } = (await server.request('GET', '/auth/me')).body
  const fact = { kind: 'schedule', user_id, agent_id, thread_id } as const
  const release = push.hold()
  const calls = [cradle(), secondCradle, cradle(), secondCradle].map(({ delivery }) =>
    delivery.tell({ ...fact, subject_id: turn_id }),
  )
  await Promise.all([...calls, secondCradle.delivery.catchUp(), cradle().delivery.catchUp()])
  await db.collection('push_notices').deleteMany({})
  await Promise.all(
    [cradle(), secondCradle, cradle(), secondCradle].map(({ delivery }) =>
      delivery.tell({ ...fact, subject_id: turn_id }),
    ),
  )
  release()
  await seeDone(`schedule:${turn_id}`)
  await Promise.all([secondCradle.delivery.idle(), cradle().delivery.idle()])
  t.equal(pushesTo(endpoint).length, 2, 'once, and once more after the record was lost')
})
