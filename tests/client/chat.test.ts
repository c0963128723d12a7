import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Chat, ChatError, createClient, type ThreadFrame, type TurnFrame } from '#client'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../run/file-test.ts'
import { amount, chooseSeed } from '../run/tier.ts'
import { createHold, range, startChat, textOf } from '../support/chat.ts'
import { createTestClock } from '../support/clock.ts'
import { createChance } from '../support/random.ts'
import { startRelay } from '../support/relay.ts'
import { ADMIN } from '../support/server.ts'

const TOKEN_SECONDS = 6000
/** The turns that are cut. */
const CUTS = amount({ short: 6, long: 100 })
const seed = chooseSeed(5)

const clock = createTestClock()
const env = { SVC_ACCESS_TOKEN_TTL: String(TOKEN_SECONDS) }
const { fake, server, agent_id, createThread, history } = await startChat(t, { clock, env })
const relay = await startRelay(t, () => server.url)

/** Opens a chat of the administrator through the relay; it is closed when the test ends. */
function openChat(t: Test, options: Parameters<ReturnType<typeof createClient>['chat']>[1] = {}): Chat {
  const client = createClient({ baseUrl: relay.url, token: server.admin.token })
  const chat = client.chat('assistant', options)
  t.teardown(chat.close)
  return chat
}

/** Reads an iterator to its end. */
async function readAll<Frame>(frames: AsyncIterable<Frame>): Promise<Frame[]> {
  const read: Frame[] = []
  for await (const frame of frames) read.push(frame)
  return read
}

/** Reads up to the first frame of this type. */
async function readUntil<Frame extends { type: string }>(
  frames: AsyncIterator<Frame, undefined>,
  isLast: (frame: Frame) => boolean,
): Promise<Frame[]> {
  const read: Frame[] = []
  for (;;) {
    const { value, done } = await frames.next()
    if (done) throw new Error(`the frames ended: ${JSON.stringify(read)}`)
    read.push(value)
    if (isLast(value)) return read
  }
}

const ofType = (type: string) => (frame: { type: string }) => frame.type === type
const seqsOf = (frames: readonly (TurnFrame | ThreadFrame)[]) =>
  frames.flatMap((frame) => ('seq' in frame && frame.seq !== undefined ? [frame.seq] : []))

/** Fails unless the seqs rise by one. */
function assertContiguous(t: Test, frames: readonly (TurnFrame | ThreadFrame)[]): void {
  const seqs = seqsOf(frames)
  t.strictSame(seqs, range(seqs[0]!, seqs.at(-1)!))
}

t.test('a turn is read as it streams, and the next one continues its thread', async (t) => {
  const chat = openChat(t)
  const { hold, release } = createHold()
  fake.next({ text: ['Good ', 'day.'], hold, holdAfter: 1 })
  const turn = chat.turn('Hello')
  const first = await readUntil(turn, ofType('content'))
  t.match(first, [{ type: 'turn_started' }, { type: 'content', content: 'Good ' }])
  release()
  const laterFrames = await readAll(turn)
  t.match(laterFrames.at(-1), { type: 'done', stop_reason: 'end' })
  assertContiguous(t, [...first, ...laterFrames])
  const { thread_id } = first[0]!
  fake.next({ text: ['Again.'] })
  const again = await readAll(chat.turn([{ type: 'text', text: 'And now?' }], { thread_id }))
  t.equal(textOf(again), 'Again.')
  t.equal(seqsOf(again)[0], seqsOf(laterFrames).at(-1)! + 1)
})

t.test('the calls of the API are typed, and have the token', async (t) => {
  const client = createClient({ baseUrl: `${server.url}/api/`, token: server.admin.token })
  const { data, error } = await client.GET('/agents')
  t.equal(error, undefined)
  t.match(data, [{ id: agent_id, name: 'assistant' }])
  const missing = await client.GET('/agents/{id}', { params: { path: { id: 'nobody' } } })
  t.match(missing, {
    data: undefined,
    response: { status: 404 },
    error: { error: { code: 'AGENT_NOT_FOUND' } },
  })
  // @ts-expect-error: an unknown path
  t.equal((await client.GET('/agentz')).response.status, 404)
})

