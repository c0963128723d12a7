import { ChannelFailure } from '#plugin-api'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createHold } from '../../support/chat.ts'
import { type ScriptedChannel, startScripted } from '../../support/scripted-kind.ts'

const start = await startScripted(t)

/** Returns the messages of the user in a request to the model. */
const listQuestions = ({ fake }: ScriptedChannel, answer: string) =>
  fake.requests
    .findLast(({ body }) => JSON.stringify(body.messages.at(-1)).includes(answer))!
    .body.messages.filter(({ role }) => role === 'user')
    .map(({ content }) => content)

t.test('messages of the same second as /new are answered in the order in which they came', async (t) => {
  const channel = await start(t)
  const { say, see, fake } = channel
  const { hold, release } = createHold()
  t.teardown(release)
  const sent_at = Math.floor(Date.now() / 1000) * 1000
  fake.next({ text: ['first ', 'and more'], hold, holdAfter: 1 }, { text: 'second' }, { text: 'third' })
  await say('question one', { sent_at })
  await eventually('the model is asked', () =>
    fake.requests.some(({ body }) => JSON.stringify(body).includes('question one')),
  )
  await say('question two', { sent_at })
  await say('/new question three', { sent_at })
  await see('third')
  t.strictSame(listQuestions(channel, 'question two'), ['question one', 'question two'])
  t.strictSame(listQuestions(channel, 'question three'), ['question three'])
})

t.test('what follows /new waits until the conversation has been left', async (t) => {
  const channel = await start(t)
  const { say, see, fake, answer, shown, calls, server, agent_id, channel_id } = channel
  fake.next({ text: 'before' })
  await say('question one')
  await see('before')
  const { hold, release } = createHold()
  t.teardown(release)
  let isDown = true
  answer(({ text }) => {
    if (text.includes('slow')) return hold
    return text.includes('starts a new') && isDown && new ChannelFailure('unreachable', 'down')
  })
  fake.next({ text: 'slow' }, { text: 'after' })
  await say('question two')
  await eventually('the answer is being sent', () => calls.some(({ text }) => text.includes('slow')))
  await say('/new')
  await eventually('/new has run', () => calls.some(({ text }) => text.includes('starts a new')))
  release()
  // The channel is closed between the effect of the command and its answer; then everything runs again.
  const path = `/agents/${agent_id}/channels/${channel_id}`
  await server.request('PATCH', path, { body: { enabled: false } })
  await say('question three')
  isDown = false
  await server.request('PATCH', path, { body: { enabled: true } })
  await see('after')
  t.strictSame(listQuestions(channel, 'question three'), ['question three'])
  t.ok(shown.findIndex((text) => text.includes('starts a new')) < shown.indexOf('after'))
})

t.test('/new is repeated at no cost, and the commands behind it are commands', async (t) => {
  const channel = await start(t)
  const { say, see, fake, prompt, threads } = channel
  const count = (await threads('GET', '')).body.length
  fake.next({ text: 'a joke' })
  await say(`${'/new '.repeat(30_000)}\n/NEW\n tell me a joke`)
  await see('a joke')
  t.equal(prompt(), 'tell me a joke')
  t.equal((await threads('GET', '')).body.length, count + 1)
  await say('/new /help')
  await see('Send a message to talk')
})
