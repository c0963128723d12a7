import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { createHold, range, startChat, textOf } from '../../support/chat.ts'

/** A plugin with a tool that reports its call to the test, and returns when it is released. */
const lingeringTool = `
export default {
  kernel: 1,
  name: 'linger',
  summary: 'A tool that takes its time',
  setup(host) {
    host.extend('agents.tools', {
      name: 'linger',
      label: { en: 'Linger', zh: '逗留' },
      description: 'Waits.',
      input_schema: { type: 'object' },
      disableable: true,
      execute: (_, { attach }) =>
        new Promise((resolve) => globalThis.chatTestTool({ attach, release: () => resolve('late') })),
    })
  },
}
`

const chat = await startChat(t, { plugins: { linger: lingeringTool } })
const { fake, createThread, history, server } = chat
await server.request('PATCH', `/agents/${chat.agent_id}/tool-settings/linger`, { body: { enabled: true } })

/** Queues an answer that waits, after half of its text, until it is released. */
function holdAnswer() {
  const { hold, release } = createHold()
  const request = fake.request(fake.requests.length)
  fake.next({ text: ['first ', 'second'], hold, holdAfter: 1 })
  return { request, release }
}

t.test('Turns of one thread wait for each other and keep their order', async (t) => {
  const thread_id = await createThread()
  const [one, other] = [await chat.connect(), await chat.connect()]
  const { request, release } = holdAnswer()
  const sent = [one.say({ thread_id, text: 'turn 0' })]
  await request
  await one.until(({ content }) => content === 'first ')
  const requestCount = fake.requests.length
  for (const n of range(1, 4)) {
    const socket = n % 2 ? other : one
    sent.push(socket.say({ thread_id, text: `turn ${n}` }))
    await socket.settle()
  }
  t.equal(fake.requests.length, requestCount, 'nothing is asked of the model while a turn runs')
  t.match(await history(thread_id), { messages: { length: 2 }, turn_active: true })
  release()
  const turns = await Promise.all(sent.map((id) => one.seeTurn(id)))
  t.strictSame(
    turns.map(({ frames }) => textOf(frames)),
    ['first second', 'turn 1', 'turn 2', 'turn 3', 'turn 4'],
  )
  t.strictSame(
    one.of(thread_id).map(({ seq, turn_id }) => [seq, turn_id]),
    turns.flatMap(({ frames, turn_id }) => frames.map(({ seq }) => [seq, turn_id])),
    'the frames of turns are not mixed',
  )
  const last = fake.requests.at(-1)!.body.messages.map(({ content }) => content)
  t.strictSame(last.slice(-3), ['turn 3', 'turn 3', 'turn 4'], 'each turn knows those before it')
})

t.test(
  'Eight turns may be queued; the ninth is refused because the thread is busy, and can be sent again',
  async (t) => {
    const thread_id = await createThread()
    const socket = await chat.connect()
    const { request, release } = holdAnswer()
    const sent = [socket.say({ thread_id, text: 'running' })]
    await request
    for (const n of range(1, 8)) sent.push(socket.say({ thread_id, text: `waiting ${n}` }))
    const ninth = socket.say({ thread_id, text: 'too many' })
    t.match(await socket.until(({ client_message_id }) => client_message_id === ninth), {
      type: 'error',
      code: 'THREAD_BUSY',
      thread_id,
      details: { waiting: 8 },
      message: 'The thread is busy. Wait until its turns have ended.',
      request_id: String,
    })
    release()
    await Promise.all(sent.map((id) => socket.seeTurn(id)))
    socket.say({ thread_id, text: 'now?', client_message_id: ninth })
    const { turn_id } = await socket.until((f) => f.type === 'turn_started' && f.client_message_id === ninth)
    await socket.until((f) => f.type === 'done' && f.turn_id === turn_id)
    t.equal((await history(thread_id, '?limit=100')).messages.length, 20)
  },
)

t.test('Threads run in parallel, also many of them on one connection', async (t) => {
  const socket = await chat.connect()
  const many = amount({ short: 6, long: 20 })
  const made = await Promise.all(range(1, many).map(() => createThread()))
  const requestCount = fake.requests.length
  const { hold, release } = createHold()
  fake.next(...made.map(() => ({ text: ['a', 'b'], hold, holdAfter: 1 })))
  const sent = made.map((thread_id) => socket.say({ thread_id, text: 'go' }))
  await Promise.all(
    made.map((thread_id) => socket.until((f) => f.thread_id === thread_id && f.type === 'content')),
  )
  t.equal(fake.requests.length, requestCount + many)
  const { body } = await server.request('GET', `/agents/${chat.agent_id}/status`)
  t.equal(body.turns_active, many)
  const { body: rows } = await chat.threads('GET', '?limit=100')
  t.equal(rows.filter(({ turn_active }: { turn_active: boolean }) => turn_active).length, many)
  release()
  for (const turn of await Promise.all(sent.map((id) => socket.seeTurn(id))))
    t.equal(textOf(turn.frames), 'ab')
})