t.test('an API key signs in, also at the socket', async (t) => {
  const body = { name: 'client', scopes: ['chat', 'read'] }
  const { status, body: created } = await server.request('POST', '/auth/api-keys', { body })
  t.equal(status, 201)
  const client = createClient({ baseUrl: server.url, apiKey: created.key })
  t.match(await client.GET('/auth/me'), { data: { username: 'admin' } })
  const chat = client.chat('assistant')
  t.teardown(chat.close)
  t.match((await readAll(chat.turn('Hello'))).at(-1), { type: 'done' })
  await server.request('DELETE', `/auth/api-keys/${created.id}`)
  await t.rejects(readAll(client.chat('assistant').turn('Hello')), { code: 'AUTH_FAILED', status: 401 })
})

t.test('several turns and threads share one connection', async (t) => {
  const chat = openChat(t)
  fake.script(({ body }) => ({ text: String(body.messages.at(-1)!.content).split(/(?= )/) }))
  await readAll(chat.turn('one'))
  const { opened } = relay
  const threads = await Promise.all(range(1, 4).map(() => createThread()))
  const turns = await Promise.all(
    threads.map((thread_id) => readAll(chat.turn(`to ${thread_id} alone`, { thread_id }))),
  )
  for (const [index, frames] of turns.entries()) {
    t.equal(textOf(frames), `to ${threads[index]} alone`)
    t.ok(frames.every(({ thread_id }) => thread_id === threads[index]))
    assertContiguous(t, frames)
  }
  const keyed = { session_key: (await history(threads[0]!)).session_key, thread_id: threads[0]! }
  t.equal(textOf(await readAll(chat.turn('by key', { thread_id: keyed.thread_id }))), 'by key')
  t.equal(relay.opened, opened)
})

t.test('a message that waits is queued, and can be taken back by a signal or by its id', async (t) => {
  const chat = openChat(t)
  const thread_id = await createThread()
  const { hold, release } = createHold()
  fake.next({ text: ['slow'], hold })
  const running = chat.turn('first', { thread_id })
  await running.next()
  const leave = new AbortController()
  const [second, third, fourth] = [
    chat.turn('second', { thread_id, signal: leave.signal }),
    chat.turn('third', { thread_id }),
    chat.turn('fourth', { thread_id }),
  ]
  t.match(await second.next(), { value: { type: 'turn_queued', position: 1 } })
  t.match(await third.next(), { value: { type: 'turn_queued', position: 2 } })
  const { value } = await fourth.next()
  if (value?.type !== 'turn_queued') return t.fail(`not queued: ${JSON.stringify(value)}`)
  leave.abort()
  t.match(await readAll(second), [{ type: 'unqueued', thread_id }])
  chat.unqueue(thread_id, value.queue_id)
  t.match(await readAll(fourth), [{ type: 'unqueued', queue_id: value.queue_id }])
  fake.script(() => ({ text: ['third answer'] }))
  release()
  t.equal(textOf(await readAll(running)), 'slow')
  t.equal(textOf(await readAll(third)), 'third answer')
})

t.test('a signal stops a turn; one that was aborted before sends nothing', async (t) => {
  const chat = openChat(t)
  const { hold } = createHold()
  fake.next(
    { text: ['never ', 'ends'], hold, holdAfter: 1 },
    { text: ['never ', 'ends'], hold, holdAfter: 1 },
  )
  const leave = new AbortController()
  const turn = chat.turn('go', { signal: leave.signal })
  const first = await readUntil(turn, ofType('content'))
  leave.abort()
  const laterFrames = await readAll(turn)
  t.match(laterFrames.at(-1), { type: 'done', stop_reason: 'stopped' })
  assertContiguous(t, [...first, ...laterFrames])

  const { thread_id } = first[0]!
  const reason = new Error('not today')
  const never = chat.turn('never sent', { thread_id, signal: AbortSignal.abort(reason) })
  await t.rejects(never.next(), reason)
  t.match(await never.next(), { done: true })

  const other = chat.turn('go', { thread_id })
  await readUntil(other, ofType('content'))
  chat.stop(thread_id)
  t.match((await readAll(other)).at(-1), { type: 'done', stop_reason: 'stopped' })
  t.match(await history(thread_id), { messages: { length: 4 } })
})

