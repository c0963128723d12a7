import type { ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import type { ProjectDocument } from '../../../plugins/conversations/projects/projects.ts'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'

/** A plugin that calls the test between the look at a project and the write that puts a thread into it. */
const GATE = `export default {
  kernel: 1, name: 'gate', summary: 'Calls a test', depends: ['chat', 'agents', 'projects'],
  setup(host) {
    host.extend('chat.projects', async () => void (await globalThis.projectGate.pass()))
    host.extend('agents.knowledge_defaults', async () => (await globalThis.projectGate.pass()) ?? [])
  },
}`

const gate: { pass(): Promise<void> } = { pass: async () => {} }
Object.assign(globalThis, { projectGate: gate })

const clock = createTestClock()
const chat = await startChat(t, { clock, plugins: { gate: GATE } })
const { server, threads, createThread, fake } = chat
const { projects: store } = server.server.runtime.cradleOf('projects')
const storedProjects = server.db.collection<ProjectDocument>('projects')
const storedThreads = server.db.collection<ThreadDocument>('threads')
const socket = await chat.connect()

const create = async (settings: object = {}): Promise<string> =>
  (await server.call('POST', '/projects', { name: 'Short', ...settings })).id
const remove = (project_id: string) => server.request('DELETE', `/projects/${project_id}`)
const projectOf = async (thread_id: string) => (await threads('GET', `/${thread_id}`)).body.project_id
const finish = () => store.finishDeletions()

/** Deletes a project the first time that a request has seen it. */
const deleteOnce = (project_id: string) => {
  gate.pass = async () => {
    gate.pass = async () => {}
    // The project is read at the same time, and before this call arrives.
    t.equal((await remove(project_id)).status, 204)
  }
}

t.test('No thread stays in a project that is deleted while the thread is moved', async (t) => {
  const project_id = await create()
  const thread_id = await createThread()
  deleteOnce(project_id)
  const reply = await threads('PATCH', `/${thread_id}`, { body: { project_id } })
  t.match(reply, { status: 200, body: { project_id: null } })
  t.equal(await projectOf(thread_id), null)
})

t.test('No thread stays in a project that is deleted while the thread is created', async (t) => {
  const project_id = await create()
  deleteOnce(project_id)
  const { status, body } = await threads('POST', '', { body: { project_id } })
  t.equal(status, 201)
  t.equal(await projectOf(body.thread_id), null)
})

t.test('No thread stays in a project that is deleted while its first turn starts', async (t) => {
  const project_id = await create({ instructions: 'Say nothing.' })
  deleteOnce(project_id)
  const { thread_id } = await socket.ask({ text: 'hello', project_id })
  t.equal(await projectOf(thread_id), null)
  t.notMatch(fake.requests.at(-1)!.body.messages[0]!.content, 'Say nothing.')
})

t.test('No fork stays in a project that is deleted while it is made', async (t) => {
  const project_id = await create()
  const { thread_id } = await socket.ask({ text: 'hello', project_id })
  deleteOnce(project_id)
  const { body } = await threads('POST', `/${thread_id}/fork`, { body: { assistant_turns_from_end: 1 } })
  t.equal(await projectOf(body.thread_id), null)
  t.equal(await storedThreads.countDocuments({ project_id }), 0)
})

t.test('A thread that a dying process puts into a deleted project is taken out again', async (t) => {
  const project_id = await create()
  const thread_id = await createThread()
  await remove(project_id)
  await storedThreads.updateOne({ _id: thread_id }, { $set: { project_id } })
  clock.advance(600)
  await finish()
  t.equal(await projectOf(thread_id), null)
})

t.test('Of a deleted project only its id is kept, and not for long', async (t) => {
  const project_id = await create({ description: 'private', instructions: 'private' })
  await remove(project_id)
  t.notMatch(JSON.stringify(await storedProjects.findOne({ _id: project_id })), 'private')
  await finish()
  t.ok(await storedProjects.findOne({ _id: project_id }))
  clock.advance(3601)
  await finish()
  t.equal(await storedProjects.countDocuments({ _id: project_id }), 0)
})

t.test('Threads of a restored backup leave projects that it lacks', async (t) => {
  const project_id = await create()
  const kept = (await threads('POST', '', { body: { project_id } })).body.thread_id
  const lost = await createThread()
  await storedThreads.updateOne({ _id: lost }, { $set: { project_id: 'prj_later' } })
  await store.release()
  t.equal(await projectOf(lost), null)
  t.equal(await projectOf(kept), project_id)
})

t.test('A deleted account leaves no projects', async (t) => {
  const { id, token } = await server.createUser({ username: 'gone' })
  await server.call('POST', '/projects', { name: 'Theirs' }, token)
  t.equal((await server.request('DELETE', '/users/gone')).status, 204)
  t.equal(await storedProjects.countDocuments({ user_id: id }), 0)
})

t.test('A deletion that a crash interrupted is finished', async (t) => {
  const project_id = await create({ instructions: 'Say nothing.' })
  const { thread_id } = await socket.ask({ text: 'hello', project_id })
  // The first of its writes.
  await storedProjects.updateOne({ _id: project_id }, { $set: { deleted_at: clock.seconds() } })
  t.match(await server.request('GET', `/projects/${project_id}`), { status: 404 })
  await socket.ask({ text: 'hello', thread_id })
  t.notMatch(fake.requests.at(-1)!.body.messages[0]!.content, 'Say nothing.')
  await server.restart()
  t.equal(await projectOf(thread_id), null)
})
