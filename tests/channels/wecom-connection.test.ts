import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import type { InboundMessage, JSONValue } from '#plugin-api'
import wecom from '../../channels/wecom/index.ts'
import { type ConnectionState, openSession } from '../../plugins/reach/channels/connections/session.ts'
import type { Failure } from '../../plugins/reach/channels/writing/index.ts'
import { createReplyWriter } from '../../plugins/reach/channels/writing/reply-writer.ts'
import t, { type Test } from '../run/file-test.ts'
import { startFakeWeCom } from '../support/fake-wecom.ts'
import { noCursor, openChannel, settingsFor } from '../support/open-channel.ts'
import { until } from './channel-calls.ts'

const KEY = '01JZ0000000000000000000000'
const { signal } = new AbortController()
const log = pino({ enabled: false })

async function start(t: Test) {
  const platform = await startFakeWeCom()
  t.teardown(() => platform.close())
  return platform
}

const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error) => error.reason,
  )

/** Keeps a channel connected as the server does. */
async function keepOpen(t: Test) {
  const platform = await start(t)
  const received: InboundMessage[] = []
  const states: ConnectionState[] = []
  const session = openSession({
    channel: { _id: 'chn_test', config: {} } as never,
    kind: wecom as never,
    settings: () => settingsFor(wecom, platform),
    inbox: { press: async () => ({ notice: '' }), moved: async () => {} },
    cursor: {
      ...noCursor,
      load: async () => {},
      receive: async (message: InboundMessage) => void received.push(message),
    },
    onState: (state) => void states.push(state),
    onRefused: () => {},
    log,
    random: () => 0,
  })
  t.teardown(() => session.close())
  await session.connect(signal)
  await platform.say({ text: 'hi' })
  await until(() => received.length === 1, 'the message')
  return { platform, session, states, target: received[0]!.target }
}

t.test(
  'a connection that lost its subscription is replaced, and the answer sent on the new one',
  async (t) => {
    const { platform, session, states, target } = await keepOpen(t)
    platform.unsubscribe()
    const writer = createReplyWriter({
      ...{ connect: session.connect, capabilities: wecom.capabilities.direct, target, key: KEY },
      ...{ is_live: false, progress: { sent: 0, covered: 0, live: null }, save: async () => {}, signal },
      ...{ log, onRefused: () => {} },
    })
    await writer.finish('the whole answer')
    t.match(platform.shown(), [{ text: 'the whole answer', is_live: false }])
    t.equal(platform.shown().length, 1, 'once')
    const subscriptions = platform.seen.filter((command) => command === 'aibot_subscribe')
    t.equal(subscriptions.length, 2, 'one new subscription is enough')
    t.equal(platform.seen.filter((command) => command === 'aibot_respond_msg').length, 2)
    t.match(
      states.map(({ state, failure }) => `${state} ${failure?.reason ?? ''}`.trim()),
      ['connecting', 'connected', 'disconnected unreachable', 'connecting', 'connected'],
    )
    await platform.say({ text: 'and the next' })
    t.same(platform.violations, [])
  },
)

t.test('a live answer goes on over a new connection', async (t) => {
  const { platform, session, target } = await keepOpen(t)
  const writer = createReplyWriter({
    ...{ connect: session.connect, capabilities: wecom.capabilities.direct, target, key: KEY },
    ...{ is_live: true, progress: { sent: 0, covered: 0, live: null }, save: async () => {}, signal },
    ...{ log, onRefused: () => {} },
  })
  writer.show('the first half ')
  await until(() => platform.shown().length === 1, 'the first half')
  platform.unsubscribe()
  await writer.finish('the first half and the second')
  t.match(platform.shown(), [{ text: 'the first half and the second', is_live: false }])
  t.equal(platform.shown().length, 1)
  t.same(platform.violations, [])
})

