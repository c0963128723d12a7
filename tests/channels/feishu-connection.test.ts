import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#kernel'
import type { ChannelSettings } from '#plugin-api'
import type { FeishuConfig } from '../../channels/feishu/config.ts'
import { findSocketEndpoint } from '../../channels/feishu/endpoint.ts'
import kind from '../../channels/feishu/index.ts'
import { createScrubber } from '../../channels/feishu/scrubber.ts'
import { openSocket } from '../../channels/feishu/stream-socket.ts'
import t, { type Test } from '../run/file-test.ts'
import type { FakeFeishu } from '../support/fake-feishu.ts'
import { encodeFrame, framesOf } from '../support/fake-feishu-frames.ts'
import { openChannel, settingsFor } from '../support/open-channel.ts'
import { failureOf, never } from './channel-calls.ts'
import { openBare, start, startFake, until } from './feishu-calls.ts'

const MEGABYTE = 1024 * 1024
const ENDPOINT = 'callback/ws/endpoint'

const endpointCalls = ({ calls }: FakeFeishu) => calls.filter(({ path }) => path.includes(ENDPOINT)).length

const messageEvent = (message_id: string, text: string) => ({
  sender: { sender_id: { open_id: 'ann' }, sender_type: 'user' },
  message: {
    message_id,
    chat_id: 'oc_direct',
    chat_type: 'p2p',
    message_type: 'text',
    content: JSON.stringify({ text }),
  },
})

const eventOf = (id: string, text: string) => ({
  schema: '2.0',
  header: { event_type: 'im.message.receive_v1' },
  event: messageEvent(id, text),
})

t.test('parts that come out of order and again are one message', async (t) => {
  const { fake, received } = await start(t)
  const text = 'long '.repeat(1000)
  const parts = framesOf(eventOf('om_parts', text), 'parts')
  t.ok(parts.length > 3)
  for (const part of [...parts.slice(1).reverse(), parts.at(-1)!, parts[0]!]) fake.events.sendRaw(part)
  await until(() => received.length === 1)
  t.match(received, [{ id: 'om_parts', text: text.trim() }])
  await until(() => fake.events.acknowledged.length === 1)
  t.same(fake.events.acknowledged, [200])
})

t.test('an event with a missing part is not answered', async (t) => {
  const { fake, received } = await start(t)
  const parts = framesOf(eventOf('om_cut', 'long '.repeat(1000)), 'cut')
  for (const part of parts.slice(1)) fake.events.sendRaw(part)
  await fake.say({ text: 'next' })
  t.same(
    received.map(({ text }) => text),
    ['next'],
  )
  t.same(fake.events.acknowledged, [200])
})

t.test('an event of the older form is read', async (t) => {
  const { fake, received } = await start(t)
  const event = { type: 'im.message.receive_v1', ...messageEvent('om_old', 'as before') }
  await fake.events.deliver({ uuid: 'u', token: '', ts: '1', type: 'event_callback', event })
  t.match(received, [{ id: 'om_old', text: 'as before' }])
})

t.test('an event that cannot be decrypted is left with the platform', async (t) => {
  const fake = await startFake(t)
  const encrypt_key = 'EncryptKey-7c1d'
  const channel = await openChannel(t, kind, fake, { config: { ...fake.config, encrypt_key } })
  const encrypt = Buffer.from('0123456789abcdef nobody else reads this, nor this').toString('base64')
  t.equal(await fake.events.ask({ encrypt }), undefined)
  t.same(fake.events.acknowledged, [500])
  t.match(channel.logged(), /cannot be decrypted with the Encrypt Key/)
  t.notMatch(channel.logged(), encrypt_key)
  t.notMatch(channel.logged(), encrypt)
  t.notMatch(channel.logged(), 'nobody')

  const bare = await openChannel(t, kind, fake)
  t.equal(await fake.events.ask({ encrypt }), undefined)
  t.match(bare.logged(), /the channel has no Encrypt Key/)
  await fake.say({ text: 'still there?' })
  t.match(bare.received, [{ text: 'still there?' }])
  t.same([...channel.states, ...bare.states], [])
})

t.test('frames that make no sense are logged, and nothing of them', async (t) => {
  const { fake, received, states, logged } = await start(t)
  const secret = 'nobody else reads this'
  const event = { type: 'event', message_id: 'm', sum: '1', seq: '0' }
  const frame = (headers: Record<string, string>, payload: string | Buffer) =>
    fake.events.sendRaw(encodeFrame({ kind: 'data', headers, payload: Buffer.from(payload) }))
  fake.events.sendRaw(Buffer.from(secret))
  frame({ ...event, sum: 'x' }, secret)
  frame({ type: 'event' }, secret)
  frame(event, `{"text":"${secret}"`)
  frame({ type: secret }, secret)
  frame({ ...event, message_id: 'large' }, Buffer.alloc(5 * MEGABYTE))
  await fake.say({ text: 'still there?' })
  t.match(received, [{ text: 'still there?' }])
  t.same(states, [])
  t.same(fake.events.acknowledged, [500, 200])
  t.equal(logged().match(/Feishu sent an unreadable frame/g)?.length, 4)
  t.notMatch(logged(), secret)
})

