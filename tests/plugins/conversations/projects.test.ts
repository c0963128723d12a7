import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { createKnowledgeCalls } from '../tools/knowledge-calls.ts'

const chat = await startChat(t)
const { server, fake, threads, createThread } = chat
const knowledge = createKnowledgeCalls(server)
const socket = await chat.connect()
const { token: stranger } = await server.createUser({ username: 'stranger' })

const projects = (method: string, path = '', body?: object, token?: string) =>
  server.request(method, `/projects${path}`, { body, token })
const create = async (settings: object, token?: string): Promise<string> => {
  const { status, body } = await projects('POST', '', settings, token)
  if (status !== 201) throw new Error(`the project was answered ${status} ${JSON.stringify(body)}`)
  return body.id
}
const move = (thread_id: string, project_id: string | null, token?: string) =>
  threads('PATCH', `/${thread_id}`, { body: { project_id }, token })
const rowOf = async (thread_id: string) => (await threads('GET', `/${thread_id}`)).body
/** The system prompt that the model received last. */
const system = () => String(fake.requests.at(-1)!.body.messages[0]!.content)
const searchTool = () =>
  (fake.requests.at(-1)!.body.tools ?? [])
    .map((tool: { function: object }) => tool.function as { name: string; description: string })
    .find(({ name }) => name === 'search_knowledge')
const NOT_FOUND = { status: 404, body: { error: { code: 'PROJECT_NOT_FOUND' } } }

t.test('A project is created, read, changed and deleted', async (t) => {
  const { status, body } = await projects('POST', '', { name: ' Trip ' })
  t.equal(status, 201)
  t.strictSame(body, {
    id: body.id,
    name: 'Trip',
    description: null,
    instructions: null,
    knowledge_base_ids: [],
    thread_count: 0,
    owner: 'admin',
    is_owner: true,
    can_edit: true,
    created_at: body.created_at,
  })
  t.match(await projects('PATCH', `/${body.id}`, { instructions: 'By train.', description: 'Summer' }), {
    status: 200,
    body: { name: 'Trip', instructions: 'By train.', description: 'Summer' },
  })
  t.match(await projects('PATCH', `/${body.id}`, { description: null }), { body: { description: null } })
  t.match((await projects('GET')).body, [{ id: body.id, instructions: 'By train.' }])
  t.equal((await projects('DELETE', `/${body.id}`)).status, 204)
  t.match(await projects('GET', `/${body.id}`), NOT_FOUND)
  t.match(await projects('DELETE', `/${body.id}`), NOT_FOUND)
  t.strictSame((await projects('GET')).body, [])
})

t.test('Its instructions apply to its threads from the next turn on', async (t) => {
  const project_id = await create({ name: 'Trip', instructions: 'We travel by train.' })
  const { thread_id } = await socket.ask({ text: 'Where to?', project_id })
  t.match(system(), 'We travel by train.')
  t.equal((await rowOf(thread_id)).project_id, project_id)

  await projects('PATCH', `/${project_id}`, { instructions: 'We travel by ship.' })
  await socket.ask({ text: 'And now?', thread_id })
  t.match(system(), 'We travel by ship.')
  t.notMatch(system(), 'train')

  await move(thread_id, null)
  await socket.ask({ text: 'And now?', thread_id })
  t.notMatch(system(), 'ship')
  t.equal((await rowOf(thread_id)).project_id, null)
})

t.test('Its knowledge bases are searched by its threads', async (t) => {
  const [house, notes] = [await knowledge.create('House'), await knowledge.create('Notes')]
  const project_id = await create({ name: 'Rules', knowledge_base_ids: [house, notes] })
  const thread_id = await createThread()
  await socket.ask({ text: 'hello', thread_id })
  t.notOk(searchTool())

  t.match(await move(thread_id, project_id), { status: 200, body: { project_id } })
  await socket.ask({ text: 'hello', thread_id })
  t.match(searchTool()!.description, /- House\n- Notes/)

  await knowledge.request('DELETE', `/${house}`)
  await socket.ask({ text: 'hello', thread_id })
  t.match(searchTool()!.description, '- Notes')
  t.notMatch(searchTool()!.description, '- House', 'a deleted base is left out')
  t.match(await projects('PATCH', `/${project_id}`, { knowledge_base_ids: [house] }), {
    status: 404,
    body: { error: { code: 'KNOWLEDGE_BASE_NOT_FOUND' } },
  })

  const shared = await knowledge.create('Shared', { is_shared: true })
  const foreign = await create({ name: 'Foreign', knowledge_base_ids: [shared] }, stranger)
  t.match(await projects('PATCH', `/${foreign}`, { knowledge_base_ids: [notes] }, stranger), { status: 404 })
})