t.test('Of turns that begin together, one whose thread is damaged fails alone', async (t) => {
  const threadIds = await Promise.all(Array.from({ length: 8 }, () => createThread()))
  const sockets = await Promise.all(threadIds.map(() => chat.connect()))
  const damaged = threadIds[3]!
  const collection = server.db.collection<{ _id: string; last_seq: unknown }>('threads')
  await collection.updateOne({ _id: damaged }, { $set: { last_seq: 'none' } })
  const asked = sockets.map((socket, index) => socket.ask({ thread_id: threadIds[index], text: 'one two' }))
  await t.rejects(asked[3]!, /INTERNAL_ERROR/)
  for (const { frames } of await Promise.all(asked.filter((_, index) => index !== 3)))
    t.equal(textOf(frames), 'one two')
  for (const socket of sockets) socket.close()
  await collection.deleteOne({ _id: damaged })
})

t.test('Stop ends the call of the model and keeps the text so far', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const { request } = holdAnswer()
  const sent = socket.say({ thread_id, text: 'talk' })
  await socket.until(({ content }) => content === 'first ')
  socket.send({ type: 'stop', thread_id })
  await (await request).aborted
  const { end, frames } = await socket.seeTurn(sent)
  t.match(end, { type: 'done', stop_reason: 'stopped' })
  const [said, reply, ...more] = (await history(thread_id)).messages
  t.match(said, { role: 'user', status: 'complete' })
  t.match(reply, { id: end.message_id, status: 'stopped', content: [{ type: 'text', text: 'first ' }] })
  t.strictSame(more, [])
  t.equal(frames.at(-1), end)
  t.match((await socket.ask({ thread_id, text: 'go on' })).end, { stop_reason: 'end' })
})

t.test('Stop before the first word leaves an empty reply that is marked as stopped', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const { hold } = createHold()
  const next = fake.request(fake.requests.length)
  fake.next({ text: ['never'], hold })
  const sent = socket.say({ thread_id, text: 'talk' })
  const request = await next
  socket.send({ type: 'stop', thread_id })
  await request.aborted
  const { end } = await socket.seeTurn(sent)
  t.match(end, { type: 'done', stop_reason: 'stopped', message_id: String })
  t.match((await history(thread_id)).messages, [
    { role: 'user', status: 'complete' },
    { id: end.message_id, role: 'assistant', status: 'stopped', content: [] },
  ])
})

t.test('Stop between two steps names the existing reply', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const { hold } = createHold()
  const second = fake.request(fake.requests.length + 1)
  fake.next({ text: 'Looking', toolCalls: [{ name: 'ls', arguments: {} }] }, { text: ['never'], hold })
  const sent = socket.say({ thread_id, text: 'talk' })
  await second
  socket.send({ type: 'stop', thread_id })
  const { end } = await socket.seeTurn(sent)
  t.match(end, { stop_reason: 'stopped' })
  t.match((await history(thread_id)).messages, [
    { role: 'user' },
    { id: end.message_id, role: 'assistant', status: 'stopped' },
    { role: 'tool' },
  ])
})

t.test('A stop sent right behind its turn ends it, whether or not it has begun', async (t) => {
  const socket = await chat.connect()
  for (const round of range(1, amount({ short: 3, long: 10 }))) {
    const thread_id = await createThread()
    const { hold } = createHold()
    const next = fake.requests.length
    fake.script(() => ({ text: ['never', 'ending'], hold, holdAfter: 1 }))
    const sent = socket.say({ thread_id, text: `round ${round}` })
    socket.send({ type: 'stop', thread_id })
    t.match((await socket.seeTurn(sent)).end, { type: 'done', stop_reason: 'stopped' })
    if (fake.requests[next]) await fake.requests[next].aborted
    t.match(await history(thread_id), {
      turn_active: false,
      messages: [{ role: 'user' }, { status: 'stopped' }],
    })
  }
  fake.script(({ body }) => ({ text: String(body.messages.at(-1)?.content) }))
})