t.test('a frame that is too large cuts the connection, which comes back', async (t) => {
  const { fake, states, received } = await start(t)
  fake.events.sendRaw(Buffer.alloc(17 * MEGABYTE))
  await until(() => states.length === 2)
  t.same(states, ['connecting', 'connected'])
  await fake.say({ text: 'still there?' })
  t.match(received, [{ text: 'still there?' }])
})

t.test('more events than may be in progress are left in the socket', async (t) => {
  const fake = await startFake(t)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let begun = 0
  const { received } = await openChannel(t, kind, fake, {
    receive() {
      begun += 1
      return released
    },
  })
  const count = 500
  for (let n = 0; n < count; n += 1)
    for (const frame of framesOf(eventOf(`om_${n}`, 'x'.repeat(800)), `${n}`)) fake.events.sendRaw(frame)
  await until(() => begun >= 64)
  await sleep(200)
  t.ok(begun < count, `${begun} are in progress`)
  release()
  await until(() => received.length === count)
  await until(() => fake.events.acknowledged.length === count)
})

t.test('the platform cannot make the channel ping or reconnect without a pause', async (t) => {
  const fake = await startFake(t)
  const settings = settingsFor(kind, fake) as ChannelSettings<FeishuConfig>
  const settingsOf = async (clientConfig: unknown) => {
    fake.faults.clientConfig = clientConfig
    const { pingMs, reconnect, service } = await findSocketEndpoint(settings, createScrubber([]), never)
    t.equal(service, 33)
    return { pingMs, ...reconnect }
  }
  const usual = { pingMs: 120_000, spreadMs: 30_000, intervalMs: 120_000, attempts: -1 }
  const odd = { PingInterval: '1', ReconnectCount: null, ReconnectInterval: {}, ReconnectNonce: [] }
  for (const none of [undefined, null, 7, [], {}, odd]) t.same(await settingsOf(none), usual)
  t.same(
    await settingsOf({ PingInterval: 0, ReconnectCount: -7, ReconnectInterval: 0, ReconnectNonce: -1 }),
    { pingMs: 1000, spreadMs: 0, intervalMs: 1000, attempts: -1 },
  )
  t.same(
    await settingsOf({ PingInterval: 1e9, ReconnectCount: 1e9, ReconnectInterval: 1e9, ReconnectNonce: 1e9 }),
    { pingMs: 600_000, spreadMs: 30_000, intervalMs: 120_000, attempts: 1_000_000 },
  )
})

t.test('a refused handshake', async (t) => {
  const refusals = [
    [{ 'handshake-status': '403', 'handshake-msg': 'app is not available' }, 'forbidden', /not available/],
    [
      { 'handshake-status': '514', 'handshake-autherrcode': '1000040350', 'handshake-msg': 'too many' },
      'already_connected',
      /too many/,
    ],
    [{ 'handshake-status': '514', 'handshake-msg': 'ticket is invalid' }, 'unreachable', /ticket is invalid/],
    [{ 'handshake-status': '1000040343' }, 'unreachable', /1000040343/],
    [{}, 'unreachable', /HTTP 403/],
  ] as const
  for (const [headers, reason, message] of refusals)
    await t.test(`with ${JSON.stringify(headers)} is ${reason}`, async (t) => {
      const fake = await startFake(t)
      fake.events.refuseHandshake(headers)
      t.match(await failureOf(openBare(fake).opened), { reason, message })
      t.equal(fake.connections(), 0)
    })

  await t.test('does not show a secret', async (t) => {
    const fake = await startFake(t)
    const { app_secret } = fake.config
    fake.events.refuseHandshake({ 'handshake-status': '403', 'handshake-msg': `not for ${app_secret}` })
    t.match(await failureOf(openBare(fake).opened), { message: /not for \[hidden\]/ })
  })

  await t.test('that redirects is not followed', async (t) => {
    const fake = await startFake(t)
    const other = await startFake(t)
    const location = `${other.endpoints.domain!.replace('http', 'ws')}/ws/v2`
    fake.events.refuseHandshake({ location }, '302 Found')
    t.match(await failureOf(openBare(fake).opened), { reason: 'unreachable', message: /HTTP 302/ })
    t.equal(other.events.handshakes(), 0)
  })

  await t.test('is repeated with a new ticket when the connection comes back', async (t) => {
    const { fake, states } = await start(t)
    fake.events.refuseHandshake({ 'handshake-status': '514' })
    fake.drop()
    await until(() => states.length === 2)
    t.same(states, ['connecting', 'connected'])
    t.equal(endpointCalls(fake), 3)
  })

  await t.test('that is final loses the channel', async (t) => {
    const { fake, states } = await start(t)
    fake.events.refuseHandshake({ 'handshake-status': '403' })
    fake.drop()
    await until(() => states.length === 2)
    t.same(states, ['connecting', 'lost: forbidden'])
    t.equal(endpointCalls(fake), 2)
  })
})

