import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { createHold, range, startChat } from '../../support/chat.ts'
import { SURVEY_PLUGIN } from '../../support/chat-plans.ts'
import type { TestFrame } from '../../support/socket.ts'

const chat = await startChat(t, { plugins: { survey: SURVEY_PLUGIN } })
const { agent_id, createThread, fake, history, server } = chat

await server.request('PATCH', `/agents/${agent_id}/tool-settings/survey`, { body: { enabled: true } })

const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args })
const usage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output })
const HALF = 'half \ud83d'
const WHOLE = 'half \ufffd'

const decide = (thread_id: string, decision: object) =>
  server.request('POST', `/agents/${agent_id}/chat/hitl/resume`, {
    body: { thread_id, decisions: [decision] },
  })

/** Reads the frames of a thread from the ledger. */
async function readAgain(thread_id: string, end: number): Promise<TestFrame[]> {
  const reader = await chat.connect()
  await reader.subscribe(thread_id, 0)
  await reader.until(({ seq }) => seq === end)
  return reader.of(thread_id)
}

t.test('A history that is read while a subagent works contains its usage so far', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const { hold, release } = createHold()
  const task = call('t', 'task', { description: 'A task', instruction: 'do it' })
  const scripts = [
    { toolCalls: [task], usage: usage(1, 1) },
    { toolCalls: [call('l', 'ls', {})], usage: usage(20, 5) },
    { text: ['in', 'ner'], usage: usage(30, 6), hold, holdAfter: 1 },
  ]
  fake.next(...scripts, { text: 'outer' })
  const sent = socket.say({ thread_id, text: 'go' })
  const { message_id } = await socket.until(
    ({ type, tool_call_id }) => type === 'tool_result' && tool_call_id !== 't',
  )
  const { messages } = await history(thread_id)
  t.match(messages.at(-1), {
    id: message_id,
    role: 'tool',
    status: 'streaming',
    content: [],
    usage: { input_tokens: 20, output_tokens: 5, total_tokens: 25 },
  })
  release()
  await socket.seeTurn(sent)
  t.match((await history(thread_id)).messages.at(-2), {
    id: message_id,
    status: 'complete',
    content: [{ type: 'tool_result', id: 't' }],
    usage: { input_tokens: 50, output_tokens: 11, total_tokens: 61 },
  })

  fake.next(...scripts.slice(0, 2), { text: ['in', 'ner'], hold: new Promise(() => {}), holdAfter: 1 })
  const asked = fake.request(fake.requests.length + 2)
  const stopped = socket.say({ thread_id, text: 'again' })
  await asked
  socket.send({ type: 'stop', thread_id })
  await socket.seeTurn(stopped)
  const { messages: all } = await history(thread_id)
  t.match(
    all.at(-1),
    { role: 'assistant', status: 'stopped' },
    'a call that came to nothing leaves no message',
  )
})

t.test('Approval requests and decisions are shown as they are stored', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  fake.next({ toolCalls: [call(HALF, 'ask_user_question', { question: HALF })] }, { text: 'good' })
  const sent = socket.say({ thread_id, text: 'go' })
  await socket.until(({ type }) => type === 'hitl_required')
  const { status } = await decide(thread_id, { type: 'respond', message: HALF })
  t.equal(status, 200)
  const { frames, end } = await socket.seeTurn(sent)
  t.match(
    frames.find(({ type }) => type === 'hitl_required'),
    {
      action_requests: [{ id: WHOLE, description: WHOLE }],
    },
  )
  t.match(
    frames.find(({ type }) => type === 'hitl_resolved'),
    { decisions: [{ message: WHOLE }] },
  )
  t.match(
    frames.find(({ type }) => type === 'tool_result'),
    { output: WHOLE, is_error: false },
  )
  t.strictSame(await readAgain(thread_id, end.seq), frames)
})

