import t from '../run/file-test.ts'
import { startChat, textOf } from '../support/chat.ts'
import { readRecipe } from '../support/readme.ts'

t.test('the filter of docs/plugins.md hides a name and stops an answer', async (t) => {
  const { connect, createThread, fake, history } = await startChat(t, {
    plugins: { discretion: readRecipe('plugins/discretion/index.js') },
  })
  const socket = await connect()
  const thread_id = await createThread()
  fake.next({ text: ['A fine name.\n\nBetter than Ac', 'me has.\n\nMuch better.'] })
  const { end, frames } = await socket.ask({ thread_id, text: 'How do you like Blue Whale?' })
  t.match(fake.requests.at(-1)!.body.messages.at(-1)!.content, 'How do you like the project?')
  t.equal(textOf(frames), 'A fine name.\n\n')
  t.match(end, { type: 'done', stop_reason: 'filtered' })
  t.match(
    frames.find(({ type }) => type === 'notice'),
    {
      code: 'NAMES_A_COMPETITOR',
      message: 'The answer named a competitor.',
    },
  )
  const { messages } = await history(thread_id)
  t.match(messages[0].content, [{ text: 'How do you like Blue Whale?' }])
})

t.test('the guard of docs/operators.md blocks a card number', async (t) => {
  const { connect, fake } = await startChat(t, { config: JSON.parse(readRecipe('guard.json')) })
  const socket = await connect()
  t.match((await socket.ask({ text: 'pay with 4111 1111 1111 1111' })).end, { code: 'GUARD_BLOCKED' })
  t.equal(fake.requests.length, 0)
  const { frames } = await socket.ask({ text: 'see CASE-123456' })
  t.match(
    frames.find(({ type }) => type === 'notice'),
    { code: 'GUARD_WARNED' },
  )
})