t.test('Lists are filtered by project, and threads are counted', async (t) => {
  const project_id = await create({ name: 'Counted' })
  const first = (await threads('POST', '', { body: { project_id } })).body.thread_id
  const second = (await threads('POST', '', { body: { project_id, title: 'Second' } })).body.thread_id
  await createThread()
  const listed = async (path: string) =>
    ((await server.request('GET', path)).body as { thread_id: string }[]).map(({ thread_id }) => thread_id)
  const both = [second, first]
  t.strictSame(await listed(`/threads?project_id=${project_id}`), both)
  t.strictSame(await listed(`/agents/${chat.agent_id}/threads?project_id=${project_id}`), both)
  t.match(await projects('GET', `/${project_id}`), { body: { thread_count: 2 } })

  await threads('PATCH', `/${first}`, { body: { archived: true } })
  t.strictSame(await listed(`/threads?project_id=${project_id}`), [second])
  t.strictSame(await listed(`/threads?archived=true&project_id=${project_id}`), [first])
  t.match(
    (await projects('GET')).body.filter(({ id }: { id: string }) => id === project_id),
    [{ thread_count: 1 }],
  )
})

t.test('A fork stays in the project of its source', async (t) => {
  const project_id = await create({ name: 'Forked' })
  const { thread_id } = await socket.ask({ text: 'hello', project_id })
  const { body } = await threads('POST', `/${thread_id}/fork`, { body: { assistant_turns_from_end: 1 } })
  t.equal((await rowOf(body.thread_id)).project_id, project_id)
})

t.test('Deleting a project leaves its threads', async (t) => {
  const project_id = await create({ name: 'Short', instructions: 'Say nothing.' })
  const { thread_id } = await socket.ask({ text: 'hello', project_id })
  await projects('DELETE', `/${project_id}`)
  t.equal((await rowOf(thread_id)).project_id, null)
  await socket.ask({ text: 'hello', thread_id })
  t.notMatch(system(), 'Say nothing.')
})

t.test('Projects of others do not exist', async (t) => {
  const project_id = await create({ name: 'Mine', instructions: 'Secret.' })
  t.match(await projects('GET', `/${project_id}`, undefined, stranger), NOT_FOUND)
  t.match(await projects('PATCH', `/${project_id}`, { name: 'Theirs' }, stranger), NOT_FOUND)
  t.match(await projects('DELETE', `/${project_id}`, undefined, stranger), NOT_FOUND)
  t.strictSame(
    (await projects('GET', '', undefined, stranger)).body.map(({ name }: { name: string }) => name),
    ['Foreign'],
  )
  t.match(await server.request('GET', `/threads?project_id=${project_id}`, { token: stranger }), NOT_FOUND)

  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: true } })
  const thread_id = await createThread({ token: stranger })
  t.match(await move(thread_id, project_id, stranger), NOT_FOUND)
  t.match(await threads('POST', '', { body: { project_id }, token: stranger }), NOT_FOUND)
  t.match(await threads('GET', `?project_id=${project_id}`, { token: stranger }), NOT_FOUND)
  const theirs = await chat.connect({ token: stranger })
  theirs.send({ type: 'user_turn', text: 'hello', project_id, client_message_id: 'stolen' })
  t.match(await theirs.until(({ type }) => type === 'error'), { code: 'PROJECT_NOT_FOUND' })
  t.equal((await threads('GET', '', { token: stranger })).body.length, 1, 'no thread is created for it')
})

t.test('A project is for new threads only in a turn', async (t) => {
  const project_id = await create({ name: 'Late' })
  const thread_id = await createThread()
  socket.send({ type: 'user_turn', text: 'hello', thread_id, project_id, client_message_id: 'late' })
  t.match(await socket.until(({ client_message_id }) => client_message_id === 'late'), {
    type: 'error',
    code: 'VALIDATION_FAILED',
    details: { issues: [{ path: '/project_id' }] },
  })
})

t.test('Texts are bounded', async (t) => {
  const refused = async (body: object, path: string) =>
    t.match(await projects('POST', '', body), {
      status: 422,
      body: { error: { details: { issues: [{ path }] } } },
    })
  await refused({ name: ' ' }, '/name')
  await refused({ name: 'x'.repeat(101) }, '/name')
  await refused({ name: 'x', description: 'x'.repeat(2001) }, '/description')
  await refused({ name: 'x', instructions: 'x'.repeat(16_001) }, '/instructions')
  await refused(
    { name: 'x', knowledge_base_ids: Array.from({ length: 51 }, (_, n) => `kb_${n}`) },
    '/knowledge_base_ids',
  )
  await refused({ name: 'x', knowledge_base_ids: [{ $ne: null }] }, '/knowledge_base_ids/0')
  t.match(await server.request('GET', '/threads?project_id[$ne]=x'), { status: 422 })
})