t.test('A turn that fails before any reply names the message that says so', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  fake.next({ status: 400 })
  const { end } = await socket.ask({ thread_id, text: 'go' })
  t.match(end, { type: 'error', message_id: /^msg_/ })
  t.match((await history(thread_id)).messages, [
    { role: 'user' },
    { id: end.message_id, role: 'assistant', status: 'failed', content: [] },
  ])

  fake.next({ text: ['half ', 'of '], disconnectAfter: 2 })
  const { end: cut, frames } = await socket.ask({ thread_id, text: 'again' })
  t.equal(
    cut.message_id,
    frames.find(({ type }) => type === 'content')!.message_id,
    'or the reply that is cut',
  )
})

t.test('A history that is read when a turn ends contains its files and sources', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const { history: pages, threads } = server.server.runtime.cradleOf('chat')
  const { hold, release } = createHold()
  const survey = call('s', 'survey', { files: ['a.txt'], sources: ['one'] })
  fake.next({ toolCalls: [survey] }, { text: ['that ', 'is it'], hold, holdAfter: 1 })
  const sent = socket.say({ thread_id, text: 'go' })
  await socket.until(({ type }) => type === 'content')
  const threadDocument = await server.db.collection('threads').findOne({ _id: thread_id as never })
  const threadBefore = await threads.get({ user_id: threadDocument!.user_id, agent_id }, thread_id)
  release()
  const { end } = await socket.seeTurn(sent)
  const named = { artifacts: [{ path: 'a.txt' }], sources: [{ id: 'one' }] }
  const page = () => pages.page(threadBefore, { limit: 10, offset: 0 })
  t.match(await page(), { last_seq: end.seq, turn_active: false, ...named })

  fake.next({ text: ['more'], hold: new Promise(() => {}), holdAfter: 1 })
  const next = socket.say({ thread_id, text: 'go on' })
  await socket.until(({ content }) => content === 'more')
  t.match(await page(), { turn_active: true, ...named }, 'also when the next one has begun already')
  socket.send({ type: 'stop', thread_id })
  await socket.seeTurn(next)
})

t.test('No reader sees that a turn is paused or has ended before the thread shows it as well', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const { ledger, resumption, threads } = server.server.runtime.cradleOf('chat')
  const threadDocument = await server.db.collection('threads').findOne({ _id: thread_id as never })
  const thread = () => threads.get({ user_id: threadDocument!.user_id, agent_id }, thread_id)
  /** Reads all the time until an event of this type exists; returns the thread as it is then. */
  const poll = async (after: number, type: string) => {
    for (;;) {
      const event = (await ledger.read(thread_id, after, 100)).find((read) => read.type === type)
      if (event) return await thread()
    }
  }
  let seq = 0
  for (const n of range(1, amount({ short: 2, long: 5 }))) {
    fake.next({ toolCalls: [call('q', 'ask_user_question', { question: 'Well?' })] }, { text: 'good' })
    const asked = Promise.all(range(1, 3).map(() => poll(seq, 'hitl_required')))
    const sent = socket.say({ thread_id, text: 'go' })
    for (const read of await asked) t.ok(await resumption.readPending(read), `pause ${n}`)
    const ended = Promise.all(range(1, 3).map(() => poll(seq, 'done')))
    await decide(thread_id, { type: 'respond', message: 'yes' })
    for (const { active_turn, last_seq } of await ended) t.ok(!active_turn && last_seq > seq, `end ${n}`)
    seq = (await socket.seeTurn(sent)).end.seq
  }
})

t.test(
  'A message that is repeated while it is queued does not make its thread look active again',
  async (t) => {
    const thread_id = await createThread()
    const socket = await chat.connect()
    const { threads } = server.server.runtime.cradleOf('chat')
    const threadDocument = await server.db.collection('threads').findOne({ _id: thread_id as never })
    const thread = () => threads.get({ user_id: threadDocument!.user_id, agent_id }, thread_id)
    const { hold, release } = createHold()
    fake.next({ text: ['one'], hold })
    socket.say({ thread_id, text: 'first' })
    const waiting = socket.say({ thread_id, text: 'second' })
    for (const _ of range(1, 3)) socket.say({ thread_id, text: 'second', client_message_id: waiting })
    await socket.settle()
    release()
    await socket.seeTurn(waiting)
    for (const n of range(1, amount({ short: 20, long: 60 })))
      t.notOk((await thread()).active_turn, `look ${n}`)
  },
)
