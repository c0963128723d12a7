import type { InboundMessage } from '#plugin-api'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createHold } from '../../support/chat.ts'
import { type ScriptedChannel, startScripted } from '../../support/scripted-kind.ts'

const start = await startScripted(t)

const square = { id: 'square', type: 'group' } as const
const plaza = { id: 'plaza', type: 'group' } as const
const target = { name: 'elsewhere' }

const isAsked = ({ fake }: ScriptedChannel, words: string) =>
  eventually('the model is asked', () =>
    fake.requests.some(({ body }) => JSON.stringify(body).includes(words)),
  )

t.test('a message that is being answered while its conversation moves is answered once', async (t) => {
  const channel = await start(t)
  const { say, see, fake, shown } = channel
  const { hold, release } = createHold()
  t.teardown(release)
  fake.next({ text: ['a beginning ', 'and the end'], hold, holdAfter: 1 }, { text: 'the second' })
  await say('a long task', { conversation: square })
  await isAsked(channel, 'a long task')
  await channel.link.moved('square', { id: 'plaza', target })
  await say('a question in between', { conversation: plaza })
  // The lines of the old and of the new id are at work.
  await say('/help', { conversation: plaza })
  await see('Send a message to talk')
  release()
  await see('the second')
  t.equal(shown.filter((text) => text.includes('and the end')).length, 1)
})

t.test('/stop in the new conversation ends a delivery that began in the old one', async (t) => {
  const channel = await start(t)
  const { say, see, fake, answer, calls } = channel
  const { hold, release } = createHold()
  t.teardown(release)
  answer(({ text }) => text.includes('the end') && hold)
  fake.next({ text: 'the end' }, { text: 'the second' })
  await say('one', { conversation: square })
  await eventually('the answer is being sent', () => calls.some(({ text }) => text.includes('the end')))
  await channel.link.moved('square', { id: 'plaza', target })
  await say('/stop', { conversation: plaza })
  await see('Stopped.')
  release()
  await say('two', { conversation: plaza })
  await see('the second')
})

t.test('what a moved conversation asks for is decided under its new id', async (t) => {
  const channel = await start(t, { allow_from: ['ann'] })
  const { say, see, fake, server, agent_id } = channel
  await server.request('PATCH', `/agents/${agent_id}`, { body: { config: { tools_with_approval: ['ls'] } } })
  t.teardown(() => server.request('PATCH', `/agents/${agent_id}`, { body: { config: {} } }))
  const { hold, release } = createHold()
  t.teardown(release)
  fake.next({ toolCalls: [{ name: 'ls', arguments: {} }], hold, holdAfter: 0 }, { text: 'it is listed' })
  await say('list it', { conversation: square })
  await isAsked(channel, 'list it')
  await channel.link.moved('square', { id: 'plaza', target })
  release()
  await see('needs approval')
  await say('yes', { conversation: plaza })
  await see('it is listed')
})

t.test('a conversation moves several times, back, and to itself, with its pictures', async (t) => {
  const { say, see, fake, prompt, link, threads, calls } = await start(t)
  const files = [{ filename: 'cat.png', media_type: 'image/png', reference: 'a cat' }]
  const overheard: Partial<InboundMessage> = { conversation: square, mentioned: false, files }
  fake.next({ text: 'the first' })
  await say('one', { conversation: square })
  await see('the first')
  await say('look', overheard)
  const count = (await threads('GET', '')).body.length
  await link.moved('square', { id: 'plaza', target })
  await link.moved('plaza', { id: 'plaza', target })
  await link.moved('plaza', { id: 'market', target })
  await link.moved('market', { id: 'square', target })
  await link.moved('square', { id: 'plaza', target })
  fake.next({ text: 'a cat' })
  await say('what is it?', { conversation: plaza })
  await see('a cat')
  t.match(prompt(), 'Ann: look [cat.png]')
  t.equal(calls.filter(({ method }) => method === 'download').length, 1)
  t.equal((await threads('GET', '')).body.length, count)
})
