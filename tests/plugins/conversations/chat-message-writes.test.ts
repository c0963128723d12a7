import t from '../../run/file-test.ts'
import { startChat, textOf } from '../../support/chat.ts'

const BROKEN = `export default {
  name: 'broken',
  summary: 'Fails',
  kernel: 1,
  setup: (host) =>
    host.extend('chat.message_writes', ({ removed }) => {
      throw new Error(removed ? 'cannot remove' : 'cannot derive')
    }),
}`

const { agent_id, connect, createThread, fake, history, server } = await startChat(t, {
  plugins: { broken: BROKEN },
})

t.test('a turn ends and is kept when a plugin fails to derive writes from its messages', async (t) => {
  const socket = await connect()
  const thread_id = await createThread()
  fake.next({ text: 'Hello.' })
  const { end, frames } = await socket.ask({ thread_id, text: 'Good morning' })
  t.match(end, { type: 'done' })
  t.equal(textOf(frames), 'Hello.')
  t.equal((await history(thread_id)).messages.length, 2)
  t.match(server.logged(), /a plugin has no writes for new messages/)
  t.equal((await server.request('GET', `/agents/${agent_id}/threads/${thread_id}`)).status, 200)
})
