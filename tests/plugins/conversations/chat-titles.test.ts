import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'

const chat = await startChat(t, { env: { SVC_TITLE_MODEL: 'agent' } })
const { server, fake, threads, createThread } = chat
const socket = await chat.connect()

const rowOf = async (thread_id: string) => (await threads('GET', `/${thread_id}`)).body
const titled = (thread_id: string, title: string) =>
  eventually(`the title ${title}`, async () => (await rowOf(thread_id)).title === title)

t.test('a thread is named by its first words when its turn begins, then by a model', async (t) => {
  const thread_id = await createThread()
  let release = () => {}
  const hold = new Promise<void>((resolve) => {
    release = resolve
  })
  fake.next({ text: 'It rose by a third.', hold }, { text: '## "Revenue in spring."\n\nMore words' })
  const sent = socket.say({ thread_id, text: 'How did the revenue of the spring develop, in short?' })
  await socket.until(({ client_message_id }) => client_message_id === sent)
  t.equal((await rowOf(thread_id)).title, 'How did the revenue of the spring devel…')
  release()
  await socket.seeTurn(sent)
  await titled(thread_id, 'Revenue in spring')
  const { messages } = fake.requests.at(-1)!.body
  t.match(JSON.stringify(messages), /How did the revenue.*It rose by a third/)

  fake.next({ text: 'Yes.' })
  const { length } = fake.requests
  await socket.ask({ thread_id, text: 'Really?' })
  t.equal(fake.requests.length, length + 1, 'a thread is named once')
  const { body: usage } = await server.request('GET', '/usage/summary')
  t.equal(usage.totals.model_calls, 3, 'the call counts')
})

t.test('a title that a person has set stays', async (t) => {
  const thread_id = await createThread()
  let release = () => {}
  const hold = new Promise<void>((resolve) => {
    release = resolve
  })
  const { length } = fake.requests
  fake.next({ text: 'Hello.' }, { text: 'A greeting', hold })
  await socket.ask({ thread_id, text: 'Good morning' })
  await fake.request(length + 1)
  await threads('PATCH', `/${thread_id}`, { body: { title: 'Mine' } })
  release()
  fake.next({ text: 'Again.' })
  await socket.ask({ thread_id, text: 'Once more' })
  t.equal((await rowOf(thread_id)).title, 'Mine')
})

t.test('without a usable answer the first words stay', async (t) => {
  for (const script of [{ status: 401 }, { text: '***' }]) {
    const thread_id = await createThread()
    const { length } = fake.requests
    fake.next({ text: 'Fine.' }, script)
    await socket.ask({ thread_id, text: 'How are you?' })
    await fake.request(length + 1)
    fake.next({ text: 'Good.' })
    await socket.ask({ thread_id, text: 'And now?' })
    t.equal((await rowOf(thread_id)).title, 'How are you?')
    t.equal((await rowOf(thread_id)).title_by, undefined, 'who wrote it is not shown')
  }
})