t.test('an approval is decided, and the turn goes on', async (t) => {
  const chat = openChat(t)
  const ask = { id: 'q1', name: 'ask_user_question', arguments: { question: 'Which colour?' } }
  fake.next({ toolCalls: [ask] }, { text: ['Blue it is.'] })
  const turn = chat.turn('Paint it.')
  const asked = await readUntil(turn, ofType('hitl_required'))
  const request = asked.at(-1)
  if (request?.type !== 'hitl_required') return
  await t.rejects(chat.resume(request, []), { code: 'VALIDATION_FAILED', status: 422 })
  await chat.resume(request, [{ type: 'respond', message: 'blue' }])
  const laterFrames = await readAll(turn)
  t.match(laterFrames[0], { type: 'hitl_resolved', outcome: 'decided' })
  t.equal(textOf(laterFrames), 'Blue it is.')
  assertContiguous(t, [...asked, ...laterFrames])
  await t.rejects(chat.resume(request, [{ type: 'approve' }]), { code: 'HITL_NOT_PENDING', status: 409 })
})

t.test('a turn that fails or is refused throws the error of the server', async (t) => {
  const chat = openChat(t)
  fake.next({ text: ['so far'], status: 400 } as never)
  const refused = async (turn: AsyncIterable<unknown>) => {
    const error = await readAll(turn).catch((error) => error)
    t.ok(error instanceof ChatError, String(error))
    return error.code
  }
  t.match(await refused(chat.turn('fail')), /^[A-Z_]+$/)
  t.equal(await refused(chat.turn('x', { thread_id: 'thr_01JD0000000000000000000000' })), 'THREAD_NOT_FOUND')
  t.equal(await refused(chat.subscribe('thr_01JD0000000000000000000000')), 'THREAD_NOT_FOUND')
  t.equal(await refused(chat.turn('x', { model: 'x' })), 'VALIDATION_FAILED')
  t.equal(await refused(chat.turn(' ')), 'VALIDATION_FAILED')
  t.equal(await refused(chat.subscribe('not an id')), 'VALIDATION_FAILED')
  const long = chat.turn('x'.repeat(2 ** 21))
  const short = readAll(chat.turn('short'))
  t.equal(await refused(long), 'BODY_TOO_LARGE')
  t.match((await short).at(-1), { type: 'done' }, 'others on the same connection are sent again')
  const client = createClient({ baseUrl: server.url, token: server.admin.token })
  t.equal(await refused(client.chat('nobody').turn('x')), 'AGENT_NOT_FOUND')
  const stranger = createClient({ baseUrl: server.url, token: 'nonsense' })
  t.equal(await refused(stranger.chat('assistant').turn('x')), 'AUTH_FAILED')
  t.equal(await refused(createClient({ baseUrl: server.url }).chat('assistant').turn('x')), 'AUTH_FAILED')
})

t.test('a turn that is asked for again under the id of its message is shown again', async (t) => {
  const chat = openChat(t)
  const requestsBefore = fake.requests.length
  const ask = () => chat.turn('Once', { client_message_id: 'asked-again' })
  const first = await readAll(ask())
  t.match(first.at(-1), { type: 'done' })
  t.strictSame(await readAll(ask()), first)
  t.strictSame(await Promise.all([readAll(ask()), readAll(ask())]), [first, first])
  relay.cut()
  t.strictSame(await readAll(ask()), first, 'on another connection as well')
  t.equal(fake.requests.length, requestsBefore + 1)

  fake.next({ status: 400 })
  const fail = () => readAll(chat.turn('Fail', { client_message_id: 'failed-before' }))
  const [failed, again] = [await fail().catch(String), await fail().catch(String)]
  t.match(failed, /ChatError/)
  t.equal(again, failed)
})

