import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'

const chat = await startChat(t)
const { server, threads, createThread } = chat

const idsOf = (rows: { thread_id: string }[]) => rows.map(({ thread_id }) => thread_id)
const listAll = async (query = '', token?: string) =>
  idsOf((await server.request('GET', `/threads${query}`, { token })).body as { thread_id: string }[])

t.test('an archived thread leaves the lists and stays readable', async (t) => {
  const [first, second] = [await createThread(), await createThread()]
  const { body } = await threads('PATCH', `/${first}`, { body: { archived: true } })
  t.match(body, { archived: true })
  t.notOk(idsOf((await threads('GET', '')).body).includes(first))
  t.strictSame(idsOf((await threads('GET', '?archived=true')).body), [first])
  t.notOk((await listAll()).includes(first))
  t.ok((await listAll()).includes(second))
  t.strictSame(await listAll('?archived=true'), [first])
  t.match(await threads('GET', `/${first}`), { status: 200, body: { archived: true } })

  await threads('PATCH', `/${first}`, { body: { archived: false } })
  t.ok((await listAll()).includes(first))
})

t.test('a new turn returns its thread to the lists', async (t) => {
  const thread_id = await createThread()
  await threads('PATCH', `/${thread_id}`, { body: { archived: true } })
  const socket = await chat.connect()
  await socket.ask({ thread_id, text: 'hello again' })
  socket.close()
  t.match((await threads('GET', `/${thread_id}`)).body, { archived: false })
})
