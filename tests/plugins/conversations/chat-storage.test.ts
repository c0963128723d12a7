import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createHold, startChat, textOf } from '../../support/chat.ts'
import { startDatabaseProxy } from '../../support/database-proxy.ts'
import { createHome } from '../../support/server.ts'

const chat = await startChat(t, { env: {} })
const { server } = chat
const { disk } = server.server.runtime.blueprint.config.values

t.test('a message to an agent is refused while the disk is full, and a running turn goes on', async (t) => {
  const socket = await chat.connect()
  const thread_id = await chat.createThread()
  const { end } = await socket.ask({ thread_id, text: 'one' })
  t.equal(end.type, 'done')
  const stopBelow = disk.stop_below
  disk.stop_below = '900000tb'
  const sent = socket.say({ thread_id, text: 'two' })
  const refused = await socket.until(
    ({ type, client_message_id }) => type === 'error' && client_message_id === sent,
  )
  t.match(refused, { code: 'STORAGE_FULL' })
  const { messages } = await chat.history(thread_id)
  t.equal(messages.length, 2, 'what is stored can be read')
  disk.stop_below = stopBelow
  const { frames } = await socket.ask({ thread_id, text: 'three' })
  t.equal(textOf(frames), 'three')
})

t.test(
  'a turn whose end comes while its text cannot be written ends once the database is back',
  async (t) => {
    const proxy = await startDatabaseProxy(t)
    const env = { SVC_DATABASE_URL: proxy.url }
    const { connect, createThread, fake, server } = await startChat(t, { home: createHome(t), env })
    const socket = await connect()
    const thread_id = await createThread()
    const { hold, release } = createHold()
    fake.next({ text: ['first ', 'then ', 'later ', 'last'], delayMs: 100, holdAfter: 1, hold })
    const sent = socket.say({ thread_id, text: 'Count' })
    await socket.until(({ content }) => content === 'first ')
    proxy.cut()
    release()
    await eventually('a write fails', () => server.logged().includes('the ledger could not be written'))
    proxy.restore()
    const { frames, end } = await socket.seeTurn(sent)
    t.equal(end.type, 'done')
    t.equal(textOf(frames), 'first then later last')
  },
)
