import { spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { thisProcess } from '../../../plugin-api/toolbox/process-identity.ts'
import type { ActiveTurn, ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import type { LedgerEvent } from '../../../plugins/conversations/chat/ledger/ledger-event.ts'
import t from '../../run/file-test.ts'
import { amount, isLong, onlyLong } from '../../run/tier.ts'
import { chatUrl, connectChat, createHold, range, startChat, textOf } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'

const chat = await startChat(t)
const { fake, createThread, history, server, threads } = chat

const collection = () => server.db.collection<ThreadDocument>('threads')

/** The id of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['--version']).pid

/** Leaves a thread like a process that dies in a turn, after the turn's first events. */
async function abandonTurn(
  thread_id: string,
  change: Partial<Omit<ActiveTurn, 'holder'>> & { holder?: object },
  keep = 3,
) {
  const socket = await chat.connect()
  const { turn_id, frames } = await socket.ask({ thread_id, text: 'one two three' })
  const first_seq = frames[0]!.seq as number
  const holder = { node_id: 'another', ...thisProcess, pid: deadPid(), ...change.holder }
  const active_turn = {
    turn_id,
    first_seq,
    lease_until: Date.now() + 60_000,
    started_at: Date.now(),
    ...change,
    holder,
  }
  const events = server.db.collection<LedgerEvent>('events')
  const stored = await events.find({ turn_id }).sort({ _id: 1 }).toArray()
  await events.deleteMany({ _id: { $in: stored.slice(keep).map(({ _id }) => _id) } })
  await server.db.collection('messages').deleteMany({ thread_id, turn_id })
  await collection().updateOne({ _id: thread_id }, { $set: { active_turn, last_seq: first_seq - 1 } })
  socket.close()
  return { turn_id, kept: frames.slice(0, keep) }
}

const dead: [what: string, change: Parameters<typeof abandonTurn>[1]][] = [
  ['whose process on this machine is dead', {}],
  ['of an earlier process of this number', { holder: { pid: process.pid, launch: 'earlier' } }],
  [
    'whose lease has run out, wherever it ran',
    { holder: { machine: 'elsewhere', pid: 1 }, lease_until: Date.now() - 1 },
  ],
  [
    'that this very process has lost',
    { holder: { node_id: server.server.runtime.facts.node_id, pid: process.pid } },
  ],
]
for (const [what, change] of dead)
  t.test(`A turn ${what} is closed by the next one, with its text kept`, async (t) => {
    const thread_id = await createThread()
    const { turn_id, kept } = await abandonTurn(thread_id, change)
    t.equal(textOf(kept).length > 0, true)
    const socket = await chat.connect()
    await socket.subscribe(thread_id, 0)
    const next = await socket.ask({ thread_id, text: 'go on' })
    t.match(next.end, { type: 'done', stop_reason: 'end' })
    const frames = socket.of(thread_id)
    t.strictSame(
      frames.map(({ seq }) => seq),
      range(1, next.end.seq),
    )
    t.strictSame(frames.slice(0, 3), kept)
    t.match(frames[3], {
      type: 'error',
      turn_id,
      code: 'TURN_INTERRUPTED',
      message: String,
      request_id: String,
    })
    t.match((await history(thread_id)).messages, [
      { role: 'user', turn_id },
      { role: 'assistant', turn_id, status: 'failed', content: [{ text: textOf(kept) }] },
      { role: 'user', content: [{ text: 'go on' }] },
      { role: 'assistant', status: 'complete' },
    ])
  })

t.test('A turn without any event is forgotten, and its message can be sent again', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const { turn_id } = await abandonTurn(thread_id, {}, 0)
  const clientMessages = server.db.collection<{ _id: string; client_message_id: string }>('client_messages')
  const { client_message_id } = (await clientMessages.findOne({ _id: turn_id }))!
  await socket.ask({ thread_id, text: 'something else' })
  const again = await socket.ask({ thread_id, text: 'one two three', client_message_id })
  t.equal(textOf(again.frames), 'one two three')
  t.equal((await history(thread_id)).messages.length, 4)
})

t.test('A turn whose end was written without its messages is settled by the next one', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const { kept } = await abandonTurn(thread_id, {}, 100)
  t.match(kept.at(-1), { type: 'done' })
  await socket.ask({ thread_id, text: 'go on' })
  const { messages, last_seq } = await history(thread_id)
  t.match(messages, [{ role: 'user' }, { role: 'assistant', status: 'complete' }, {}, {}])
  t.equal(last_seq, socket.of(thread_id).at(-1)!.seq)
})

