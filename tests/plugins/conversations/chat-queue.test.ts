import t from '../../run/file-test.ts'
import { isLong } from '../../run/tier.ts'
import { type ChatSocket, createHold, range, startChat, textOf } from '../../support/chat.ts'

const config = { limits: { running_turns: 2, waiting_turns: 3 } }
const chat = await startChat(t, { config })
const { fake, createThread, history, server } = chat

const stored = (filter: object = {}) => server.db.collection('queued_turns').countDocuments(filter)
const isQueued = (sent: string) => (frame: { type: string; client_message_id?: string }) =>
  frame.type === 'turn_queued' && frame.client_message_id === sent
const turnsIn = (socket: ChatSocket, thread_id: string) =>
  socket
    .of(thread_id)
    .flatMap(({ type, client_message_id }) => (type === 'turn_started' ? [client_message_id] : []))

/** Starts a turn whose answer waits until it is released. */
async function holdTurn(socket: ChatSocket, thread_id: string) {
  const { hold, release } = createHold()
  fake.next({ text: ['first ', 'second'], hold, holdAfter: 1 })
  const sent = socket.say({ thread_id, text: 'running' })
  await socket.until((frame) => frame.thread_id === thread_id && frame.content === 'first ')
  return { sent, release }
}

t.test('A queued message is stored, announced, shown, and run under its first id', async (t) => {
  const [socket, other] = [await chat.connect(), await chat.connect()]
  const thread_id = await createThread()
  const { sent, release } = await holdTurn(socket, thread_id)
  const waiting: string[] = []
  for (const n of range(1, 3)) {
    const content = [
      { type: 'text', text: `wait ${n}` },
      { type: 'text', text: 'more' },
    ]
    waiting.push(socket.say({ thread_id, content }))
  }
  const queuedFrames = await Promise.all(waiting.map((id) => socket.until(isQueued(id))))
  t.strictSame(
    queuedFrames.map(({ position }) => position),
    [1, 2, 3],
  )
  const { queued } = await history(thread_id)
  t.match(
    queued,
    queuedFrames.map(({ queue_id }, index) => ({
      queue_id,
      client_message_id: waiting[index],
      text: `wait ${index + 1}\nmore`,
      created_at: Number,
    })),
  )
  t.match(await other.subscribe(thread_id), { active: true, queued })
  release()
  const turns = await Promise.all([sent, ...waiting].map((id) => other.seeTurn(id)))
  t.strictSame(
    turns.slice(1).map(({ turn_id }) => turn_id),
    queuedFrames.map(({ queue_id }) => queue_id),
  )
  t.strictSame(turnsIn(socket, thread_id), [sent, ...waiting])
  t.match(await history(thread_id), { queued: [], messages: { length: 8 } })
  t.equal(await stored(), 0)
})

t.test('A queued message can be taken back, and is then not run', async (t) => {
  const [socket, other] = [await chat.connect(), await chat.connect()]
  const thread_id = await createThread()
  const { sent, release } = await holdTurn(socket, thread_id)
  await other.subscribe(thread_id)
  const stays = socket.say({ thread_id, text: 'stays' })
  const goes = socket.say({ thread_id, text: 'goes' })
  const { queue_id } = await socket.until(isQueued(goes))
  other.send({ type: 'unqueue', thread_id, queue_id })
  for (const reader of [socket, other])
    t.match(await reader.until(({ type }) => type === 'unqueued'), { thread_id, queue_id })
  const frameCount = socket.frames.length
  socket.send({ type: 'unqueue', thread_id, queue_id })
  const status = await socket.until(
    (frame) => frame.type === 'turn_status' && socket.frames.indexOf(frame) >= frameCount,
  )
  t.match(status, { thread_id, active: true, queued: [{ client_message_id: stays }] })
  t.equal(status.queued.length, 1)
  const bystander = await chat.connect()
  const { queue_id: second } = await socket.until(isQueued(stays))
  bystander.send({ type: 'unqueue', thread_id, queue_id: second })
  t.match(
    await bystander.next('unqueued'),
    { thread_id, queue_id: second },
    'also told to one that reads nothing',
  )
  release()
  await socket.seeTurn(sent)
  const again = await socket.ask({ thread_id, text: 'goes after all', client_message_id: goes })
  t.equal(textOf(again.frames), 'goes after all', 'what was taken back can be sent again')
  t.strictSame(turnsIn(socket, thread_id), [sent, goes])

  const { token } = await server.createUser({ username: 'ann' })
  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: true } })
  const stranger = await chat.connect({ token })
  stranger.send({ type: 'unqueue', thread_id, queue_id })
  t.match(await stranger.next('error'), { code: 'THREAD_NOT_FOUND' })
})

t.test('A message sent again while it is queued is stored once', async (t) => {
  const [socket, other] = [await chat.connect(), await chat.connect()]
  const thread_id = await createThread()
  const { release } = await holdTurn(socket, thread_id)
  const client_message_id = socket.say({ thread_id, text: 'once' })
  const { queue_id } = await socket.until(isQueued(client_message_id))
  for (const place of [{ thread_id }, {}]) other.say({ ...place, text: 'once', client_message_id })
  for (const _ of range(1, 2))
    t.match(await other.next('turn_queued'), { thread_id, client_message_id, queue_id, position: 1 })
  t.equal(await stored({ thread_id }), 1)
  release()
  t.strictSame(await other.seeTurn(client_message_id), await socket.seeTurn(client_message_id))
  await other.settle()
  t.equal(turnsIn(socket, thread_id).length, 2)
})

