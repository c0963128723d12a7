import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { seedThread } from '../../support/chat-seed.ts'
import { startFakeWebhook } from '../../support/fake-webhook.ts'
import { startPlatform } from '../../support/platform-channel.ts'
import { acts, FILTERS, replaceIn, resetActs } from './filter-calls.ts'

t.beforeEach(resetActs)

t.test('messages of channels pass the filters', async (t) => {
  const start = await startPlatform(t, {
    kind: 'webhook',
    startFake: startFakeWebhook,
    plugins: { filters: FILTERS },
  })
  const { platform, fake, seeMessage } = await start()
  acts.strict.request = ({ messages }) =>
    JSON.stringify(messages).includes('bad')
      ? { refuse: { code: 'NOT_THIS', message: 'Not this.' } }
      : { messages: replaceIn(messages, 'apple', 'pear') }
  acts.strict.reply = ({ text }) => ({ text: text.toUpperCase() })
  fake.next({ text: 'a fine fruit' })
  await platform.say({ text: 'an apple' })
  await seeMessage('A FINE FRUIT')
  t.match(JSON.stringify(fake.requests.at(-1)!.body.messages), /an pear/)
  await platform.say({ text: 'bad words' })
  await seeMessage('Not this.')
})

t.test('summaries and titles are made of what the filters pass', async (t) => {
  const chat = await startChat(t, { plugins: { filters: FILTERS }, env: { SVC_TITLE_MODEL: 'agent' } })
  const { fake } = chat
  const purposes = new Set<string>()
  acts.strict.request = ({ messages, purpose }) => {
    purposes.add(purpose)
    return { messages: replaceIn(messages, 'past', 'age of stone') }
  }
  acts.strict.reply = ({ text }) => ({ text: text.replaceAll('apples', 'pears') })
  fake.script(() => ({ text: 'They spoke of apples.' }))
  const thread_id = await seedThread(chat, 100)
  const socket = await chat.connect()
  await socket.ask({ thread_id, text: 'and now?' })
  await socket.ask({ text: 'a word of the past' })
  await eventually('a title', () => purposes.has('title'))
  t.ok(purposes.has('summary'))
  for (const { body } of fake.requests) t.notMatch(JSON.stringify(body.messages), /past|apples/)
  await eventually('the title of what was passed', async () => {
    const { body } = await chat.threads('GET', '')
    return body.some(({ title }: { title: string }) => title === 'They spoke of pears')
  })
})