t.test('Turns whose process died are also closed when a server starts, and while nobody asks', async (t) => {
  const count = amount({ short: 1, long: 3 })
  const made = await Promise.all(range(1, count).map(() => createThread()))
  for (const thread_id of made) await abandonTurn(thread_id, {})
  await server.restart()
  for (const thread_id of made) {
    t.match(await history(thread_id), { turn_active: false, messages: [{}, { status: 'failed' }] })
    await abandonTurn(thread_id, { holder: { machine: 'elsewhere' }, lease_until: Date.now() + 500 })
  }
  const { body } = await threads('GET', '')
  t.equal(body.filter(({ turn_active }: { turn_active: boolean }) => turn_active).length, count)
  for (const thread_id of made) while ((await history(thread_id)).turn_active) await pause(100)
})

t.test('A turn goes on although the clock jumps', async (t) => {
  const clock = createTestClock()
  const jumping = await startChat(t, { clock })
  const { recovery } = jumping.server.server.runtime.cradleOf('chat')
  const socket = await jumping.connect()
  const thread_id = await jumping.createThread()
  // Further than a lease lasts, and less than a token does.
  for (const seconds of [600, -1200]) {
    const { hold, release } = createHold()
    jumping.fake.script(() => ({ text: ['one ', 'two ', 'three'], hold, holdAfter: 1 }))
    const sent = socket.say({ thread_id, text: 'go' })
    const { turn_id } = await socket.until((frame) => frame.client_message_id === sent)
    await socket.until((frame) => frame.turn_id === turn_id && frame.content?.includes('one'))
    clock.advance(seconds)
    await recovery.adopt()
    release()
    const { frames, end } = await socket.seeTurn(sent)
    t.match(end, { type: 'done', stop_reason: 'end' })
    t.equal(textOf(frames), 'one two three')
  }
  const { last_seq, messages, turn_active } = await jumping.history(thread_id)
  t.equal(turn_active, false)
  t.equal(messages.length, 4)
  t.strictSame(
    socket.of(thread_id).map(({ seq }) => seq),
    range(1, last_seq),
  )
})

let other: TestServer
// Starts after the tests of recovery, because it could do that instead of the restarted server.
t.before(async () => {
  other = await startServer(t, { home: server.home })
})

t.test('Two servers of one process leave each other’s turns alone', async (t) => {
  const { hold, release } = createHold()
  fake.next({ text: ['to the', ' end'], hold, holdAfter: 1 })
  const socket = await chat.connect()
  const sent = socket.say({ thread_id: await createThread(), text: 'talk' })
  await socket.until(({ content }) => content === 'to the')
  t.equal(await other.server.runtime.cradleOf('chat').recovery.adopt(), 0)
  release()
  t.match((await socket.seeTurn(sent)).end, { type: 'done' })
})

