import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createHold } from '../../support/chat.ts'
import { pluginSource } from '../../support/kernel.ts'
import { createHome, installPlugin } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import { startCrashService } from './crash-service.ts'

/** Replaces the apples in requests and replies. */
const FILTER = pluginSource(
  'fruit',
  `
  const change = (text) => text.replaceAll('apple', 'pear')
  const changeBlock = (block) => (block.type === 'text' ? { ...block, text: change(block.text) } : block)
  host.extend('chat.filters', {
    name: 'fruit',
    on_failure: 'refuse',
    request: ({ messages }) => ({
      messages: messages.map((message) => ({ ...message, content: message.content.map(changeBlock) })),
    }),
    reply: ({ text }) => ({ text: change(text) }),
  })`,
)

t.test('a turn that is resumed after a crash passes the filters', async (t) => {
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  installPlugin(home, 'fruit', FILTER)
  const service = await startCrashService(t, home)
  const { fake, call } = service
  const socket = await service.connect()
  const { hold, release } = createHold()
  fake.next(
    { text: 'The first apple.', toolCalls: [{ name: 'ls', arguments: {} }] },
    { text: ['An apple.\n\nThe second ', 'apple.'], hold, holdAfter: 1 },
  )
  fake.script(() => ({ text: 'The last apple.' }))
  socket.say({ text: 'my apple' })
  const { thread_id } = await socket.until(({ type }) => type === 'turn_started')
  await socket.until(({ type, content }) => type === 'content' && String(content).includes('An pear'))
  await service.kill()
  await service.start()
  release()
  const read = () => call('GET', `/threads/${thread_id}/history`)
  await eventually('the end of the turn', async () => !(await read()).turn_active)
  const { messages } = await read()
  t.match(messages[0].content, [{ text: 'my apple' }], 'the history has the words of the person')
  const answers = JSON.stringify(messages.slice(1))
  t.notMatch(answers, /apple/)
  t.match(answers, /The first pear.*pear/)

  const other = await service.connect()
  await other.ask({ thread_id, text: 'and now?' })
  for (const { body } of fake.requests) t.notMatch(JSON.stringify(body.messages), /apple/)
  await service.kill()
})
