import t from '../../run/file-test.ts'
import { isLong } from '../../run/tier.ts'
import { createHold, range, startChat } from '../../support/chat.ts'
import { createForkCalls, LIBRARY, type Message } from './fork-calls.ts'

const chat = await startChat(t, { plugins: { library: LIBRARY } })
const { server, fake, threads, createThread, history } = chat
const { fork, forkAt, all, rowOf } = createForkCalls(chat)
await server.request('PATCH', `/agents/${chat.agent_id}/tool-settings/look_up`, { body: { enabled: true } })
const socket = await chat.connect()

/** The last messages that the model received, without the system prompt. */
const sentMessages = () => fake.requests.at(-1)!.body.messages.slice(1)

/** Creates a thread with a number of turns, "question n" and "answer n". */
async function converse(turns: number): Promise<string> {
  const thread_id = await createThread()
  for (const n of range(1, turns)) {
    fake.next({ text: `answer ${n}` })
    await socket.ask({ thread_id, text: `question ${n}` })
  }
  return thread_id
}

t.test('A fork contains the conversation up to the chosen reply and continues independently', async (t) => {
  const source = await converse(4)
  const sourceBefore = { history: await history(source), row: await rowOf(source) }
  const { status, body } = await fork(source, { assistant_turns_from_end: 2 })
  t.equal(status, 201)
  t.strictSame(body, {
    thread_id: body.thread_id,
    session_key: body.session_key,
    source_thread_id: source,
    copied_messages: 6,
    title: 'question 1 (fork)',
  })
  t.not(body.session_key, sourceBefore.row.session_key)
  t.strictSame(await all(body.thread_id), sourceBefore.history.messages.slice(0, 6))
  t.match(await rowOf(body.thread_id), {
    forked_from: source,
    title: 'question 1 (fork)',
    pinned: false,
    unread: 0,
    turn_active: false,
  })
  t.notOk('base' in (await rowOf(body.thread_id)))

  fake.next({ text: 'another answer' })
  await socket.ask({ session_key: body.session_key, text: 'another question' })
  t.strictSame(
    sentMessages().map(({ content }) => content),
    [...range(1, 3).flatMap((n) => [`question ${n}`, `answer ${n}`]), 'another question'],
  )
  t.match((await all(body.thread_id)).slice(5), [
    { content: [{ text: 'answer 3' }] },
    { content: [{ text: 'another question' }] },
    { content: [{ text: 'another answer' }] },
  ])
  t.strictSame(
    { history: await history(source), row: await rowOf(source) },
    sourceBefore,
    'the original is as it was',
  )
  t.equal((await threads('DELETE', `/${body.thread_id}`)).status, 204)
  t.strictSame({ history: await history(source), row: await rowOf(source) }, sourceBefore)
  await socket.ask({ thread_id: source, text: 'question 5' })
  t.equal((await all(source)).length, 10)
})

t.test("A fork's own ledger begins after the messages that it shows, and readers lose nothing", async (t) => {
  const source = await converse(2)
  const thread_id = await forkAt(source, { assistant_turns_from_end: 1 })
  const { last_seq } = await history(thread_id)
  t.ok(last_seq > 0 && last_seq <= (await history(source)).last_seq)
  const [fromStart, fromEnd] = [await chat.connect(), await chat.connect()]
  const idle = { active: false, paused: false, last_seq }
  t.match(await fromStart.subscribe(thread_id, 0), idle)
  t.match(await fromEnd.subscribe(thread_id), idle)
  for (const turn of [1, 2]) {
    const { frames } = await socket.ask({ thread_id, text: `turn ${turn}` })
    for (const reader of [fromStart, fromEnd])
      await reader.until((frame) => frame.thread_id === thread_id && frame.seq === frames.at(-1)!.seq)
  }
  const seen = socket.of(thread_id)
  t.strictSame(
    seen.map(({ seq }) => seq),
    range(last_seq + 1, last_seq + seen.length),
  )
  for (const reader of [fromStart, fromEnd]) t.strictSame(reader.of(thread_id), seen)
  const late = await chat.connect()
  await late.subscribe(thread_id, 0)
  await late.until((frame) => frame.seq === seen.at(-1)!.seq)
  t.strictSame(late.of(thread_id), seen, 'events of the source are not among them')
  const stored = await server.db
    .collection<{ _id: string }>('events')
    .countDocuments({ _id: new RegExp(`^${thread_id}:`) })
  t.equal(stored, seen.length)
})

