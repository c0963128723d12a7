import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { pluginSource } from '../../support/kernel.ts'

/** The events that the plugin has received, in order. */
const heard: [event: string, payload: Record<string, unknown>][] = []
Object.assign(globalThis, { heardFacts: heard })

const NAMES = [
  'turn.ended',
  'message.stored',
  'account.signed_in',
  'user.created',
  'user.deleted',
  'agent.deleted',
]
const listener = pluginSource(
  'listener',
  `for (const name of ${JSON.stringify(NAMES)})
     host.on(name, (payload) => { globalThis.heardFacts.push([name, payload]); throw new Error('nobody minds') })`,
)

const chat = await startChat(t, { plugins: { listener } })
const { fake, server, agent_id } = chat
t.beforeEach(() => {
  heard.length = 0
})
const seen = async (count: number) => {
  while (heard.length < count) await new Promise(setImmediate)
  return heard
}

t.test('a plugin receives the end of a turn and its messages, and cannot harm them', async (t) => {
  const socket = await chat.connect()
  const thread_id = await chat.createThread()
  const { turn_id } = await socket.seeTurn(socket.say({ thread_id, text: 'hello' }))
  const { messages } = (await chat.history(thread_id)) as { messages: { id: string; role: string }[] }
  const { user_id } = (await server.db.collection('threads').findOne({ _id: thread_id as never }))!
  const whose = { agent_id, user_id }
  const { started_ms, ended_ms } = (await seen(3))[2]![1]
  t.ok(Number(ended_ms) >= Number(started_ms) && Number(started_ms) > 1.6e12)
  t.strictSame(await seen(3), [
    ...messages.map(({ id, role }) => ['message.stored', { thread_id, message_id: id, role, ...whose }]),
    ['turn.ended', { thread_id, turn_id, ...whose, started_ms, ended_ms, stop_reason: 'end' }],
  ])
  heard.length = 0
  fake.next({ status: 401 })
  await socket.seeTurn(socket.say({ thread_id, text: 'again' }))
  await seen(3)
  t.match(heard.at(-1), [
    'turn.ended',
    { thread_id, error_code: 'MODEL_AUTH_FAILED', stop_reason: undefined },
  ])
})

t.test(
  'it receives the creation, sign-in and deletion of accounts, and the deletion of their agents',
  async (t) => {
    const password = 'ada-password-1'
    const made = await server.request('POST', '/users', { body: { username: 'ada', role: 'user', password } })
    const { id: user_id } = made.body
    t.strictSame((await seen(1))[0], ['user.created', { user_id, username: 'ada' }])
    heard.length = 0
    await server.login('ada', password)
    t.strictSame(await seen(1), [['account.signed_in', { user_id, method: 'password' }]])
    heard.length = 0
    t.equal((await server.request('DELETE', '/users/ada')).status, 204)
    t.match(await seen(2), [
      ['agent.deleted', { owner_id: user_id }],
      ['user.deleted', { user_id, username: 'ada' }],
    ])
    t.match(
      server.logged(),
      /nobody minds.*"plugin":"listener","event":"user\.deleted","msg":"a listener failed"/,
    )
  },
)