t.test('versions are begun once, across cuts of the connection', async (t) => {
  const chat = openChat(t)
  const thread_id = await createThread()
  fake.next({ text: 'answer' })
  await readAll(chat.turn('question', { thread_id }))
  const [question, answer] = (await history(thread_id)).messages
  const requestsBefore = fake.requests.length
  const words = Array.from({ length: 20 }, (_, n) => `w${n} `)
  for (const [name, begin] of [
    ['regenerate', (options: object) => chat.regenerate(thread_id, { message_id: answer.id, ...options })],
    ['replaces', (options: object) => chat.turn('edited', { thread_id, replaces: question.id, ...options })],
  ] as const) {
    fake.next({ text: words, delayMs: 2 })
    const { last_seq } = await history(thread_id, '?limit=1')
    const ask = () => begin({ client_message_id: `${name}-once` })
    const turn = ask()
    const first = await readUntil(turn, ofType('content'))
    relay.cut()
    const repeated = readAll(ask())
    relay.cutAfter(1500)
    const frames = [...first, ...(await readAll(turn))]
    relay.cutAfter(Number.POSITIVE_INFINITY)
    t.equal(textOf(frames), words.join(''))
    assertContiguous(t, frames)
    t.equal(seqsOf(frames)[0], last_seq + 1)
    t.strictSame(await repeated, frames, 'the repeated one shows the same turn')
    t.strictSame(await readAll(ask()), frames, 'and so does one after its end')
  }
  t.equal(fake.requests.length, requestsBefore + 2)
  const { messages } = await history(thread_id)
  t.match(messages, [{ content: [{ text: 'edited' }] }, { content: [{ text: words.join('') }] }])
  t.strictSame(messages[0].versions, [question.id, messages[0].id])
  await t.rejects(readAll(chat.regenerate(thread_id, { message_id: 'msg_nothing' })), {
    code: 'MESSAGE_NOT_FOUND',
  })
})

t.test('a subscription shows a thread from any position, whoever writes in it', async (t) => {
  const [chat, other] = [openChat(t), openChat(t)]
  const thread_id = await createThread()
  fake.script(() => ({ text: ['a', 'b', 'c'] }))
  const said = await readAll(other.turn('one', { thread_id }))
  const last = seqsOf(said).at(-1)!
  const fromStart = chat.subscribe(thread_id, { after_seq: 0 })
  const fromNow = chat.subscribe(thread_id)
  const fromTwo = chat.subscribe(thread_id, { after_seq: 2 })
  t.match(await fromNow.next(), { value: { type: 'turn_status', active: false, last_seq: last } })
  const next = await readAll(other.turn('two', { thread_id }))
  const end = seqsOf(next).at(-1)!
  const isEnd = (frame: ThreadFrame) => 'seq' in frame && frame.seq === end
  t.strictSame(seqsOf(await readUntil(fromStart, isEnd)), range(1, end))
  t.strictSame(seqsOf(await readUntil(fromTwo, isEnd)), range(3, end))
  t.strictSame(seqsOf(await readUntil(fromNow, isEnd)), seqsOf(next))
  await fromTwo.return!()
  t.match(await fromTwo.next(), { done: true })
  chat.close()
  t.match(await readAll(fromStart), [])

  const leave = new AbortController()
  const reason = new Error('enough')
  const aborted = other.subscribe(thread_id, { signal: leave.signal })
  await aborted.next()
  leave.abort(reason)
  await t.rejects(readAll(aborted), reason)
  await t.rejects(readAll(other.subscribe(thread_id, { signal: leave.signal })), reason)
})

