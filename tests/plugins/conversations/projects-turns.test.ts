import t from '../../run/file-test.ts'
import { createHold, startChat } from '../../support/chat.ts'
import { readEvents } from '../../support/sse.ts'
import { createKnowledgeCalls } from '../tools/knowledge-calls.ts'
import { createMigrationCalls } from './migration-calls.ts'

const MAX_PROJECTS = 20
const chat = await startChat(t, { config: { limits: { projects: MAX_PROJECTS } } })
const { server, fake, threads, createThread, agent_id } = chat
const knowledge = createKnowledgeCalls(server)
const { importFile } = createMigrationCalls(chat)
const socket = await chat.connect()
const { id: guest_id, token: guest } = await server.createUser({
  username: 'guest',
  permissions: ['knowledge_bases'],
})
await server.call('PATCH', `/agents/${agent_id}`, { system_prompt: 'You know trains.', is_shared: true })

const create = async (settings: object, token?: string): Promise<string> =>
  (await server.call('POST', '/projects', { name: 'Trip', ...settings }, token)).id
const change = (project_id: string, settings: object) =>
  server.call('PATCH', `/projects/${project_id}`, settings)
const system = (index = -1) => String(fake.requests.at(index)!.body.messages[0]!.content)
const tools = () => JSON.stringify(fake.requests.at(-1)!.body.tools ?? [])

t.test('Instructions of a project follow those of the agent', async (t) => {
  const project_id = await create({ instructions: 'We have two children.' })
  await socket.ask({ text: 'hello', project_id })
  t.match(system(), /You know trains\.[\s\S]*We have two children\.\n\nToday is /)
  await socket.ask({ text: 'hello' })
  t.notMatch(system(), 'children')
})

t.test('A turn that waits has the project as it is when it starts', async (t) => {
  const project_id = await create({ instructions: 'By train.' })
  const thread_id = (await threads('POST', '', { body: { project_id } })).body.thread_id
  const { hold, release } = createHold()
  fake.next({ text: ['one', 'two'], hold, holdAfter: 1 }, { text: 'three' })
  const first = socket.say({ text: 'first', thread_id })
  await socket.until((frame) => frame.thread_id === thread_id && frame.type === 'content')
  const second = socket.say({ text: 'second', thread_id })
  await socket.until(({ type, client_message_id }) => type === 'turn_queued' && client_message_id === second)
  await change(project_id, { instructions: 'By ship.' })
  release()
  await socket.seeTurn(first)
  await socket.seeTurn(second)
  t.match([system(-2), system(-1)], ['By train.', 'By ship.'])
})

t.test('A guest has projects of their own with a shared agent', async (t) => {
  const notes = await knowledge.create('Notes of the guest', { token: guest })
  const project_id = await create({ instructions: 'I am a guest.', knowledge_base_ids: [notes] }, guest)
  const theirs = await chat.connect({ token: guest })
  await theirs.ask({ text: 'hello', project_id })
  t.match(system(), 'I am a guest.')
  t.match(tools(), 'Notes of the guest')
  await socket.ask({ text: 'hello' })
  t.notMatch(tools(), 'Notes of the guest')
})

t.test('A knowledge base that is no longer shared is left out', async (t) => {
  const house = await knowledge.create('House rules', { is_shared: true })
  const project_id = await create({ knowledge_base_ids: [house] }, guest)
  const theirs = await chat.connect({ token: guest })
  const { thread_id } = await theirs.ask({ text: 'hello', project_id })
  t.match(tools(), 'House rules')
  await knowledge.request('PATCH', `/${house}`, { is_shared: false })
  const { end } = await theirs.ask({ text: 'hello', thread_id })
  t.equal(end.type, 'done')
  t.notMatch(tools(), 'House rules')
})

t.test('An export carries no project', async (t) => {
  const project_id = await create({})
  const { thread_id } = await socket.ask({ text: 'hello', project_id })
  const { body: file } = await threads('GET', `/${thread_id}/trajectory/export`)
  t.notMatch(file, project_id)
  const { body } = await importFile(file)
  t.equal((await threads('GET', `/${body.thread_id}`)).body.project_id, null)
})

t.test('The account is notified of its projects, and nobody else', async (t) => {
  const open = async (token: string) => {
    const reader = await readEvents(t, `${server.url}/api/events`, { token })
    await reader.until(({ type }) => type === 'reset')
    return reader
  }
  const [own, other] = [await open(server.admin.token), await open(guest)]
  const count = (project_id: string) =>
    own.events.filter(({ data }) => data.type === 'project.changed' && data.project_id === project_id).length
  const until = (wanted: number, project_id: string) => own.until(() => count(project_id) === wanted)

  const project_id = await create({})
  await until(1, project_id)
  await change(project_id, { name: 'Journey' })
  await until(2, project_id)
  const thread_id = await createThread()
  await threads('PATCH', `/${thread_id}`, { body: { project_id } })
  await own.until((event) => event.type === 'thread.changed' && event.project_id === project_id)
  await server.request('DELETE', `/projects/${project_id}`)
  await until(3, project_id)

  const mark = await create({}, guest)
  await other.until((event) => event.project_id === mark)
  t.strictSame(
    other.events.filter(({ data }) => data.type === 'project.changed').map(({ data }) => data.project_id),
    [mark],
  )
})

t.test('A repeated request creates one project', async (t) => {
  const send = () =>
    server.request('POST', '/projects', { body: { name: 'Once' }, headers: { 'idempotency-key': 'once' } })
  const [first, second] = [await send(), await send()]
  t.equal(second.status, 201)
  t.strictSame(second.body, first.body)
})

t.test('A move with an old entity tag is refused', async (t) => {
  const project_id = await create({})
  const thread_id = await createThread()
  const move = (body: object, tag: string) =>
    threads('PATCH', `/${thread_id}`, { body, headers: { 'if-match': tag } })
  const tag = (await threads('GET', `/${thread_id}`)).headers.get('etag')!
  const moved = await move({ project_id }, tag)
  t.match(moved, { status: 200, body: { project_id } })
  t.equal((await move({ project_id: null }, tag)).status, 412)
  t.match(await move({ project_id: null }, moved.headers.get('etag')!), {
    status: 200,
    body: { project_id: null },
  })
  t.equal((await move({ project_id }, tag)).status, 200, 'as it was before')
})

t.test('Projects are limited', async (t) => {
  const own = (await server.request('GET', '/projects?limit=200', { token: guest })).body.length
  for (let n = own; n < MAX_PROJECTS; n += 1) await create({}, guest)
  t.match(await server.request('POST', '/projects', { body: { name: 'More' }, token: guest }), {
    status: 409,
    body: { error: { code: 'LIMIT_REACHED' } },
  })
  const [{ id }] = (await server.request('GET', '/projects', { token: guest })).body
  await server.call('DELETE', `/projects/${id}`, undefined, guest)
  await create({}, guest)
  t.equal(
    await server.db.collection('projects').countDocuments({ user_id: guest_id, deleted_at: null }),
    MAX_PROJECTS,
  )
})