t.test(
  'A reply is any message of the assistant by its id, with the tool results that follow it',
  async (t) => {
    const thread_id = await createThread()
    const call = { name: 'look_up', arguments: { book: 'a' } }
    fake.next({ text: 'first' }, { text: 'I look', toolCalls: [call, call] }, { text: 'found' })
    await socket.ask({ thread_id, text: 'one' })
    await socket.ask({ thread_id, text: 'two' })
    const messages = await all(thread_id)
    t.match(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'user', 'assistant', 'tool', 'tool', 'assistant'].slice(0, messages.length),
    )
    const calling = messages.findIndex(({ content }) => content.some(({ type }) => type === 'tool_use'))
    const answer = messages.length - 1
    for (const [place, kept] of [
      [{ assistant_turns_from_end: 1 }, answer + 1],
      [{ assistant_turns_from_end: 2 }, 2],
      [{ message_id: messages[1]!.id }, 2],
      [{ message_id: messages[calling]!.id }, answer],
      [{ message_id: messages[answer]!.id }, answer + 1],
    ] as const) {
      const { body } = await fork(thread_id, place)
      t.equal(body.copied_messages, kept, JSON.stringify(place))
      t.strictSame(await all(body.thread_id), messages.slice(0, kept))
    }
    fake.next({ status: 400 })
    await socket.ask({ thread_id, text: 'three' })
    const { body: past } = await fork(thread_id, { assistant_turns_from_end: 1 })
    t.equal(past.copied_messages, answer + 1, 'an answer that failed before any text is no reply')

    const cut = await forkAt(thread_id, { message_id: messages[calling]!.id })
    await socket.ask({ thread_id: cut, text: 'and now?' })
    t.match(
      sentMessages().map(({ role }) => role),
      ['user', 'assistant', 'user', 'assistant', 'tool', 'tool', 'user'],
      'the model receives a whole exchange',
    )

    const elsewhere = await converse(1)
    for (const place of [
      { assistant_turns_from_end: 3 },
      { assistant_turns_from_end: 1_000_000 },
      { message_id: messages[0]!.id },
      { message_id: messages[calling + 1]!.id },
      { message_id: (await all(elsewhere))[1]!.id },
      { message_id: 'msg_none' },
    ])
      t.match(await fork(thread_id, place), { status: 404, body: { error: { code: 'REPLY_NOT_FOUND' } } })
    t.match(await fork(await createThread(), { assistant_turns_from_end: 1 }), {
      status: 404,
      body: { error: { code: 'REPLY_NOT_FOUND' } },
    })
  },
)

t.test('A fork that is not possible is refused', async (t) => {
  const thread_id = await converse(1)
  for (const body of [
    {},
    { assistant_turns_from_end: 1, message_id: 'msg_x' },
    { assistant_turns_from_end: 0 },
    { assistant_turns_from_end: 1.5 },
    { assistant_turns_from_end: 1e300 },
    { assistant_turns_from_end: '1' },
    { message_id: '' },
    { message_id: 7 },
    { content: 'answer 1' },
  ])
    t.match(await fork(thread_id, body), { status: 422, body: { error: { code: 'VALIDATION_FAILED' } } })
  const latest = { assistant_turns_from_end: 1 }
  t.match((await fork('thr_none', latest)).body.error, { code: 'THREAD_NOT_FOUND' })
  await server.request('POST', `/agents/${chat.agent_id}/stop`)
  t.match(await fork(thread_id, latest), { status: 409, body: { error: { code: 'AGENT_NOT_RUNNING' } } })
  await server.request('POST', `/agents/${chat.agent_id}/start`)
  t.equal((await fork(thread_id, latest)).status, 201)
})