t.test(
  `turns go on across cuts of the connection at any byte, without a gap and nothing twice (seed ${seed})`,
  async (t) => {
    const random = createChance(seed)
    const states: string[] = []
    const chat = openChat(t, { onState: (state) => states.push(state) })
    const reader = openChat(t)
    const thread_id = await createThread()
    const text = Array.from({ length: 30 }, (_, n) => `w${n} `)
    fake.script(() => ({ text, delayMs: 2 }))
    const read = reader.subscribe(thread_id, { after_seq: 0 })
    let end = 0
    for (const round of range(1, CUTS)) {
      relay.cutAfter(random.int(1, 4000))
      const turns = [chat.turn(`round ${round}`, { thread_id }), chat.turn('and then', { thread_id })]
      if (random.chance(0.5)) relay.cut()
      for (const frames of await Promise.all(turns.map(readAll))) {
        t.equal(textOf(frames), text.join(''))
        assertContiguous(t, frames)
        t.equal(seqsOf(frames)[0], end + 1)
        end = seqsOf(frames).at(-1)!
      }
    }
    relay.cutAfter(Number.POSITIVE_INFINITY)
    const all = await readUntil(read, (frame) => 'seq' in frame && frame.seq === end)
    t.strictSame(seqsOf(all), range(1, end))
    t.match(await history(thread_id, '?limit=1'), { last_seq: end }, 'no message was sent twice')
    t.ok(states.filter((state) => state === 'lost').length > 0, states.join())
  },
)

t.test('a connection that is closed with 1013 or 1001 is opened again', async (t) => {
  const chat = openChat(t)
  for (const code of [1013, 1001]) {
    const { hold, release } = createHold()
    fake.next({ text: ['one ', 'two'], hold, holdAfter: 1 })
    const turn = chat.turn('go')
    const first = await readUntil(turn, ofType('content'))
    t.equal(server.server.runtime.sockets.close(() => true, code, 'later') > 0, true)
    release()
    const laterFrames = await readAll(turn)
    t.equal(textOf([...first, ...laterFrames]), 'one two')
    assertContiguous(t, [...first, ...laterFrames])
  }
})

t.test('a connection that went silent is replaced', async (t) => {
  const chat = openChat(t, { silence_ms: 100 })
  const { hold, release } = createHold()
  fake.next({ text: ['one ', 'two'], hold, holdAfter: 1 })
  const turn = chat.turn('go')
  const first = await readUntil(turn, ofType('content'))
  // Longer than the connection may be silent: pings keep it.
  const { opened } = relay
  await pause(400)
  t.equal(relay.opened, opened)
  relay.freeze()
  release()
  const laterFrames = await readAll(turn)
  t.equal(textOf([...first, ...laterFrames]), 'one two')
  assertContiguous(t, [...first, ...laterFrames])
})

t.test('a reader that is slow receives every frame, of which a bounded number waits', async (t) => {
  const chat = openChat(t)
  const thread_id = await createThread()
  const text = Array.from({ length: 2500 }, (_, n) => `${n} `.padEnd(1000, 'x'))
  fake.next({ text })
  const turn = chat.turn('much', { thread_id })
  const slow = chat.subscribe(thread_id)
  await eventually('the turn has ended', async () => !(await history(thread_id)).turn_active)
  const frames = await readAll(turn)
  t.equal(textOf(frames), text.join(''))
  assertContiguous(t, frames)
  const again = await readUntil(slow, ofType('done'))
  t.ok(again.filter(ofType('turn_status')).length > 1, 'the rest was asked for again')
  t.strictSame(seqsOf(again), seqsOf(frames))
})

t.test('leaving a turn ends its reading alone', async (t) => {
  const chat = openChat(t)
  const { hold, release } = createHold()
  fake.next({ text: ['one ', 'two'], hold, holdAfter: 1 })
  let thread_id = ''
  for await (const frame of chat.turn('go')) {
    thread_id = frame.thread_id
    if (frame.type === 'content') break
  }
  const unfinished = chat.turn('waits', { thread_id })
  await unfinished.next()
  chat.close()
  await t.rejects(readAll(unfinished), { code: 'CLOSED' })
  release()
  await eventually('both have ended', async () => (await history(thread_id)).messages.length === 4)
})