t.test('Stop ends only the active turn; without one it is answered by the status', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  socket.send({ type: 'stop', thread_id })
  t.match(await socket.next(), { type: 'turn_status', thread_id, active: false, queued: [] })
  t.match((await socket.ask({ thread_id, text: 'after a stop' })).end, { stop_reason: 'end' })

  const { request } = holdAnswer()
  const running = socket.say({ thread_id, text: 'running' })
  await request
  const waiting = socket.say({ thread_id, text: 'waiting' })
  socket.send({ type: 'stop', thread_id })
  t.match((await socket.seeTurn(running)).end, { stop_reason: 'stopped' })
  t.match((await socket.seeTurn(waiting)).end, { stop_reason: 'end' })
})

t.test('A turn continues after every client has left', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const { request, release } = holdAnswer()
  const sent = socket.say({ thread_id, text: 'I am leaving' })
  await socket.until(({ content }) => content === 'first ')
  socket.webSocket.terminate()
  await socket.closed
  const back = await chat.connect()
  await back.settle()
  t.equal((await request).abortedAt, undefined)
  await back.subscribe(thread_id, 0)
  release()
  const { frames, end } = await back.seeTurn(sent)
  t.equal(textOf(frames), 'first second')
  t.match(end, { stop_reason: 'end' })
})

t.test('A tool that is running when its turn is stopped adds nothing more', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const called = new Promise<{ attach(file: object): void; release(): void }>((resolve) => {
    Object.assign(globalThis, { chatTestTool: resolve })
  })
  fake.next({ toolCalls: [{ name: 'linger', arguments: {} }] }, { text: 'never' })
  const sent = socket.say({ thread_id, text: 'linger' })
  const { attach, release } = await called
  socket.send({ type: 'stop', thread_id })
  const { end, frames } = await socket.seeTurn(sent)
  t.match(end, { stop_reason: 'stopped' })
  attach({ path: 'late.txt', media_type: 'text/plain' })
  release()
  const next = await socket.ask({ thread_id, text: 'and now' })
  t.equal(frames.at(-1), end)
  t.equal(next.frames[0]!.seq, end.seq + 1)
  const { messages, artifacts } = await history(thread_id)
  t.match(messages, [{ role: 'user' }, { status: 'stopped' }, { role: 'user' }, { role: 'assistant' }])
  t.strictSame(artifacts, [])
})

t.test('An answer with too many calls is carried out in part, and the other calls are refused', async (t) => {
  const socket = await chat.connect()
  const toolCalls = Array.from({ length: 70 }, (_, n) => ({ id: `c${n}`, name: 'ls', arguments: {} }))
  fake.next({ toolCalls }, { text: 'ok' })
  const { frames, end } = await socket.ask({ text: 'list it 70 times' })
  t.match(end, { stop_reason: 'end' })
  const results = frames.filter(({ type }) => type === 'tool_result')
  t.equal(results.length, 70)
  const refused = results.filter(({ is_error }) => is_error)
  t.strictSame(
    refused.map(({ tool_call_id }) => tool_call_id),
    toolCalls.slice(64).map(({ id }) => id),
  )
  t.match(refused[0], { output: 'This was not carried out: at most 64 calls can be made at once.' })
})

t.test('Settings that change while turns run lose no turn and apply from the next one', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const { request, release } = holdAnswer()
  const first = socket.say({ thread_id, text: 'under the old settings' })
  await request
  const waiting = socket.say({ thread_id, text: 'behind it' })
  await socket.settle()
  const changes = range(1, amount({ short: 3, long: 10 })).map((n) => ({
    system_prompt: `settings number ${n}`,
  }))
  const replies = await Promise.all(
    changes.map((body) => server.request('PATCH', `/agents/${chat.agent_id}`, { body })),
  )
  t.ok(replies.every(({ status }) => status === 200))
  const { body } = await server.request('PATCH', `/agents/${chat.agent_id}`, {
    body: { system_prompt: 'the newest' },
  })
  t.equal(body.state, 'running', 'without a reload')
  release()
  t.match(await socket.seeTurn(first), { end: { type: 'done', stop_reason: 'end' } })
  t.match(await socket.seeTurn(waiting), { end: { type: 'done', stop_reason: 'end' } })
  const [firstPrompt, after] = fake.requests.slice(-2).map(({ body }) => body.messages[0]!.content)
  t.notMatch(firstPrompt, /settings number|the newest/)
  t.match(after, /the newest/)
  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { system_prompt: null } })
})

