import t from '../../run/file-test.ts'
import { MODEL, range, startChat } from '../../support/chat.ts'
import { seedThread } from '../../support/chat-seed.ts'

const chat = await startChat(t)
const { fake, createThread, history, server, threads } = chat

const sentMessages = () => fake.requests.at(-1)!.body.messages.slice(1)
const beginning = () => JSON.stringify(sentMessages()[0])
const compact = (thread_id: string, request = {}) => threads('POST', `/${thread_id}/compact`, request)
/** The material in requests for summaries since a request. */
const readMaterial = (since: number) =>
  fake.requests
    .slice(since)
    .filter(({ body }) => !body.tools)
    .map(({ body: { messages } }) => String(messages[1]!.content))
const setWindow = async (context_window: number | null) => {
  const { body: providers } = await server.request('GET', '/admin/providers')
  const { id } = providers.find(({ name }: { name: string }) => `${name}:m` === MODEL)
  await server.request('PATCH', `/admin/providers/${id}`, {
    body: { models: [{ id: 'm', name: 'M', context_window }] },
  })
}

t.test('A person has a conversation summarized, except for the last two exchanges', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  for (const n of range(1, 4)) await socket.ask({ thread_id, text: `question ${n}` })
  fake.next({ text: 'They asked two things.' })
  const { status, body } = await compact(thread_id)
  t.equal(status, 200)
  t.strictSame(body, { messages: 4, summary: 'They asked two things.' })
  const [material] = readMaterial(fake.requests.length - 1)
  t.match(material, /question 1.*question 2/s)
  t.notMatch(material, /question 3/)

  const { messages, summary } = await history(thread_id)
  t.equal(messages.length, 8, 'people still see everything')
  t.match(summary, { text: 'They asked two things.', message_id: messages[3].id, made_at: Number })
  await socket.ask({ thread_id, text: 'and now?' })
  t.match(beginning(), /They asked two things\..*question 3/)
  t.equal(sentMessages().length, 5)

  fake.next({ text: 'They asked three things.' })
  t.match((await compact(thread_id)).body, { messages: 2 })
  t.match(readMaterial(fake.requests.length - 1)[0], /They asked two things\..*question 3/s)
})

t.test('There may be nothing to summarize, nobody to do it, or somebody else who asks', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  t.match(await compact(thread_id), { status: 409, body: { error: { code: 'NOTHING_TO_SUMMARIZE' } } })
  for (const n of range(1, 3)) await socket.ask({ thread_id, text: `question ${n}` })
  fake.next({ status: 401 })
  t.match(await compact(thread_id), { status: 502, body: { error: { code: 'MODEL_AUTH_FAILED' } } })
  t.equal((await history(thread_id)).summary, null)
  const { token } = await server.createUser({ username: 'bea' })
  t.equal((await compact(thread_id, { token })).status, 404)
  const [one, other] = await Promise.all([compact(thread_id), compact(thread_id)])
  t.strictSame([one.status, other.status].sort(), [200, 409], 'two at once make one summary')
})

t.test('A model reads every word of what it summarizes, whatever its window really is', async (t) => {
  await setWindow(32_000)
  t.teardown(() => setWindow(null))
  const thread_id = await createThread()
  const socket = await chat.connect()
  const words = range(1, 4000).map((n) => `word${n}`)
  fake.script(({ body: { messages, tools } }) => {
    const size = JSON.stringify(messages).length
    if (!tools && size > 9000) return { status: 400, error: { message: 'prompt is too long' } }
    return { text: tools ? 'Yes.' : `Summed up ${size}.` }
  })
  t.teardown(() => fake.script(() => ({ text: 'ok' })))
  await socket.ask({ thread_id, text: words.join(' ') })
  for (const n of range(1, 2)) await socket.ask({ thread_id, text: `question ${n}` })
  const since = fake.requests.length
  t.match(await compact(thread_id), { status: 200, body: { messages: 2 } })
  const read = readMaterial(since)
    .filter((text) => text.length < 9000)
    .map((text) => /<conversation>\n(.*)\n<\/conversation>/s.exec(text)![1])
    .join('')
  t.strictSame(
    words.filter((word) => !read.includes(word)),
    [],
  )
})

t.test('What was summarized stays so if a later part cannot be summarized', async (t) => {
  const thread_id = await seedThread(chat, 3000)
  const socket = await chat.connect()
  const since = fake.requests.length
  let calls = 0
  fake.script(({ body: { tools } }) => {
    if (tools) return { text: 'Yes.' }
    calls += 1
    return calls === 2 ? { status: 400, error: { message: 'no' } } : { text: `Summary ${calls}.` }
  })
  t.teardown(() => fake.script(() => ({ text: 'ok' })))
  const { frames } = await socket.ask({ thread_id, text: 'and now?' })
  t.equal(frames.filter(({ type, code }) => type === 'notice' && code === 'SHORTENED').length, 1)
  t.match(beginning(), /Summary 1\./)
  await socket.ask({ thread_id, text: 'and then?' })
  const read = readMaterial(since)
    .join('')
    .match(/a message of the past/g)!.length
  t.ok(read >= 5900, `every message was shown, ${read} times in all`)
})
