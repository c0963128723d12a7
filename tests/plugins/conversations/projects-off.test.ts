import type { ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'

const chat = await startChat(t, { config: { plugins: { projects: { enabled: false } } } })
const { server, threads, createThread } = chat
const project_id = 'prj_01KDVMF0000000000000000001'
const REFUSED = {
  status: 422,
  body: {
    error: { code: 'VALIDATION_FAILED', details: { issues: [{ path: '/project_id', rule: 'plugin' }] } },
  },
}

t.test('Without the plugin, a project cannot be chosen', async (t) => {
  const thread_id = await createThread()
  t.match(await threads('PATCH', `/${thread_id}`, { body: { project_id } }), REFUSED)
  t.match(await threads('POST', '', { body: { project_id } }), REFUSED)
  t.match(await threads('GET', `?project_id=${project_id}`), REFUSED)
  t.match(await server.request('GET', `/threads?project_id=${project_id}`), REFUSED)
  const socket = await chat.connect()
  const sent = socket.say({ text: 'hello', project_id })
  t.match(await socket.until(({ client_message_id }) => client_message_id === sent), {
    type: 'error',
    code: 'VALIDATION_FAILED',
  })
})

t.test('A stored project has no effect and is kept for later, also in forks', async (t) => {
  const thread_id = await createThread()
  const stored = server.db.collection<ThreadDocument>('threads')
  await stored.updateOne({ _id: thread_id }, { $set: { project_id } })
  const socket = await chat.connect()
  const { end } = await socket.ask({ text: 'hello', thread_id })
  t.equal(end.type, 'done')
  const { status, body } = await threads('POST', `/${thread_id}/fork`, {
    body: { assistant_turns_from_end: 1 },
  })
  t.equal(status, 201)
  t.equal(await stored.countDocuments({ _id: { $in: [thread_id, body.thread_id] }, project_id }), 2)

  t.match(await threads('PATCH', `/${thread_id}`, { body: { title: 'Renamed' } }), { status: 200 })
  t.match(await threads('PATCH', `/${thread_id}`, { body: { project_id: null } }), {
    status: 200,
    body: { project_id: null },
  })
})