t.test(
  'Taking a message back at the moment of its start either stops it or is answered by the status',
  async (t) => {
    const socket = await chat.connect()
    const thread_id = await createThread()
    const outcomes = { unqueued: 0, turn_status: 0 }
    // In either case the turn before it still runs, or has just ended.
    for (const n of isLong ? range(1, 12) : [2, 7]) {
      const { sent, release } = await holdTurn(socket, thread_id)
      const waiting = socket.say({ thread_id, text: `wait ${n}` })
      const { queue_id } = await socket.until(isQueued(waiting))
      const frameCount = socket.frames.length
      release()
      if (n > 4) await socket.seeTurn(sent)
      for (let ticks = n; ticks > 0; ticks -= 1) await new Promise(setImmediate)
      socket.send({ type: 'unqueue', thread_id, queue_id })
      const answer = await socket.until(
        (frame) =>
          (frame.type === 'unqueued' && frame.queue_id === queue_id) ||
          (frame.type === 'turn_status' && socket.frames.indexOf(frame) >= frameCount),
      )
      outcomes[answer.type as keyof typeof outcomes] += 1
      if (answer.type === 'turn_status') await socket.seeTurn(waiting)
      else {
        await socket.seeTurn(sent)
        await socket.ask({ thread_id, text: 'in between' })
        t.notOk(turnsIn(socket, thread_id).includes(waiting))
      }
      t.equal(await stored({ thread_id }), 0)
    }
    t.comment(outcomes)
  },
)

t.test('Queued turns of a disabled account fail and are kept', async (t) => {
  const { username, token } = await server.createUser({ username: 'bob' })
  const { body: agent } = await server.request('POST', '/agents', { token, body: { name: 'his' } })
  const place = { token, agent_id: agent.id }
  const socket = await chat.connect(place)
  const thread_id = await createThread(place)
  const { release } = await holdTurn(socket, thread_id)
  const waiting = socket.say({ thread_id, text: 'behind it' })
  await socket.until(isQueued(waiting))
  t.equal((await server.request('PATCH', `/users/${username}`, { body: { enabled: false } })).status, 200)
  t.match(await socket.closed, { code: 4401 })
  release()
  while ((await stored({ thread_id })) > 0) await new Promise(setImmediate)
  await server.request('PATCH', `/users/${username}`, { body: { enabled: true } })
  const again = await server.login(username, 'bob-password-1')
  const reader = await chat.connect({ token: again, agent_id: agent.id })
  await reader.subscribe(thread_id, 0)
  t.match((await reader.seeTurn(waiting)).end, { type: 'error', code: 'USER_DISABLED' })
})

t.test('An account runs as many turns as it may, the others wait in the order they came', async (t) => {
  const socket = await chat.connect()
  const [one, two, three, four] = await Promise.all(range(1, 4).map(() => chat.createThread()))
  const running = [await holdTurn(socket, one!), await holdTurn(socket, two!)]
  const waiting: string[] = []
  for (const [thread_id, position] of [
    [three, 1],
    [four, 1],
    [three, 2],
  ] as const) {
    const sent = socket.say({ thread_id, text: `in ${thread_id}` })
    waiting.push(sent)
    t.match(await socket.until(isQueued(sent)), { thread_id, position })
  }
  t.match(await chat.history(three!), { turn_active: false, queued: { length: 2 } })
  socket.send({ type: 'stop', thread_id: three })
  t.match(await socket.next('turn_status'), { thread_id: three, active: false, queued: { length: 2 } })

  const threads = async () => (await chat.threads('GET', '?limit=200')).body.length
  const threadCount = await threads()
  for (const place of [{ thread_id: three }, { thread_id: one }, {}]) {
    const sent = socket.say({ ...place, text: 'one too many' })
    t.match(await socket.until(({ client_message_id }) => client_message_id === sent), {
      type: 'error',
      code: 'TOO_MANY_TURNS',
      details: { limit: 'waiting_turns', max: 3 },
    })
  }
  while ((await threads()) > threadCount) await new Promise(setImmediate)
  const { body } = await server.request('GET', '/auth/me')
  if (body.limits)
    t.match(body.limits, { running_turns: { used: 2, max: 2 }, waiting_turns: { used: 3, max: 3 } })

  const { token } = await server.createUser({ username: 'cleo' })
  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: true } })
  const other = await (await chat.connect({ token })).ask({ text: 'hello' })
  t.match(other.end, { type: 'done' }, 'another account has turns of its own')

  const asked = fake.requests.length
  running[0]!.release()
  for (const sent of waiting) await socket.seeTurn(sent)
  t.strictSame(
    fake.requests.slice(asked).map(({ body: { messages } }) => messages.at(-1)!.content),
    [`in ${three}`, `in ${four}`, `in ${three}`],
  )
  running[1]!.release()
  await Promise.all(running.map(({ sent }) => socket.seeTurn(sent)))
})
