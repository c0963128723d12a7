import { setTimeout as pause } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import t, { type Test } from '../../run/file-test.ts'
import { chatUrl, connectChat, startChat, textOf } from '../../support/chat.ts'
import { noNats, startNats } from '../../support/nats-server.ts'
import { startServer } from '../../support/server.ts'
import { readEvents } from '../../support/sse.ts'

/** A client of the NATS server that is not one of ours, and everything that it overhears. */
interface Neighbor {
  connection: NatsConnection
  overheard: { subject: string; text: string }[]
}

async function joinNats(t: Test, address: string): Promise<Neighbor> {
  const { host, username, password } = new URL(address)
  const connection = await connect({ servers: host, user: username, pass: decodeURIComponent(password) })
  t.teardown(() => connection.close())
  const overheard: Neighbor['overheard'] = []
  connection.subscribe('>', {
    callback: (_error, message) => void overheard.push({ subject: message.subject, text: message.string() }),
  })
  await connection.flush()
  return { connection, overheard }
}

/** Payloads that are no messages of a server. */
const MALFORMED = [
  '',
  'no JSON',
  'null',
  '7',
  '[]',
  '{}',
  '{"facts":null}',
  '{"facts":[null]}',
  '{"facts":[["session.ended"]]}',
  '{"facts":[["events.notice",{"name":"constructor","about":{}}]]}',
  '{"facts":[["__proto__",{}],["toString",{}]]}',
  `{"facts":[${'['.repeat(100_000)}${']'.repeat(100_000)}]}`,
  'x'.repeat(1_000_000),
  '.'.repeat(1_000_000),
  'v1...',
  'v1.AAAA.AAAA.AAAA',
  `v1.${'A'.repeat(16)}.${'A'.repeat(22)}.${'A'.repeat(400_000)}`,
]

t.test('Other clients of the same NATS server', { skip: noNats }, async (t) => {
  const nats = await startNats(t)
  const env = { SVC_NATS_URL: nats.url }
  const chat = await startChat(t, { env })
  const { agent_id, server } = chat
  const { token } = server.admin
  const { connection, overheard } = await joinNats(t, nats.url)
  const second = await startServer(t, { home: server.home, env })
  // Each server says something once it has met the other one.
  while (overheard.length < 2) await pause(50)
  const thread_id = await chat.createThread()
  const reader = await connectChat(t, chatUrl(second.url, agent_id, token))
  await reader.subscribe(thread_id)
  const writer = await chat.connect()
  const turn = await writer.ask({ thread_id, text: 'a question of ours' })
  await reader.seeTurn(turn.client_message_id)
  const events = await readEvents(t, `${second.url}/api/events`, { token })
  await events.until(({ type }) => type === 'reset')

  const subjectOf = (name: string) => overheard.find(({ subject }) => subject.includes(name))!.subject
  const [signals, topic] = [subjectOf('.signals'), subjectOf('.thread.')]

  await t.test('read nothing of a conversation', async (t) => {
    const words = ['a question of ours', textOf(turn.frames)]
    for (const { text } of overheard)
      for (const word of words) t.notMatch(text, word, 'no text of a turn is sent in the clear')
  })

  await t.test('cannot speak for a server, whatever they send', async (t) => {
    const { id: user_id } = (await server.request('GET', '/auth/me')).body
    const event = { type: 'agent.deleted', agent_id }
    const facts = [
      ['events.notice', { name: 'event', about: { user_id, event } }],
      ['agent.stopping', { agent_id }],
      ['signals.missed', null],
    ]
    const seq = reader.of(thread_id).at(-1)!.seq as number
    const forged = {
      _id: `${thread_id}:${String(seq + 1).padStart(12, '0')}`,
      turn_id: 'forged',
      ts: Date.now(),
      type: 'content',
      frame: { message_id: 'forged', content: 'words that nobody said' },
      writer: 'forged',
    }
    for (const text of [...MALFORMED, JSON.stringify({ from: 'forged', facts }), JSON.stringify(forged)])
      for (const subject of [signals, topic]) connection.publish(subject, text)
    await connection.flush()

    // A packet of a server arrives after all of these.
    await server.request('PATCH', `/agents/${agent_id}`, { body: { name: 'renamed' } })
    await events.until(({ type, name }) => type === 'agent.changed' && name === 'renamed')
    t.notOk(
      events.events.some(({ data: { type } }) => type === 'agent.deleted'),
      'no forged notice',
    )
    const next = await writer.ask({ thread_id, text: 'another' })
    t.strictSame(await reader.seeTurn(next.client_message_id), next, 'turns still arrive')
    t.notMatch(JSON.stringify(reader.of(thread_id)), 'words that nobody said')
  })

  await t.test('cannot repeat what a server has sent, nor send it elsewhere', async (t) => {
    const changes = () => events.events.filter(({ data: { type } }) => type === 'agent.changed').length
    const earlierCount = changes()
    for (const { subject, text } of [...overheard]) {
      connection.publish(subject, text)
      connection.publish(subject === signals ? topic : signals, text)
    }
    await connection.flush()
    await server.request('PATCH', `/agents/${agent_id}`, { body: { name: 'renamed again' } })
    await events.until(({ type, name }) => type === 'agent.changed' && name === 'renamed again')
    t.equal(changes(), earlierCount + 1, 'each notice is heard once')
  })
})