t.test(
  'The settings of an agent reach every call of its turns, and a turn keeps its initial settings',
  async (t) => {
    const { body: agent } = await server.request('POST', '/agents', {
      body: {
        name: 'tuned',
        config: {
          temperature: 0.4,
          top_p: 0.8,
          max_output_tokens: 700,
          max_steps: 3,
          reasoning: 'low',
          tools_with_approval: ['ls'],
        },
      },
    })
    const path = `/agents/${agent.id}`
    const socket = await chat.connect({ agent_id: agent.id })
    const sent = (n: number) => {
      const { temperature, top_p, max_tokens, reasoning_effort } = fake.requests.at(n)!.body
      return { temperature, top_p, max_tokens, reasoning_effort }
    }
    const asked = { temperature: 0.4, top_p: 0.8, max_tokens: 700, reasoning_effort: 'low' }
    const list = { id: 'c1', name: 'ls', arguments: { path: '.' } }
    const task = { id: 'c2', name: 'task', arguments: { description: 'd', instruction: 'i' } }

    fake.next({ toolCalls: [task] }, { text: 'done it' }, { text: 'done' })
    const { thread_id } = (await socket.ask({ text: 'delegate' })).end
    for (const n of [-1, -2, -3]) t.strictSame(sent(n), asked)

    await socket.ask({ thread_id, text: 'once', reasoning: 'high' })
    t.strictSame(sent(-1), { ...asked, reasoning_effort: 'high' })
    await socket.ask({ thread_id, text: 'and again', reasoning: 'off' })
    t.strictSame(sent(-1), { ...asked, reasoning_effort: 'none' })
    await socket.ask({ thread_id, text: 'as usual' })
    t.strictSame(sent(-1), asked)

    const models = [{ id: 'm', reasoning: false, max_output_tokens: 300 }]
    const provider = { name: 'plain', kind: 'openai-compatible', base_url: fake.url, models }
    t.match(await server.request('POST', '/admin/providers', { body: provider }), { status: 201 })
    await socket.ask({ thread_id, text: 'without a thought', model: 'plain:m', reasoning: 'high' })
    t.strictSame(sent(-1), { ...asked, max_tokens: 300, reasoning_effort: undefined })

    const { hold, release } = createHold()
    fake.next({ text: 'slow', hold })
    socket.say({ thread_id, text: 'first' })
    const behind = socket.say({ thread_id, text: 'behind', reasoning: 'high' })
    await socket.until(({ type }) => type === 'turn_queued')
    release()
    t.match((await socket.seeTurn(behind)).end, { type: 'done' })
    t.strictSame(sent(-1), { ...asked, reasoning_effort: 'high' })

    // A paused turn continues as it began, also after a restart.
    fake.next({ toolCalls: [list] })
    socket.say({ thread_id, text: 'look', reasoning: 'medium' })
    await socket.until(({ type }) => type === 'hitl_required')
    const config = { max_steps: 1, tools_with_approval: ['ls'] }
    t.match(await server.request('PATCH', path, { body: { config } }), { status: 200 })
    await server.restart()
    fake.next({ toolCalls: [list] })
    const resumed = await chat.decide(thread_id, [{ type: 'approve' }], { agent_id: agent.id })
    await resumed.until(({ type }) => type === 'hitl_required')
    t.strictSame(sent(-1), { ...asked, reasoning_effort: 'medium' })
    fake.next({ toolCalls: [list] })
    const last = await chat.decide(thread_id, [{ type: 'approve' }], { agent_id: agent.id })
    await last.until(({ type }) => type === 'hitl_required')
    const over = await chat.decide(thread_id, [{ type: 'approve' }], { agent_id: agent.id })
    t.match(
      await over.until(({ type }) => type === 'done'),
      { stop_reason: 'max_steps' },
      'three steps, not one',
    )

    const again = await chat.connect({ agent_id: agent.id })
    fake.next({ toolCalls: [{ ...list, name: 'glob', arguments: { pattern: '*' } }] })
    t.match((await again.ask({ thread_id, text: 'look again' })).end, { stop_reason: 'max_steps' })
    t.strictSame(sent(-1), {
      temperature: undefined,
      top_p: undefined,
      max_tokens: undefined,
      reasoning_effort: undefined,
    })
    const refused = again.say({ thread_id, text: 'x', reasoning: 'extreme' })
    t.match(await again.until(({ type }) => type === 'error'), { code: 'VALIDATION_FAILED' }, refused)
  },
)