t.test('The active turn is not part of a fork', async (t) => {
  const thread_id = await converse(2)
  const settled = await all(thread_id)
  const { hold, release } = createHold()
  fake.next({ text: ['half ', 'said'], hold, holdAfter: 1 })
  const sent = socket.say({ thread_id, text: 'question 3' })
  const { message_id } = await socket.until(({ content }) => content === 'half ')
  t.match(await fork(thread_id, { message_id }), { status: 404 })
  const early = await forkAt(thread_id, { assistant_turns_from_end: 1 })
  t.strictSame(await all(early), settled)
  t.match(await history(early), { turn_active: false, messages: { length: 4 } })
  await socket.ask({ thread_id: early, text: 'meanwhile' })
  release()
  await socket.seeTurn(sent)
  t.equal((await all(early)).length, 6)
  t.match(await fork(thread_id, { message_id }), { status: 201, body: { copied_messages: 6 } })
})

t.test('Forks of forks contain everything they need of the threads before them', async (t) => {
  const [a, texts] = [
    await converse(3),
    (messages: Message[]) => messages.map(({ content }) => content[0]!.text),
  ]
  const grow = async (thread_id: string, name: string) => {
    fake.next({ text: `answer ${name}` })
    await socket.ask({ thread_id, text: `question ${name}` })
  }
  const b = await forkAt(a, { assistant_turns_from_end: 2 })
  await grow(b, 'b')
  await grow(a, 'a')
  const c = await forkAt(b, { assistant_turns_from_end: 1 })
  await grow(c, 'c')
  await grow(b, 'b2')
  const said = ['1', '2', 'b', 'c'].flatMap((name) => [`question ${name}`, `answer ${name}`])
  t.strictSame(texts(await all(c)), said)
  for (const limit of isLong ? [1, 2, 3, 5] : [3]) {
    let read: Message[] = []
    for (let cursor = ''; ; ) {
      const page = await history(c, `?limit=${limit}${cursor}`)
      read = [...page.messages, ...read]
      if (!page.has_more) break
      cursor = `&cursor=${page.next_cursor}`
    }
    t.strictSame(texts(read), said, `${limit} at a time`)
  }
  for (const offset of isLong ? range(0, 9) : [1, 6, 9]) {
    const page = await history(c, `?limit=3&offset=${offset}`)
    const end = Math.max(0, 8 - offset)
    t.strictSame(texts(page.messages), said.slice(Math.max(0, end - 3), end), `offset ${offset}`)
    t.equal(page.has_more, end > 3)
  }
  t.match(await history(c, '?cursor=0'), { messages: [], has_more: false })

  const messages = await all(c)
  for (const kept of isLong ? [2, 4, 6, 8] : [2, 6]) {
    const { body } = await fork(c, { message_id: messages[kept - 1]!.id })
    t.match(body, { source_thread_id: c, copied_messages: kept })
    t.strictSame(await all(body.thread_id), messages.slice(0, kept))
    const [counted, row] = [
      await fork(c, { assistant_turns_from_end: 5 - kept / 2 }),
      await rowOf(body.thread_id),
    ]
    t.strictSame(await all(counted.body.thread_id), messages.slice(0, kept))
    t.equal(row.forked_from, c)
    await grow(body.thread_id, 'd')
    t.strictSame(texts(await all(body.thread_id)), [...said.slice(0, kept), 'question d', 'answer d'])
  }
  const ofSource = (await all(a))[7]!.id
  t.equal((await fork(c, { message_id: ofSource })).status, 404, 'not what the source said later')
})
