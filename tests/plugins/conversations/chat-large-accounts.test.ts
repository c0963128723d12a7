import type { ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'

// Enough that the database has to choose among the indexes before it has found anything.
const THREADS = 6000

const chat = await startChat(t)
const { server, agent_id, fake } = chat

t.test('queries that find little in an account with thousands of threads succeed', async (t) => {
  const ann = await server.createUser({ username: 'ann' })
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
  const socket = await chat.connect({ token: ann.token })
  fake.next({ text: 'The puffins return in April.' })
  const { thread_id } = await socket.ask({ text: 'When do the puffins return?' })
  socket.close()
  const threads = server.db.collection<ThreadDocument>('threads')
  const thread = (await threads.findOne({ _id: thread_id }))!
  await threads.insertMany(
    Array.from({ length: THREADS }, (_, n) => ({
      ...thread,
      _id: `${thread_id}${n}`,
      session_key: `${thread.session_key}${n}`,
      title: `Matter ${n}`,
    })),
  )
  const { token } = ann
  const get = async (path: string) => (await server.request('GET', path, { token })).status
  t.equal(await get('/search?q=no-such-word'), 200, 'a search')
  t.equal(await get(`/agents/${agent_id}/files/content?path=none.txt`), 404, 'a file that no thread names')
  t.equal(await get(`/agents/${agent_id}/threads?archived=true`), 200, 'the archive')
  t.equal(await get('/threads?archived=true'), 200, 'the archive of all agents')

  const { chat: conversations, threads: all } = server.server.runtime.cradleOf('chat')
  t.strictSame(await conversations.listPaused(ann.id), [], 'turns that wait')
  t.strictSame(await all.listSurplus(1), [], 'threads of programs')
  t.equal((await all.hide({ user_id: ann.id })).length, THREADS + 1, 'the removal of an account')
  await threads.deleteMany({ _id: { $ne: thread_id } })
})