t.test('the endpoint', async (t) => {
  await t.test('that redirects is not followed', async (t) => {
    const fake = await startFake(t)
    const other = await startFake(t)
    fake.refuse(ENDPOINT, 0, { status: 307, location: `${other.endpoints.domain}/${ENDPOINT}` })
    t.equal((await failureOf(openBare(fake).opened)).reason, 'unreachable')
    t.same(other.calls, [])
  })

  await t.test('is asked again while it fails', async (t) => {
    const { fake, states } = await start(t)
    fake.refuse(ENDPOINT, 0, { status: 503 })
    fake.drop()
    await until(() => states.length === 2)
    t.same(states, ['connecting', 'connected'])
    t.equal(endpointCalls(fake), 3)
  })

  await t.test('is asked as often as the platform says', async (t) => {
    const fake = await startFake(t)
    fake.faults.clientConfig = { ReconnectCount: 2, ReconnectInterval: 1, ReconnectNonce: 0, PingInterval: 1 }
    const { states } = await openChannel(t, kind, fake)
    fake.refuse(ENDPOINT, 1, { status: 200, times: 10 })
    fake.drop()
    await until(() => states.length === 2)
    t.same(states, ['connecting', 'lost: unreachable'])
    t.equal(endpointCalls(fake), 3)
  })

  await t.test('that refuses the credentials in the words of the platform', async (t) => {
    const fake = await startFake(t)
    fake.refuse(ENDPOINT, 514, { status: 200 })
    t.match(await failureOf(openBare(fake).opened), {
      reason: 'invalid_credentials',
      message: 'Feishu refused the call with code 514: refused for [hidden]',
    })
  })
})

type SocketOptions = Parameters<typeof openSocket>[0]

/** Finds the endpoint of a fake, and opens sockets without a channel. */
async function prepareSocket(t: Test, fake: FakeFeishu) {
  const life = new AbortController()
  t.teardown(() => life.abort())
  const settings = settingsFor(kind, fake) as ChannelSettings<FeishuConfig>
  const scrubber = createScrubber([])
  const endpoint = await findSocketEndpoint(settings, scrubber, life.signal)
  const options = { endpoint, lookup: settings.lookup, scrubber, life: life.signal, onFrame() {} }
  return { endpoint, open: (changed: Partial<SocketOptions> = {}) => openSocket({ ...options, ...changed }) }
}

t.test('a connection on which nothing comes back after a ping is dead', async (t) => {
  const fake = await startFake(t)
  const { open, endpoint } = await prepareSocket(t, fake)
  let frames = 0
  let reason: string | undefined
  const socket = await open({
    endpoint: { ...endpoint, pingMs: 20 },
    pongMs: 500,
    onFrame() {
      frames += 1
    },
  })
  socket.closed.then((words) => {
    reason = words
  })
  await until(() => frames > 10)
  t.equal(reason, undefined, 'a connection that answers is not')
  socket.pause()
  await sleep(700)
  t.equal(reason, undefined, 'a connection that is not read is not')
  const framesBefore = frames
  socket.resume()
  await until(() => frames > framesBefore)
  fake.events.setDeaf(true)
  await until(() => reason !== undefined)
  t.equal(reason, 'Feishu stopped answering.')
  await until(() => fake.connections() === 0)
})

t.test('the name of the socket is looked up with the guard', async (t) => {
  const fake = await startFake(t)
  const { open, endpoint } = await prepareSocket(t, fake)
  const address = new URL(endpoint.address)
  address.hostname = 'feishu.example'
  const refusal = new AppError('ADDRESS_NOT_ALLOWED', { host: 'feishu.example' })
  const asked: string[] = []
  const failed = open({
    endpoint: { ...endpoint, address },
    lookup(hostname, _options, callback) {
      asked.push(hostname)
      callback(refusal, [])
    },
  })
  t.equal(await failureOf(failed), refusal)
  t.same(asked, ['feishu.example'])
  await open({
    endpoint: { ...endpoint, address },
    lookup: (_hostname, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  t.equal(fake.connections(), 1)
})

t.test('a cut is reported with its cause', async (t) => {
  const fake = await startFake(t)
  const { open } = await prepareSocket(t, fake)
  const socket = await open()
  fake.drop()
  t.equal(await socket.closed, 'The connection to Feishu was cut.')
  await fake.close()
  t.match(await failureOf(open()), { reason: 'unreachable', message: /ECONNREFUSED/ })
})
