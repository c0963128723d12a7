import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { start } from './terminal-run.ts'

const { server, fake, agent_id } = await startChat(t)
const env = { SVC_PASSWORD: server.admin.password, NO_COLOR: '1' }

t.test('/compact says how many messages were summarized, and shows the summary', async (t) => {
  const run = start(t, { url: server.url, tty: true, env })
  await run.type('you', '/compact')
  await run.until('There is nothing to summarize yet.')
  for (const question of ['one', 'two', 'three']) {
    fake.next({ text: `Answer to ${question}.` })
    await run.type('you', question)
    await run.until(`Answer to ${question}.`)
  }
  await run.type('you', '/compact show')
  await run.until('There is no new summary of this thread.')
  fake.next({ text: 'Ada asked for one.' })
  await run.type('you', '/compact')
  await run.until('2 earlier messages were summarized for the model.')
  t.match(JSON.stringify(fake.requests.at(-1)!.body.messages), /Answer to one/)
  await run.type('you', '/compact show')
  await run.until('Ada asked for one.')
  await run.type('you', '/compact')
  await run.until('There is nothing to summarize')
  t.equal(await run.leave(), 0)
})

t.test('A request of an agent that was asked says which agent asks', async (t) => {
  const config = { tools_with_approval: ['ls'] }
  const created = await server.request('POST', '/agents', { body: { name: 'archivist', config } })
  t.equal(created.status, 201)
  fake.next(
    { toolCalls: [{ id: 'call_a', name: 'ask_agent', arguments: { agent: 'archivist', task: 'Look.' } }] },
    { toolCalls: [{ id: 'call_l', name: 'ls', arguments: {} }] },
    { text: 'Looked.' },
    { text: 'All is well.' },
  )
  const run = start(t, { url: server.url, agent: agent_id, tty: true, env })
  await run.type('you', 'Ask @archivist to look')
  await run.until('⚠ ls, by archivist')
  await run.type('decide', 'y')
  await run.until('All is well.')
  t.equal(await run.leave(), 0)
})
