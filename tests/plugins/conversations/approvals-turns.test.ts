import { setTimeout as pause } from 'node:timers/promises'
import type { ChatMessage } from '../../../plugin-api/testing/fake-openai.ts'
import type { ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import type { LedgerEvent } from '../../../plugins/conversations/chat/ledger/ledger-event.ts'
import t from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { type ChatSocket, chatUrl, connectChat, createHold, range, textOf } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { startServer } from '../../support/server.ts'
import type { TestFrame } from '../../support/socket.ts'
import {
  approve,
  call,
  givePress,
  held,
  punch,
  question,
  reject,
  respond,
  resultsIn,
  startPress,
  task,
} from './approval-calls.ts'

const clock = createTestClock()
const chat = await startPress(t, {
  clock,
  config: { plugins: { chat: { approval_seconds: 60 } } },
  // Less than the time that a stopping server leaves to running turns: if a paused turn delayed it, the test would
  // fail.
  stepLimitMs: { start: 10_000, stop: 4000 },
})
const { agent_id, createThread, decide, fake, history, marks, pauseTurn, server } = chat
const notPending = { status: 409, body: { error: { code: 'HITL_NOT_PENDING' } } }
const threads = () => server.db.collection<ThreadDocument>('threads')

t.beforeEach(() => fake.script(() => ({ text: 'ok' })))

/** Reads the ledger of a thread, whose seqs must have no gaps. */
async function ledgerOf(thread_id: string): Promise<TestFrame[]> {
  const reader = await chat.connect()
  const { last_seq } = await reader.subscribe(thread_id, 0)
  if (last_seq > 0) await reader.until((frame) => frame.thread_id === thread_id && frame.seq === last_seq)
  const frames = reader.of(thread_id)
  reader.close()
  t.strictSame(
    frames.map(({ seq }) => seq),
    range(1, last_seq),
  )
  return frames
}

/** True if an upstream accepts this conversation: each call is answered right after it. */
const isAcceptable = (messages: readonly ChatMessage[]) => {
  const open = new Set<string>()
  return messages.every(({ role, tool_calls = [], tool_call_id }) => {
    const fits = role === 'tool' ? open.delete(tool_call_id!) : open.size === 0
    for (const { id } of tool_calls) open.add(id)
    return fits
  })
}

t.test('A paused turn can be stopped, which ends it permanently', async (t) => {
  const requestCount = fake.requests.length
  const { socket, thread_id, sent, pending } = await pauseTurn([
    {
      text: 'I punch.',
      toolCalls: [punch('call_a', 'stopped'), call('call_b', 'ls', {})],
      usage: { prompt_tokens: 7, completion_tokens: 3 },
    },
  ])
  const { pending_id } = pending
  const other = await chat.connect()
  await other.subscribe(thread_id)
  other.send({ type: 'stop', thread_id })
  const { frames, end } = await socket.seeTurn(sent)
  t.match(frames.at(-2), { type: 'hitl_resolved', pending_id, outcome: 'stopped', decisions: [] })
  t.match(end, { type: 'done', stop_reason: 'stopped', usage: { total_tokens: 10 } })
  t.strictSame((await other.seeTurn(sent)).end, end)
  const { messages, ...page } = await history(thread_id)
  t.match(page, { hitl_pending: null, turn_active: false, last_seq: end.seq })
  t.match(messages, [
    {},
    { id: end.message_id, status: 'stopped', content: [{ text: 'I punch.' }, {}, {}] },
    {},
  ])
  t.match(await decide(thread_id, [approve]), notPending)
  await socket.ask({ thread_id, text: 'and now?' })
  t.ok(isAcceptable(fake.requests.at(-1)!.body.messages))
  t.equal(fake.requests.length, requestCount + 2)
  t.notOk(marks().includes('stopped'))
  other.send({ type: 'stop', thread_id })
  await other.settle()
  t.equal((await ledgerOf(thread_id)).at(-1)!.type, 'done', 'there is nothing to stop any more')
})

t.test('A stop ends the turn whether it comes before, while or after it pauses', async (t) => {
  const socket = await chat.connect()
  const reasons = new Map<string, number>()
  const cases = amount({ short: 3, long: 16 })
  for (const n of range(1, cases)) {
    const thread_id = await createThread()
    const asked = fake.request(fake.requests.length)
    fake.next({ text: 'I see.', toolCalls: [punch('call_a', 'never')], delayMs: 1 })
    const sent = socket.say({ thread_id, text: 'go' })
    await asked
    // Within the same 16 ms, however many cases there are.
    await pause((n * 16) / cases)
    socket.send({ type: 'stop', thread_id })
    const { frames, end } = await socket.seeTurn(sent)
    t.match(end, { type: 'done', stop_reason: 'stopped' })
    const how = frames.at(-2)!.type
    reasons.set(how, (reasons.get(how) ?? 0) + 1)
    t.match(await history(thread_id), { turn_active: false, hitl_pending: null })
  }
  t.comment(Object.fromEntries(reasons))
  t.notOk(marks().includes('never'))
})

t.test('A stop and a decision at the same time both take effect, or the decision is refused', async (t) => {
  for (const n of range(1, amount({ short: 2, long: 8 }))) {
    const mark = `race ${n}`
    const { socket, thread_id, sent } = await pauseTurn([{ toolCalls: [punch('call_a', mark)] }])
    const answer = decide(thread_id, [approve])
    for (let ticks = (n - 1) % 6; ticks > 0; ticks -= 1) await new Promise(setImmediate)
    socket.send({ type: 'stop', thread_id })
    const { end, frames } = await socket.seeTurn(sent)
    const { status } = await answer
    const resolved = frames.find(({ type }) => type === 'hitl_resolved')!
    t.equal(resolved.outcome, status === 200 ? 'decided' : 'stopped')
    t.match(end, { type: 'done', message_id: String })
    if (status === 409) t.equal(end.stop_reason, 'stopped')
    const ran = marks().filter((made) => made === mark).length
    t.ok(ran <= (status === 200 ? 1 : 0), 'what was stopped did not run, and nothing ran twice')
    t.ok((await ledgerOf(thread_id)).length > 0)
    socket.close()
  }
})

t.test('Nothing is run for a turn that was stopped', async (t) => {
  const { hold, release } = createHold()
  held.set('weighed late', hold)
  held.set('approved late', hold)
  const socket = await chat.connect()
  fake.next({ toolCalls: [call('call_a', 'weigh', { mark: 'weighed late' })] })
  const thread_id = await createThread()
  const sent = socket.say({ thread_id, text: 'go' })
  await socket.until((frame) => frame.thread_id === thread_id && frame.type === 'usage')
  socket.send({ type: 'stop', thread_id })
  t.match((await socket.seeTurn(sent)).end, { stop_reason: 'stopped' })
  const approved = await pauseTurn([{ toolCalls: [punch('call_a', 'approved late')] }])
  const answer = await decide(approved.thread_id, [approve])
  while (!marks().includes('approved late')) await approved.socket.settle()
  approved.socket.send({ type: 'stop', thread_id: approved.thread_id })
  t.match(
    (await answer.rest()).at(-1),
    { type: 'done', stop_reason: 'stopped' },
    'one that runs is not awaited',
  )
  release()
  await hold
  await socket.settle()
  t.notOk(marks().includes('weighed late'))
  t.match((await ledgerOf(approved.thread_id)).at(-1), { type: 'done' })
})

t.test('A deletion while a turn is paused leaves nothing behind, and nothing to decide', async (t) => {
  const { body: agent } = await server.request('POST', '/agents', { body: { name: 'short-lived' } })
  await givePress(chat, agent.id)
  const user = await server.createUser({ username: 'leaving' })
  const { body: theirs } = await server.request('GET', '/agents', { token: user.token })
  await givePress(chat, theirs[0].id, user.token)
  const cases: [
    what: string,
    where: { agent_id?: string; token?: string },
    remove: (id: string) => [string, string],
  ][] = [
    ['thread', {}, (thread_id) => ['DELETE', `/agents/${agent_id}/threads/${thread_id}`]],
    ['agent', { agent_id: agent.id }, () => ['DELETE', `/agents/${agent.id}`]],
    ['account', { agent_id: theirs[0].id, token: user.token }, () => ['DELETE', '/users/leaving']],
  ]
  for (const [what, where, remove] of cases) {
    const { thread_id, sent } = await pauseTurn([{ toolCalls: [punch('call_a', 'deleted')] }], where)
    t.equal((await server.request(...remove(thread_id))).status, 204, what)
    const { status } = await decide(thread_id, [approve], where)
    t.ok(status === 404 || status === 401, `${what}: ${status}`)
    t.equal(await threads().countDocuments({ _id: thread_id }), 0, what)
    const events = server.db.collection<LedgerEvent>('events')
    t.equal(await events.countDocuments({ _id: { $regex: `^${thread_id}` } }), 0, what)
    const clientMessages = server.db.collection('client_messages')
    t.equal(await clientMessages.countDocuments({ client_message_id: sent }), 0, what)
  }
  for (const n of range(1, amount({ short: 1, long: 6 }))) {
    const { thread_id } = await pauseTurn([{ toolCalls: [punch('call_a', `gone ${n}`)] }])
    const [answer, removed] = await Promise.all([
      decide(thread_id, [approve]),
      server.request('DELETE', `/agents/${agent_id}/threads/${thread_id}`),
    ])
    t.equal(removed.status, 204)
    t.ok([200, 404, 409].includes(answer.status), String(answer.status))
    await answer.rest()
    const events = server.db.collection<LedgerEvent>('events')
    t.equal(await events.countDocuments({ _id: { $regex: `^${thread_id}` } }), 0)
    t.equal(await threads().countDocuments({ _id: thread_id }), 0)
  }
  t.notOk(marks().includes('deleted'))
})

t.test('A turn waits through a stop and a start of its agent', async (t) => {
  const { thread_id, pending } = await pauseTurn([{ toolCalls: [punch('call_a', 'restarted')] }])
  const { type, thread_id: _, turn_id, seq, ...asked } = pending
  for (const operation of ['stop', 'start', 'reload'])
    t.equal((await server.request('POST', `/agents/${agent_id}/${operation}`)).status, 204)
  t.strictSame((await history(thread_id)).hitl_pending, asked)
  const answer = await decide(thread_id, [approve])
  t.strictSame(resultsIn(await answer.rest()), [['call_a', 'punched restarted', false]])
})

t.test('Eight turns wait behind a paused one and run after it; the ninth is refused', async (t) => {
  const { socket, thread_id, sent } = await pauseTurn([{ toolCalls: [punch('call_a', 'first of all')] }])
  const requestCount = fake.requests.length
  const waiting = range(1, 8).map((n) => socket.say({ thread_id, text: `waiting ${n}` }))
  await socket.settle()
  t.match((await server.request('GET', `/agents/${agent_id}/status`)).body, { turns_active: 0 })
  const ninth = socket.say({ thread_id, text: 'too many' })
  const busy = { type: 'error', code: 'THREAD_BUSY', thread_id, details: { waiting: 8 } }
  t.match(await socket.until((frame) => frame.client_message_id === ninth), busy)
  t.equal(fake.requests.length, requestCount)
  const { queued } = await history(thread_id)
  t.strictSame(
    queued.map(({ text, client_message_id }: Record<string, string>) => [text, client_message_id]),
    waiting.map((id, index) => [`waiting ${index + 1}`, id]),
  )
  const answer = await decide(thread_id, [approve])
  t.match((await answer.rest()).at(-1), { type: 'done' })
  const turns = await Promise.all([sent, ...waiting].map((id) => socket.seeTurn(id)))
  t.strictSame(
    turns.map(({ frames }) => textOf(frames)),
    Array(9).fill('ok'),
  )
  t.ok(turns.every(({ end }, n) => n === 0 || turns[n - 1]!.end.seq < end.seq))
  await ledgerOf(thread_id)

  if (!isLong) return
  const burst = await pauseTurn([{ toolCalls: [punch('call_a', 'burst')] }])
  const all = range(1, 12).map((n) => burst.socket.say({ thread_id: burst.thread_id, text: `burst ${n}` }))
  await burst.socket.until(({ client_message_id }) => client_message_id === all.at(-1))
  await burst.socket.settle()
  const refused = burst.socket.frames.filter(({ code }) => code === 'THREAD_BUSY')
  t.equal(refused.length, 4, 'also if they come at once')
  burst.socket.send({ type: 'stop', thread_id: burst.thread_id })
  const isRefused = (id: string) => refused.some(({ client_message_id }) => client_message_id === id)
  await Promise.all(all.filter((id) => !isRefused(id)).map((id) => burst.socket.seeTurn(id)))
})

t.test('A message queued behind a paused turn is not answered by a stopped agent', async (t) => {
  const { socket, thread_id, sent } = await pauseTurn([{ toolCalls: [punch('call_a', 'agent')] }])
  const waiting = socket.say({ thread_id, text: 'behind it' })
  await socket.settle()
  await server.request('POST', `/agents/${agent_id}/stop`)
  socket.send({ type: 'stop', thread_id })
  await socket.seeTurn(sent)
  t.match((await socket.seeTurn(waiting)).end, { type: 'error', code: 'AGENT_NOT_RUNNING' })
  await server.request('POST', `/agents/${agent_id}/start`)
  const { frames } = await socket.ask({ thread_id, text: 'and now?' })
  t.equal(textOf(frames), 'ok')
})

t.test('A message sent again while its turn is paused shows that turn', async (t) => {
  const { socket, thread_id, sent } = await pauseTurn([{ toolCalls: [punch('call_a', 'repeated')] }])
  const requestCount = fake.requests.length
  const [again, elsewhere] = [await chat.connect(), await chat.connect()]
  again.say({ thread_id, text: 'go', client_message_id: sent })
  elsewhere.say({ text: 'go', client_message_id: sent })
  for (const other of [again, elsewhere]) {
    await other.seePause(sent)
    t.strictSame(other.of(thread_id), socket.of(thread_id))
  }
  t.equal(fake.requests.length, requestCount)
  const answer = await decide(thread_id, [reject()])
  t.match((await answer.rest()).at(-1), { type: 'done' })
  for (const other of [again, elsewhere]) t.strictSame(await other.seeTurn(sent), await socket.seeTurn(sent))
})

t.test('Two servers on one database', async (t) => {
  const second = await startServer(t, { home: server.home, clock })
  const { url } = second
  const connectOther = () => connectChat(t, chatUrl(url, agent_id, server.admin.token))

  await t.test('One of fifty decisions at the same time takes effect, and its tool runs once', async (t) => {
    for (const round of range(1, amount({ short: 1, long: 2 }))) {
      const { socket, thread_id, sent } = await pauseTurn([
        { toolCalls: [punch('call_a', `fifty ${round}`)] },
        { text: 'ok' },
      ])
      const otherSocket = await connectOther()
      await otherSocket.subscribe(thread_id)
      const requestCount = fake.requests.length
      const answers = await Promise.all(
        range(1, 50).map((n) => decide(thread_id, [approve], n % 2 ? { url } : {})),
      )
      const taken = answers.filter(({ status }) => status === 200)
      t.equal(taken.length, 1)
      for (const answer of answers) if (answer.status !== 200) t.match(answer, notPending)
      const frames = await taken[0]!.rest()
      t.match(frames.at(-1), { type: 'done', stop_reason: 'end' })
      const turn = await socket.seeTurn(sent)
      t.strictSame(await otherSocket.seeTurn(sent), turn, 'readers of both servers see the same')
      t.strictSame(turn.frames.slice(-frames.length), frames)
      t.equal(turn.frames.filter(({ type }) => type === 'hitl_resolved').length, 1)
      t.equal(fake.requests.length, requestCount + 1)
      t.equal(marks().filter((mark) => mark === `fifty ${round}`).length, 1)
    }
  })

  await t.test('A turn paused on one server is decided, stopped and followed on the other', async (t) => {
    const decided = await pauseTurn([
      { toolCalls: [task('call_t', 'punch')] },
      { toolCalls: [punch('call_a', 'there')] },
      { text: 'inner' },
      { text: 'outer' },
    ])
    const answer = await decide(decided.thread_id, [approve], { url })
    t.match((await answer.rest()).at(-1), { type: 'done' })
    t.match((await decided.socket.seeTurn(decided.sent)).end, { type: 'done' })
    const stopped = await pauseTurn([{ toolCalls: [punch('call_a', 'not there')] }])
    const waiting = stopped.socket.say({ thread_id: stopped.thread_id, text: 'behind it' })
    const otherSocket = await connectOther()
    await otherSocket.subscribe(stopped.thread_id)
    otherSocket.send({ type: 'stop', thread_id: stopped.thread_id })
    t.match((await otherSocket.seeTurn(stopped.sent)).end, { type: 'done', stop_reason: 'stopped' })
    t.equal(textOf((await stopped.socket.seeTurn(waiting)).frames), 'ok', 'who waited here goes on')
    t.notOk(marks().includes('not there'))
  })

  await t.test('Events that another server wrote before it lost the turn count', async (t) => {
    const events = server.db.collection<LedgerEvent>('events')
    /** Pauses a turn, and writes its next event like a server that was thought to be dead. */
    const pauseAndWrite = async (mark: string, written: (pending_id: string) => Partial<LedgerEvent>) => {
      const paused = await pauseTurn([{ toolCalls: [punch('call_a', mark)] }])
      const { pending_id, seq, turn_id } = paused.pending
      const _id = `${paused.thread_id}:${String(seq + 1).padStart(12, '0')}`
      const event = { _id, turn_id, ts: clock.now(), writer: 'another', ...written(pending_id) }
      await events.insertOne(event as LedgerEvent)
      return paused
    }
    const rejected = await pauseAndWrite('late', (pending_id) => ({
      type: 'hitl_resolved',
      frame: { pending_id, outcome: 'decided', decisions: [{ type: 'reject', message: 'no' }] },
    }))
    t.match(await decide(rejected.thread_id, [approve]), notPending)
    // A server with a queued turn for the thread watches it.
    const waiting = rejected.socket.say({ thread_id: rejected.thread_id, text: 'and now?' })
    const { frames } = await rejected.socket.seeTurn(rejected.sent)
    t.strictSame(resultsIn(frames), [['call_a', 'no', true]])
    await rejected.socket.seeTurn(waiting)

    const ended = await pauseAndWrite('late', () => ({
      type: 'error',
      frame: { code: 'TURN_INTERRUPTED', message: 'x', details: {}, request_id: 'x' },
    }))
    ended.socket.send({ type: 'stop', thread_id: ended.thread_id })
    await ended.socket.settle()
    await ended.socket.ask({ thread_id: ended.thread_id, text: 'and now?' })
    t.match((await history(ended.thread_id)).messages, [{}, { status: 'failed' }, {}, { status: 'complete' }])
    t.notOk(marks().includes('late'))
    t.match((await server.request('GET', `/agents/${agent_id}/status`)).body, { turns_active: 0 })
  })
  await second.stop()
})

t.test('An approval that expires counts as rejected, and the turn continues to its end', async (t) => {
  const { token } = await server.createUser({ username: 'lian' })
  await server.request('PATCH', '/auth/me', { token, body: { locale: 'zh' } })
  const { body: agents } = await server.request('GET', '/agents', { token })
  const theirs = { token, agent_id: agents[0].id as string }
  await givePress(chat, theirs.agent_id, token)
  const { body: stopped } = await server.request('POST', '/agents', { body: { name: 'stopped' } })
  await givePress(chat, stopped.id)

  fake.script(({ body }) =>
    body.messages.at(-1)!.role === 'tool'
      ? { text: 'Nobody was there.' }
      : { toolCalls: [punch('call_a', 'expired'), question('call_q', 'Which?')] },
  )
  const mine = await pauseTurn([])
  const seconds = mine.pending.expires_at - clock.seconds()
  t.ok(seconds > 58 && seconds <= 60)
  const other = await pauseTurn([], theirs)
  const off = await pauseTurn([], { agent_id: stopped.id })
  await server.request('POST', `/agents/${stopped.id}/stop`)
  clock.advance(30)
  const late = await pauseTurn([])
  clock.advance(31)
  // The job that looks for expired approvals runs first when a server starts.
  await server.restart()

  const reader = await chat.connect()
  await reader.subscribe(mine.thread_id, 0)
  const { frames, end } = await reader.seeTurn(mine.sent)
  const message = 'Rejected automatically: nobody decided in time.'
  t.match(
    frames.find(({ type }) => type === 'hitl_resolved'),
    {
      outcome: 'expired',
      pending_id: mine.pending.pending_id,
      decisions: [reject(message), reject(message)],
    },
  )
  t.strictSame(resultsIn(frames), [
    ['call_a', message, true],
    ['call_q', message, true],
  ])
  t.match(end, { type: 'done', stop_reason: 'end' })
  t.equal(textOf(frames), 'Nobody was there.')
  t.match(await decide(mine.thread_id, [approve, respond('this')]), notPending)

  const their = await chat.connect(theirs)
  await their.subscribe(other.thread_id, 0)
  t.match(resultsIn((await their.seeTurn(other.sent)).frames), [
    ['call_a', /已自动拒绝/, true],
    ['call_q', /已自动拒绝/, true],
  ])
  const closed = await chat.connect({ agent_id: stopped.id })
  await closed.subscribe(off.thread_id, 0)
  t.match((await closed.seeTurn(off.sent)).end, { type: 'error', code: 'AGENT_NOT_RUNNING' })
  t.match(await history(late.thread_id), { hitl_pending: { pending_id: late.pending.pending_id } }, 'not yet')
  t.notOk(marks().includes('expired'))
  await (await decide(late.thread_id, [reject(), reject()])).rest()
})

t.test('A decision at the moment of expiry counts, or is refused', async (t) => {
  const { resumption } = server.server.runtime.cradleOf('chat')
  for (const n of range(1, amount({ short: 1, long: 5 }))) {
    const mark = `moment ${n}`
    const { socket, sent, thread_id } = await pauseTurn([{ toolCalls: [punch('call_a', mark)] }])
    clock.advance(61)
    const [{ status }] = await Promise.all([decide(thread_id, [approve]), resumption.expire()])
    const { frames, end } = await socket.seeTurn(sent)
    t.match(end, { type: 'done', stop_reason: 'end' })
    const resolved = frames.filter(({ type }) => type === 'hitl_resolved')
    t.match(resolved, [{ outcome: status === 200 ? 'decided' : 'expired' }])
    t.equal(resolved.length, 1)
    t.equal(marks().filter((made) => made === mark).length, status === 200 ? 1 : 0)
    socket.close()
  }
})

t.test('A server that stops leaves paused turns as they are, and the turns queued behind them', async (t) => {
  const { socket, thread_id, pending } = await pauseTurn([{ toolCalls: [punch('call_a', 'drained')] }])
  const waiting = socket.say({ thread_id, text: 'behind it' })
  await socket.settle()
  // Long enough for the server to have looked at the thread.
  await pause(20)
  await server.restart()
  t.notMatch(server.logged(), 'failed to stop')
  t.match(await socket.closed, { code: 1001 })
  t.match(await history(thread_id), {
    hitl_pending: { pending_id: pending.pending_id },
    messages: { length: 2 },
    queued: [{ client_message_id: waiting, text: 'behind it' }],
  })
  const again: ChatSocket = await chat.connect()
  await again.subscribe(thread_id)
  await (await decide(thread_id, [approve])).rest()
  t.equal(textOf((await again.seeTurn(waiting)).frames), 'ok')
})