t.test('without a server, what waits fails once the patience is over', async (t) => {
  const away = createClient({ baseUrl: 'http://127.0.0.1:9', token: 'x' }).chat('a', { patience_ms: 300 })
  await t.rejects(readAll(away.turn('x')), { code: 'UNREACHABLE', cause: TypeError })
  await t.rejects(readAll(away.subscribe('thr_x')), { code: 'UNREACHABLE' })
})

t.test('the next attempt of a lost connection can be made at once', async (t) => {
  let attempts = 0
  const refusing = createServer((socket) => {
    attempts += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(refusing, 'listening')
  t.teardown(() => refusing.close())
  const { port } = refusing.address() as AddressInfo
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'x' })
  const chat = client.chat('a', { patience_ms: Number.POSITIVE_INFINITY })
  t.teardown(chat.close)
  void readAll(chat.subscribe('thr_x')).catch(() => {})
  // By themselves, so many attempts take longer than any test may.
  await eventually('eighty attempts', async () => {
    chat.retryNow()
    return attempts >= 80
  })
  t.ok(attempts >= 80)
})

t.test('a session that ended is replaced once by getToken, or ends what waits', async (t) => {
  const asked: (string | undefined)[] = []
  const tokens = [await server.login(ADMIN.username, ADMIN.password)]
  const client = createClient({
    baseUrl: server.url,
    async getToken(refused) {
      asked.push(refused)
      return tokens.at(-1)!
    },
  })
  const chat = client.chat('assistant')
  t.teardown(chat.close)
  const { hold, release } = createHold()
  fake.next({ text: ['one ', 'two'], hold, holdAfter: 1 })
  const turn = chat.turn('go')
  const first = await readUntil(turn, ofType('content'))
  tokens.push(await server.login(ADMIN.username, ADMIN.password))
  const fixed = createClient({ baseUrl: server.url, token: tokens[0]! })
  const watching = fixed.chat('assistant').subscribe(first[0]!.thread_id)
  await watching.next()
  await server.request('POST', '/auth/logout', { token: tokens[0]! })
  release()
  const laterFrames = await readAll(turn)
  t.equal(textOf([...first, ...laterFrames]), 'one two')
  t.strictSame(asked, [undefined, tokens[0]])
  await t.rejects(
    readUntil(watching, () => false),
    { code: 'AUTH_FAILED', status: 401 },
  )

  await server.request('POST', '/auth/logout', { token: tokens[1]! })
  t.match(await client.GET('/auth/me'), { response: { status: 401 } }, 'the same token again is not sent')
  t.strictSame(asked.slice(2), [tokens[1]])
  const unable = createClient({
    baseUrl: server.url,
    getToken: () => Promise.reject(new Error('the password was forgotten')),
  })
  await t.rejects(readAll(unable.chat('assistant').turn('x')), { message: 'the password was forgotten' })
  await t.rejects(unable.GET('/auth/me'), { message: 'the password was forgotten' })
})

t.test('a renewed token takes the place of the old one, and an expired one is replaced', async (t) => {
  const renewed: string[] = []
  let logins = 0
  const client = createClient({
    baseUrl: server.url,
    async getToken() {
      logins++
      const { data } = await client.POST('/auth/login', { body: ADMIN })
      return data!.access_token
    },
    onToken: (token) => renewed.push(token),
  })
  t.match(await Promise.all(range(1, 4).map(() => client.GET('/auth/me'))), { length: 4 })
  t.equal(logins, 1, 'several calls at once ask for one token')
  clock.advance(TOKEN_SECONDS * 0.7)
  await client.GET('/auth/me')
  t.equal(renewed.length, 1)
  clock.advance(TOKEN_SECONDS * 0.7)
  t.match(await client.GET('/auth/me'), { data: { username: 'admin' } })
  t.equal(logins, 1, 'the old token would have expired')
  clock.advance(TOKEN_SECONDS * 2)
  const chat = client.chat('assistant')
  t.teardown(chat.close)
  t.match((await readAll(chat.turn('still here?'))).at(-1), { type: 'done' })
  t.equal(logins, 2)
})
