import { projectTurn } from '../../../plugins/conversations/chat/ledger/projection.ts'
import t from '../../run/file-test.ts'
import { createHold, MODEL, range, startChat } from '../../support/chat.ts'
import { seedThread } from '../../support/chat-seed.ts'

const chat = await startChat(t)
const { fake, createThread, server } = chat

/** The last messages that the model received, without the system prompt. */
const sentMessages = () => fake.requests.at(-1)!.body.messages.slice(1)
const contents = () => sentMessages().map(({ content }) => content)
const beginning = () => JSON.stringify(sentMessages()[0])

t.test('The model receives who it is and what it can do', async (t) => {
  const system_prompt = 'Speak like a pirate.'
  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { system_prompt } })
  const socket = await chat.connect()
  await socket.ask({ text: 'hello' })
  const { messages, tools } = fake.requests.at(-1)!.body
  t.match(messages, [
    { role: 'system', content: /You are assistant.*Speak like a pirate\./s },
    { role: 'user' },
  ])
  const { body: settings } = await server.request('GET', `/agents/${chat.agent_id}/tool-settings`)
  t.strictSame(
    tools!.map((tool) => tool.function.name),
    // There is no knowledge base or engine to search, no model that draws, and no other agent.
    settings.builtin.flatMap(({ name, enabled }: { name: string; enabled: boolean }) =>
      enabled && !['search_knowledge', 'generate_image', 'ask_agent', 'web_search'].includes(name)
        ? [name]
        : [],
    ),
  )
  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { system_prompt: null } })
  await socket.ask({ text: 'hello' })
  t.notMatch(
    fake.requests.at(-1)!.body.messages[0]!.content,
    'pirate',
    'a change counts from the next turn on',
  )
})

t.test(
  'The model receives the newest messages of a long conversation, and a summary of the earlier ones',
  async (t) => {
    const thread_id = await seedThread(chat, 100)
    const socket = await chat.connect()
    const requestCount = fake.requests.length
    fake.next({ text: 'They spoke of the past.', usage: { prompt_tokens: 700, completion_tokens: 9 } })
    const { frames, end } = await socket.ask({ thread_id, text: 'and now?' })
    const [summing, ...others] = fake.requests.slice(requestCount)
    t.equal(others.length, 1)
    const [, material] = summing!.body.messages
    t.equal(String(material!.content).match(/a message of the past/g)!.length, 160)
    t.equal(summing!.body.tools, undefined)
    t.equal(sentMessages().length, 41, 'whole exchanges')
    t.match(beginning(), /"user".*They spoke of the past\..*a message of the past/)
    t.equal(contents().at(-1), 'and now?')
    const counted = frames.find(({ purpose }) => purpose === 'summary')
    t.match(counted, { type: 'usage', usage: { total_tokens: 709 }, message_id: undefined })
    t.ok((end.usage as { total_tokens: number }).total_tokens > 709, 'it counts as a part of the turn')

    await socket.ask({ thread_id, text: 'and then?' })
    t.equal(fake.requests.length, requestCount + 3, 'it is made once')
    t.match(beginning(), /They spoke of the past\./)
    await server.restart()
    const again = await chat.connect()
    for (const n of range(1, 19)) await again.ask({ thread_id, text: `question ${n}` })
    t.equal(fake.requests.length, requestCount + 22)
    t.equal(sentMessages().length, 81)
    fake.next({ text: 'They asked much.' })
    await again.ask({ thread_id, text: 'one more' })
    t.equal(fake.requests.length, requestCount + 24)
    t.match(fake.requests.at(-2)!.body.messages[1]!.content, /They spoke of the past\..*and now\?/s)
    t.match(beginning(), /They asked much\./)
    t.notMatch(beginning(), /They spoke of the past/)
    const { body: rows } = await chat.threads('GET', '')
    t.notMatch(JSON.stringify(rows), /They asked/)
  },
)

t.test('If the older messages cannot be summarized, the model receives the newer ones alone', async (t) => {
  const thread_id = await seedThread(chat, 50)
  const socket = await chat.connect()
  for (const scripts of [[{ status: 400 }], [{ text: ' ' }, { text: ' ' }]]) {
    for (const script of scripts) fake.next(script)
    const { end } = await socket.ask({ thread_id, text: 'and now?' })
    t.match(end, { type: 'done', stop_reason: 'end' })
    t.ok(sentMessages().length < 50)
    t.notMatch(beginning(), /summed up/)
  }
  const { hold } = createHold()
  fake.next({ text: ['never'], hold })
  const summing = fake.request(fake.requests.length)
  const sent = socket.say({ thread_id, text: 'and now?' })
  await summing
  socket.send({ type: 'stop', thread_id })
  t.match((await socket.seeTurn(sent)).end, { type: 'done', stop_reason: 'stopped' })
})

