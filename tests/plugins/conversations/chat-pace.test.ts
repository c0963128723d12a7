import t from '../../run/file-test.ts'
import { chatUrl, connectChat, createHold, range, startChat, textOf } from '../../support/chat.ts'

const { fake, server, connect, createThread } = await startChat(t)
const { body: rows } = await server.request('GET', '/admin/providers')
const { id } = rows.find(({ name }: { name: string }) => name === 'fake')

const allow = async (max_concurrency: number | null) => {
  const reply = await server.request('PATCH', `/admin/providers/${id}`, { body: { max_concurrency } })
  t.match(reply.body, { max_concurrency })
}

t.test('A provider receives as many calls at once as it allows, and the others wait', async (t) => {
  await allow(2)
  const socket = await connect()
  const requestCount = fake.requests.length
  const holds = Array.from({ length: 4 }, createHold)
  fake.next(...holds.map(({ hold }, n) => ({ text: [`reply ${n}`], hold })))
  const turns: string[] = []
  for (const n of [0, 1, 2, 3, 4]) {
    turns.push(socket.say({ thread_id: await createThread(), text: `turn ${n}` }))
    await socket.until(({ client_message_id }) => client_message_id === turns[n])
    if (n < 2) await fake.request(requestCount + n)
  }
  await socket.settle()
  t.equal(fake.requests.length, requestCount + 2)

  const third = await socket.until(({ client_message_id }) => client_message_id === turns[2])
  socket.send({ type: 'stop', thread_id: third.thread_id })
  t.match((await socket.seeTurn(turns[2]!)).end, { type: 'done', stop_reason: 'stopped' })
  t.equal(fake.requests.length, requestCount + 2, 'who stopped waiting is not called for')

  const replies: string[] = []
  for (const { release } of holds) release()
  for (const turn of [turns[0], turns[1], turns[3], turns[4]]) {
    const { end, frames } = await socket.seeTurn(turn!)
    t.match(end, { stop_reason: 'end' })
    replies.push(textOf(frames))
  }
  t.strictSame(
    replies.sort(),
    range(0, 3).map((n) => `reply ${n}`),
  )
  const asked = fake.requests.slice(requestCount).map(({ body }) => body.messages.at(-1)!.content)
  t.strictSame(asked.sort(), ['turn 0', 'turn 1', 'turn 3', 'turn 4'])
})

t.test('One account leaves the others some of the calls of a provider', async (t) => {
  await allow(20)
  const [socket, ann] = [await connect(), await server.createUser({ username: 'ann' })]
  const requestCount = fake.requests.length
  const { hold, release } = createHold()
  fake.script(({ body }) =>
    body.messages.at(-1)!.content === 'hello' ? { text: 'hello ann' } : { text: 'late', hold },
  )
  const turns: string[] = []
  for (const n of range(1, 20)) turns.push(socket.say({ thread_id: await createThread(), text: `turn ${n}` }))
  await fake.request(requestCount + 14)
  const [assistant] = (await server.request('GET', '/agents', { token: ann.token })).body
  const other = await connectChat(t, chatUrl(server.url, assistant.id, ann.token))
  t.equal(textOf((await other.ask({ text: 'hello' })).frames), 'hello ann')
  t.equal(fake.requests.length, requestCount + 16, 'three quarters are for one account')
  release()
  for (const turn of turns) t.match((await socket.seeTurn(turn)).end, { type: 'done' })
})

t.test('A provider that asks for a pause receives no calls until then', async (t) => {
  await allow(null)
  const socket = await connect()
  const requestCount = fake.requests.length
  const { hold, release } = createHold()
  fake.next({ status: 429, headers: { 'retry-after-ms': '400' } }, { text: 'one', hold }, { text: 'two' })
  const first = socket.say({ thread_id: await createThread(), text: 'first' })
  const refused = await fake.request(requestCount)
  await socket.until(({ client_message_id }) => client_message_id === first)
  const second = socket.say({ thread_id: await createThread(), text: 'second' })
  for (const n of [1, 2]) {
    const { receivedAt } = await fake.request(requestCount + n)
    t.ok(receivedAt - refused.receivedAt >= 399, `call ${n} came after the rest`)
  }
  release()
  for (const turn of [first, second]) t.match((await socket.seeTurn(turn)).end, { type: 'done' })
})

t.test('A failure after the first word is never retried', async (t) => {
  const socket = await connect()
  const requestCount = fake.requests.length
  fake.next({ text: ['some', ' words'], disconnectAfter: 1 })
  const { end, frames } = await socket.ask({ text: 'hello' })
  t.match(end, { type: 'error', code: 'MODEL_UNAVAILABLE' })
  t.equal(textOf(frames), 'some')
  t.equal(fake.requests.length, requestCount + 1)
})

t.test('An endless answer is cut off, and its text so far is kept', async (t) => {
  const socket = await connect()
  const limit = 2.5 * 1024 * 1024
  for (const character of ['x', '字', 'ﷲ']) {
    fake.next({ text: Array.from({ length: 5 }, () => character.repeat(limit / 4)) })
    const { end, frames } = await socket.ask({ text: 'hello' })
    t.match(end, { type: 'error', code: 'MODEL_ANSWER_TOO_LONG', details: { limit } }, character)
    t.equal(textOf(frames).length, limit)
    t.match((await socket.ask({ text: 'and now?' })).end, { type: 'done' })
  }
  t.notMatch(server.logged(), /no writes for new messages/, 'the answers can be found')
})
