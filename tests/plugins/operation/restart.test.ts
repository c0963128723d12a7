import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../../run/file-test.ts'
import { chatUrl, connectChat, createHold, startChat, textOf } from '../../support/chat.ts'
import { startRelay } from '../../support/relay.ts'
import { serveHome } from '../../support/served-home.ts'

const post = (url: string, token: string) =>
  fetch(`${url}/api/admin/restart`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })

/** A client that reconnects, subscribes again and repeats a message that it has no answer to. */
function createPatientClient(t: Test, urlOf: () => string, thread_id: string) {
  let socket: Awaited<ReturnType<typeof connectChat>> | undefined
  return {
    async ask(text: string): Promise<string> {
      const client_message_id = `m-${text}`
      return eventually(`the answer to ${text}`, async () => {
        try {
          if (!socket) {
            socket = await connectChat(t, urlOf())
            await socket.subscribe(thread_id, 0)
          }
          const { frames, end } = await socket.ask({ thread_id, text, client_message_id })
          return end.type === 'done' && textOf(frames)
        } catch {
          socket = undefined
          return undefined
        }
      })
    },
  }
}

t.test('a conversation goes on while the servers of a database restart one after the other', async (t) => {
  const chat = await startChat(t)
  const { agent_id, fake } = chat
  const { token } = chat.server.admin
  const thread_id = await chat.createThread()
  const servers = await Promise.all([serveHome(t, chat.server.home), serveHome(t, chat.server.home)])
  await chat.server.stop()
  let turn = 0
  const relay = await startRelay(t, () => servers[turn++ % 2]!.starts[0]!.url)
  const client = createPatientClient(t, () => chatUrl(relay.url, agent_id, token), thread_id)

  const { hold, release } = createHold()
  fake.next({ text: ['before ', 'and after'], hold, holdAfter: 1 })
  const held = client.ask('held')
  await eventually('the call of the model', () => fake.requests.length > 0)
  const replies = []
  for (const [index, server] of servers.entries()) {
    replies.push((await post(server.starts[0]!.url, token)).status)
    if (index === 0) release()
    await server.untilStarts(2)
    fake.next({ text: [`answer ${index}`] })
    t.equal(await client.ask(`question ${index}`), `answer ${index}`)
  }
  t.strictSame(replies, [202, 202])
  t.match(await held, /before and after$/)
  const history = await fetch(
    `${servers[0]!.starts[0]!.url}/api/agents/${agent_id}/threads/${thread_id}/history`,
    {
      headers: { authorization: `Bearer ${token}` },
    },
  )
  const { messages } = (await history.json()) as { messages: { role: string; content: { text: string }[] }[] }
  const questions = messages.filter(({ role }) => role === 'user')
  t.strictSame(
    questions.map(({ content }) => content[0]!.text).sort(),
    ['held', 'question 0', 'question 1'],
    'each message once',
  )
})
