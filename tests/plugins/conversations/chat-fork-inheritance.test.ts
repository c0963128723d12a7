import type { MessageDocument, ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import t from '../../run/file-test.ts'
import { MODEL, startChat } from '../../support/chat.ts'
import { seedThread } from '../../support/chat-seed.ts'
import { createForkCalls, LIBRARY } from './fork-calls.ts'

const chat = await startChat(t, { plugins: { library: LIBRARY } })
const { server, fake, threads, createThread } = chat
const { fork, forkAt, all, rowOf } = createForkCalls(chat)
await server.request('PATCH', `/agents/${chat.agent_id}/tool-settings/look_up`, { body: { enabled: true } })
const socket = await chat.connect()

/** The last messages that the model received, without the system prompt. */
const sentMessages = () => fake.requests.at(-1)!.body.messages.slice(1)

t.test('The sources that a tool names are bounded', async (t) => {
  const long = 'x'.repeat(5000)
  const lookUp = (book: string, url: string) => ({ name: 'look_up', arguments: { book, url } })
  fake.next({ toolCalls: [lookUp('short', 'https://a.test/'), lookUp(long, `https://a.test/${long}`)] }, {})
  const thread_id = await createThread()
  await socket.ask({ thread_id, text: 'look' })
  t.strictSame((await chat.history(thread_id)).sources, [
    { id: 'short', title: 'The book short', url: 'https://a.test/', number: 1 },
    { id: long.slice(0, 2048), title: `The book ${long}`.slice(0, 255).concat('…'), number: 2 },
  ])
})

t.test('A fork takes over the model, files and sources of what it shows, and no permission', async (t) => {
  const thread_id = await createThread()
  const write = (path: string) => ({ name: 'write_file', arguments: { path, content: path } })
  const lookUp = (book: string) => ({ name: 'look_up', arguments: { book } })
  for (const [path, book] of [
    ['one.txt', 'a'],
    ['two.txt', 'b'],
    ['one.txt', 'c'],
  ] as const) {
    fake.next({ toolCalls: [write(path), lookUp(book)] }, { text: 'done' })
    await socket.ask({ thread_id, text: path })
  }
  await threads('PATCH', `/${thread_id}`, {
    body: { model: MODEL, pinned: true, title: 'Books', allowed_tools: ['execute'] },
  })
  const names = async (place: object, from = thread_id) => {
    const row = await rowOf(await forkAt(from, place))
    t.match(row, { model: MODEL, pinned: false, title: /^Books \(fork\)/, allowed_tools: [] })
    return {
      artifacts: row.artifacts.map(({ path }: { path: string }) => path),
      sources: row.sources.map(({ id }: { id: string }) => id),
    }
  }
  t.strictSame(await names({ assistant_turns_from_end: 3 }), { artifacts: ['one.txt'], sources: ['a'] })
  t.strictSame(await names({ assistant_turns_from_end: 2 }), {
    artifacts: ['one.txt', 'two.txt'],
    sources: ['a', 'b'],
  })
  t.strictSame(await names({ assistant_turns_from_end: 1 }), {
    artifacts: ['two.txt', 'one.txt'],
    sources: ['a', 'b', 'c'],
  })
  const full = await forkAt(thread_id, { assistant_turns_from_end: 1 })
  await threads('PATCH', `/${full}`, { body: { title: 'Books' } })
  t.strictSame(await names({ assistant_turns_from_end: 3 }, full), { artifacts: ['one.txt'], sources: ['a'] })
})

t.test('A fork is named after its source, in the language of whoever asks', async (t) => {
  const { thread_id } = await socket.ask({ text: 'a question' })
  const latest = { assistant_turns_from_end: 1 }
  const titled = async (title: string, locale?: string) => {
    await threads('PATCH', `/${thread_id}`, { body: { title } })
    return (await fork(thread_id, latest, locale)).body.title
  }
  t.equal(await titled('旅行', 'zh-CN'), '旅行（分支）')
  t.equal(await titled('x'.repeat(33)), `${'x'.repeat(33)} (fork)`)
  t.equal(await titled('x'.repeat(34)), `${'x'.repeat(32)}… (fork)`)
  t.equal(await titled('😀'.repeat(100)), `${'😀'.repeat(32)}… (fork)`)
})

t.test('The summary of a long conversation is kept in forks that show all of it', async (t) => {
  const thread_id = await seedThread(chat, 60)
  fake.next({ text: 'They spoke of the past.' })
  await socket.ask({ thread_id, text: 'and now?' })
  const summaryOf = async (_id: string) =>
    (await server.db.collection<ThreadDocument>('threads').findOne({ _id }))!.summary
  const { position } = (await summaryOf(thread_id))!
  const messages = server.db.collection<MessageDocument>('messages')
  const last = await messages.findOne({ thread_id, position })
  const behind = await messages.findOne({ thread_id, position: { $gt: position }, role: 'assistant' })
  const whole = await forkAt(thread_id, { message_id: behind!._id })
  t.match(await summaryOf(whole), { text: 'They spoke of the past.', position })
  await socket.ask({ thread_id: whole, text: 'go on' })
  t.match(JSON.stringify(sentMessages()[0]), /They spoke of the past\./)

  const earlier = await messages.findOne(
    { thread_id, position: { $lt: last!.position }, role: 'assistant' },
    { sort: { position: -1 } },
  )
  const cut = await forkAt(thread_id, { message_id: earlier!._id })
  t.equal(await summaryOf(cut), undefined)
})

t.test('A fork of a thread whose history is being rebuilt contains the messages that exist', async (t) => {
  const { thread_id } = await socket.ask({ text: 'one' })
  const { turn_id } = await socket.ask({ thread_id, text: 'two' })
  const messages = server.db.collection<MessageDocument>('messages')
  const missing = await messages.find({ turn_id }).toArray()
  await messages.deleteMany({ turn_id })
  const { body } = await fork(thread_id, { assistant_turns_from_end: 1 })
  t.equal(body.copied_messages, 2)
  await messages.insertMany(missing)
  t.equal((await all(thread_id)).length, 4)
  t.equal((await all(body.thread_id)).length, 2, 'what comes later comes to the source alone')
})