t.test(
  'a message that makes the platform close the connection does not keep the others waiting',
  async (t) => {
    const { platform, session, states, target } = await keepOpen(t)
    const refused: Failure[] = []
    const writerOf = (key: string, to: JSONValue) =>
      createReplyWriter({
        ...{ connect: session.connect, capabilities: wecom.capabilities.direct, target: to, key },
        ...{ is_live: false, progress: { sent: 0, covered: 0, live: null }, save: async () => {}, signal },
        ...{ log, onRefused: (failure: Failure) => void refused.push(failure) },
      })
    platform.closeAfter('poison')
    const other = { ...(target as object), req_id: 'unknown' }
    const ends = await Promise.allSettled([
      writerOf(KEY, target).finish('poison'),
      writerOf(`${KEY.slice(1)}1`, other).finish('the other answer'),
    ])
    t.match(refused, [{ reason: 'unknown', detail: /closed the connection instead of confirming/ }])
    t.equal(ends[1].status, 'fulfilled')
    t.same(
      platform.shown().map(({ text }) => text),
      ['the other answer'],
    )
    // Three of its own, and one more for each time that the other answer was the latest call.
    const cuts = states.filter(({ state }) => state === 'disconnected').length
    t.ok(cuts >= 3 && cuts <= 6, `it was given up after ${cuts} attempts`)
    t.same(platform.violations, [])
  },
)

t.test('each kind of call notices that the subscription is lost', async (t) => {
  const platform = await start(t)
  const bytes = Buffer.from('the words of a file')
  const file = { filename: 'a.txt', media_type: 'text/plain', bytes, key: KEY }
  const buttons = [{ label: 'Yes', value: 'y', style: 'primary' }] as const
  const calls: Record<string, (channel: Awaited<ReturnType<typeof openChannel>>) => Promise<unknown>> = {
    push: ({ connection, received }) => {
      const target = { ...(received[0]!.target as object), req_id: 'unknown' }
      return connection.send(target, { text: 'x', key: KEY }, signal)
    },
    question: ({ connection, received }) =>
      connection.send(received[0]!.target, { text: 'x?', key: KEY, buttons: [...buttons] }, signal),
    live: ({ connection, received }) =>
      connection.live!(received[0]!.target, { text: 'x', key: KEY }, signal),
    file: ({ connection, received }) => connection.sendFile!(received[0]!.target, file, signal),
  }
  for (const [name, call] of Object.entries(calls)) {
    const channel = await openChannel(t, wecom, platform)
    await platform.say({ text: 'hi' })
    await until(() => channel.received.length === 1, 'the message')
    platform.unsubscribe()
    t.equal(await reasonOf(call(channel)), 'unreachable', name)
    await until(() => channel.states.length > 0, 'the loss')
    t.same(channel.states, ['lost: unreachable'], name)
    await channel.close()
  }
  t.same(platform.shown(), [])
})

t.test('a subscription that is refused later ends the connection', async (t) => {
  const platform = await start(t)
  for (const [errcode, reason] of [
    [846601, 'unreachable'],
    [853000, 'invalid_credentials'],
  ] as const) {
    const { states, close } = await openChannel(t, wecom, platform)
    await platform.sendRaw(JSON.stringify({ headers: { req_id: 'aibot_subscribe_9' }, errcode }))
    await until(() => states.length > 0, 'the loss')
    t.same(states, [`lost: ${reason}`])
    await close()
  }
})

t.test('a connection whose heartbeats are not answered, or refused, is lost', async (t) => {
  for (const fail of ['mute', 'unsubscribe'] as const) {
    const platform = await start(t)
    mock.timers.enable({ apis: ['setInterval'] })
    t.teardown(() => mock.timers.reset())
    const { states, close } = await openChannel(t, wecom, platform)
    platform[fail]()
    for (let beat = 1; states.length === 0 && beat <= 4; beat++) {
      mock.timers.tick(30_000)
      for (let turn = 0; turn < 200 && states.length === 0; turn++) await setImmediate()
    }
    t.same(states, ['lost: unreachable'], fail)
    await close()
    mock.timers.reset()
  }
})