t.test('Two servers on one database run one turn of a thread at a time', async (t) => {
  const spawned = isLong ? await spawnService(t, server.home) : undefined
  const { url } = spawned ?? other
  const connectOther = () => connectChat(t, chatUrl(url, chat.agent_id, server.admin.token))
  const [ownSocket, otherSocket] = [await chat.connect(), await connectOther()]
  const thread_id = await createThread()

  await t.test('A turn waits for a turn that another server runs', async (t) => {
    const { hold, release } = createHold()
    const requestCount = fake.requests.length
    fake.next({ text: ['from ', 'there'], hold, holdAfter: 1 }, { text: 'from here' })
    const first = otherSocket.say({ thread_id, text: 'one' })
    await otherSocket.until(({ content }) => content === 'from ')
    t.match(await history(thread_id), {
      turn_active: true,
      last_seq: 2,
      messages: [{}, { status: 'streaming' }],
    })
    t.match(await ownSocket.subscribe(thread_id, 0), { active: true, last_seq: 2 })
    const second = ownSocket.say({ thread_id, text: 'two' })
    await ownSocket.until(({ content }) => content === 'from ')
    for (const _ of range(1, amount({ short: 10, long: 50 }))) await ownSocket.settle()
    t.equal(fake.requests.length, requestCount + 1)
    release()
    t.equal(textOf((await otherSocket.seeTurn(first)).frames), 'from there')
    const turn = await ownSocket.seeTurn(second)
    t.equal(textOf(turn.frames), 'from here')
    t.strictSame(
      ownSocket.of(thread_id).map(({ seq }) => seq),
      range(1, turn.end.seq),
      'a reader here has seen all of the turn that ran there',
    )
    t.match(fake.requests.at(-1)!.body.messages.slice(1), [
      { content: 'one' },
      { content: 'from there' },
      { content: 'two' },
    ])
  })

  await t.test('A turn can be stopped from another server', async (t) => {
    const { hold } = createHold()
    const request = fake.request(fake.requests.length)
    fake.next({ text: ['stop ', 'me'], hold, holdAfter: 1 })
    const sent = otherSocket.say({ thread_id, text: 'talk' })
    await otherSocket.until(({ content }) => content === 'stop ')
    const late = await chat.connect()
    t.match(await late.subscribe(thread_id, 0), { active: true })
    ownSocket.send({ type: 'stop', thread_id })
    await (await request).aborted
    const turn = await otherSocket.seeTurn(sent)
    t.match(turn.end, { type: 'done', stop_reason: 'stopped' })
    t.strictSame(
      await late.seeTurn(sent),
      turn,
      'a reader here is shown its end, behind those of older turns',
    )
  })

  await t.test('One message sent to both servers starts one turn', async (t) => {
    for (const round of range(1, amount({ short: 2, long: 5 }))) {
      const client_message_id = `both-${round}`
      const turn = { thread_id, client_message_id, text: `round ${round}` }
      const requestCount = fake.requests.length
      ownSocket.say(turn)
      otherSocket.say(turn)
      t.strictSame(await ownSocket.seeTurn(client_message_id), await otherSocket.seeTurn(client_message_id))
      t.equal(fake.requests.length, requestCount + 1)
    }
  })

  /** Sends messages alternately to both servers behind a turn that is held, and waits until they are queued. */
  const queueBoth = async (count: number) => {
    const waiting: string[] = []
    for (const n of range(1, count)) {
      const socket = n % 2 ? ownSocket : otherSocket
      const sent = socket.say({ thread_id, text: `waiting ${n}` })
      waiting.push(sent)
      t.match(await socket.until(({ client_message_id }) => client_message_id === sent), {
        type: 'turn_queued',
        position: n,
      })
    }
    return waiting
  }
  const startedIn = (socket: typeof ownSocket, sent: readonly string[]) =>
    socket
      .of(thread_id)
      .flatMap(({ type, client_message_id }) =>
        type === 'turn_started' && sent.includes(client_message_id) ? [client_message_id] : [],
      )

  await t.test('Turns queued on both servers run once, in order, and are seen on both sides', async (t) => {
    const { hold, release } = createHold()
    fake.next({ text: ['held ', 'there'], hold, holdAfter: 1 })
    const requestCount = fake.requests.length
    const first = otherSocket.say({ thread_id, text: 'hold' })
    await otherSocket.until(({ content }) => content === 'held ')
    const waiting = await queueBoth(amount({ short: 4, long: 6 }))
    release()
    for (const socket of [ownSocket, otherSocket]) {
      await Promise.all([first, ...waiting].map((sent) => socket.seeTurn(sent)))
      t.strictSame(startedIn(socket, waiting), waiting)
    }
    t.equal(fake.requests.length, requestCount + 1 + waiting.length)
  })

  const skip = onlyLong
  await t.test('A server takes over the running and queued turns of a killed one', { skip }, async (t) => {
    const { hold } = createHold()
    fake.next({ text: ['half ', 'said'], hold, holdAfter: 1 })
    const reader = await chat.connect()
    const sent = otherSocket.say({ thread_id, text: 'talk' })
    await otherSocket.until(({ content }) => content === 'half ')
    const waiting = await queueBoth(4)
    await spawned!.kill()
    await reader.subscribe(thread_id)
    const next = await ownSocket.ask({ thread_id, text: 'still there?' })
    t.match(next.end, { type: 'done' })
    const cut = await reader.seeTurn(sent)
    t.match(cut.end, { type: 'error', code: 'TURN_INTERRUPTED' })
    t.equal(textOf(cut.frames), 'half ')
    await reader.seeTurn(next.client_message_id)
    const all = [...waiting, next.client_message_id]
    t.strictSame(startedIn(reader, all), all)
    t.match(await history(thread_id), { turn_active: false, queued: [] })
  })
})