t.test('Messages that do not fit the window of the model are left out, the oldest first', async (t) => {
  const { body: providers } = await server.request('GET', '/admin/providers')
  const { id } = providers.find(({ name }: { name: string }) => `${name}:m` === MODEL)
  const setWindow = (context_window: number | null) =>
    server.request('PATCH', `/admin/providers/${id}`, {
      body: { models: [{ id: 'm', name: 'M', context_window }] },
    })
  await setWindow(1000)
  const thread_id = await createThread()
  const socket = await chat.connect()
  const texts = range(1, 6).map((n) => `${n} `.repeat(200))
  const gist = { text: 'Numbers.' }
  fake.script(({ body }) => (body.tools ? { text: 'Yes.'.repeat(100) } : gist))
  for (const text of texts) await socket.ask({ thread_id, text })
  const shown = contents()
  t.ok(shown.length < 11 && shown.length % 2 === 1)
  t.match(beginning(), /summed up:\\nNumbers\./)
  t.equal(shown.at(-1), texts.at(-1))
  await socket.ask({ thread_id, text: 'x'.repeat(5000) })
  await socket.ask({ thread_id, text: 'short' })
  t.equal(sentMessages().length, 1, 'an exchange that is too long is only summed up')
  t.match(beginning(), /Numbers\..*short/)
  const error = { message: 'prompt is too long' }
  fake.next({ status: 400, error })
  await socket.ask({ thread_id, text: 'shorter' })
  t.match(beginning(), /summed up:\\nNumbers\./, 'a shortened prompt keeps the summary')
  t.equal(sentMessages().length, 1)
  await setWindow(null)
  fake.script(() => ({ text: 'Yes.' }))
  await socket.ask({ thread_id, text: 'short' })
  t.equal(sentMessages().length, 5)
})

t.test(
  'The model receives no call that was interrupted before its answer, and its own thoughts',
  async (t) => {
    const thread_id = await createThread()
    const socket = await chat.connect()
    const { hold } = createHold()
    fake.next(
      {
        reasoning: ['secret ', 'thoughts'],
        text: 'Looking',
        toolCalls: [{ id: 'call_done', name: 'ls', arguments: {} }],
      },
      { text: ['never'], hold },
    )
    const second = fake.request(fake.requests.length + 1)
    const sent = socket.say({ thread_id, text: 'look' })
    await second
    socket.send({ type: 'stop', thread_id })
    await socket.seeTurn(sent)
    const events = server.db.collection('messages')
    await events.updateOne(
      { thread_id, role: 'assistant' },
      { $push: { content: { type: 'tool_use', id: 'call_cut', name: 'ls', input: {} } } as never },
    )
    await server.restart()
    await (await chat.connect()).ask({ thread_id, text: 'again' })
    t.match(sentMessages(), [
      { role: 'user', content: 'look' },
      {
        role: 'assistant',
        content: 'Looking',
        reasoning_content: 'secret thoughts',
        tool_calls: [{ id: 'call_done' }],
      },
      { role: 'tool', tool_call_id: 'call_done' },
      { role: 'user', content: 'again' },
    ])
    t.equal(sentMessages().length, 4)
    t.notMatch(JSON.stringify(sentMessages()), /call_cut/)
  },
)

t.test(
  'The events of a turn always make the same messages, so that storing them again changes nothing',
  (t) => {
    const event = (seq: number, type: string, frame: object) => ({
      _id: `thr_a:${String(seq).padStart(12, '0')}`,
      turn_id: 'trn_a',
      ts: 1000 + seq,
      type,
      frame,
      writer: 'w',
    })
    const begun = {
      ...event(1, 'turn_started', { message_id: 'msg_u' }),
      input: [{ type: 'text', text: 'hi' }],
    }
    const failure = event(2, 'error', { code: 'X', message: '', details: {}, request_id: '' })
    const fold = (...events: object[]) =>
      projectTurn(structuredClone(events) as Parameters<typeof projectTurn>[0])
    t.strictSame(fold(begun, failure), fold(begun, failure))
    t.match(fold(begun, failure), [
      { _id: 'msg_u', position: 1, status: 'complete' },
      { role: 'assistant', status: 'failed', position: 2, content: [] },
    ])
    t.strictSame(fold(), [])
    t.end()
  },
)