t.test('two calls in a row that are not confirmed end the connection, one does not', async (t) => {
  const platform = await start(t)
  const { connection, received, states } = await openChannel(t, wecom, platform)
  await platform.say({ text: 'hi' })
  await until(() => received.length === 1, 'the message')
  const { target } = received[0]!
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const sendInVain = async (key: string) => {
    const count = platform.seen.length
    const sent = reasonOf(connection.send(target, { text: 'x', key }, signal))
    while (platform.seen.length === count) await setImmediate()
    mock.timers.tick(5000)
    t.equal(await sent, 'timeout')
  }
  platform.hold()
  await sendInVain(`${KEY}1`)
  platform.hold()()
  await connection.send(target, { text: 'between', key: `${KEY}2` }, signal)
  platform.hold()
  await sendInVain(`${KEY}3`)
  t.same(states, [])
  await sendInVain(`${KEY}4`)
  t.same(states, ['lost: timeout'])
})

t.test('refusals have their reasons, and those of a text are marked', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, wecom, platform)
  await platform.say({ text: 'hi' })
  await until(() => received.length === 1, 'the message')
  const { target } = received[0]!
  let count = 0
  const refusalOf = async (...errcodes: number[]) => {
    count += 1
    platform.refuseCalls(...errcodes)
    return connection.send(target, { text: 'x', key: `${KEY}${count}` }, signal).then(
      () => 'sent',
      ({ reason, is_about_text }) => (is_about_text ? `${reason}, the text` : reason),
    )
  }
  const both = (errcode: number) => refusalOf(errcode, errcode)
  for (const errcode of [40058, 44004, 45002])
    t.equal(await both(errcode), 'unsupported, the text', `${errcode}`)
  for (const errcode of [40004, 40008, 40009]) t.equal(await both(errcode), 'unsupported', `${errcode}`)
  for (const errcode of [81013, 93000, 93008, 846605]) t.equal(await both(errcode), 'not_found', `${errcode}`)
  for (const errcode of [48002, 60011, 60020, 93004])
    t.equal(await refusalOf(errcode), 'forbidden', `${errcode}`)
  for (const errcode of [6000, 45009, 45033]) t.equal(await refusalOf(errcode), 'rate_limited', `${errcode}`)
  t.equal(await both(846699), 'unknown')
  t.equal(await refusalOf(93000), 'sent', 'a message that can no longer be answered gets one of its own')
  t.same(platform.violations, [])
})

t.test('a question whose card is refused is asked in words', async (t) => {
  const platform = await start(t)
  const { connection, received, logged } = await openChannel(t, wecom, platform)
  await platform.say({ text: 'hi' })
  await until(() => received.length === 1, 'the message')
  const { target } = received[0]!
  const buttons = [{ label: 'Yes', value: 'y', style: 'primary' }] as const
  const ask = (text: string, key: string) =>
    connection.send(target, { text, key, buttons: [...buttons] }, signal)
  const long = `${'long '.repeat(50)} \`/approve cd\``
  platform.refuseCalls(40016, 40016)
  await ask('Short \ud83d? `/approve ab`', `${KEY}1`)
  platform.refuseCalls(846605)
  await ask(long, `${KEY}2`)
  t.same(
    platform.shown().map(({ text, buttons }) => [text.slice(0, 6), buttons.length]),
    [
      ['Short ', 0],
      ['long l', 0],
      ['long l', 1],
    ],
  )
  t.match(logged(), /the buttons of a question were refused/)
  t.same(platform.violations, [])
})

t.test('a message that waits to be stored survives the loss of its connection', async (t) => {
  const platform = await start(t)
  let isAvailable = false
  const { connection, received, states, close, logged } = await openChannel(t, wecom, platform, {
    async receive() {
      if (!isAvailable) throw new Error('the database is unavailable')
    },
  })
  await platform.say({ text: 'hi', id: 'm1' })
  await until(() => /could not be stored; it will be retried/.test(logged()), 'the first attempt')
  platform.unsubscribe()
  const target = { req_id: 'r', chat_id: 'ann', chat_type: 1 }
  t.equal(await reasonOf(connection.send(target, { text: 'x', key: KEY }, signal)), 'unreachable')
  await until(() => states.length > 0, 'the loss')
  await close()
  isAvailable = true
  await until(() => received.length === 1, 'the message')
  t.equal(received[0]!.id, 'm1')
})
