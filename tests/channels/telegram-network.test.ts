import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import kind from '../../channels/telegram/index.ts'
import t, { type Test } from '../run/file-test.ts'
import type { FakeTelegram } from '../support/fake-telegram.ts'
import {
  eventually,
  failureOf,
  message,
  never,
  testTelegram as test,
} from '../support/fake-telegram-channel.ts'
import { startFakeProxy } from '../support/fake-telegram-proxy.ts'
import { openChannel, settingsFor } from '../support/open-channel.ts'

t.jobs = 6

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`

/** Says something, answers it, and passes a file in both directions. */
async function converse(t: Test, telegram: FakeTelegram, options: Parameters<typeof openChannel>[3]) {
  const channel = await openChannel(t, kind, telegram, options)
  const { connection, received } = channel
  const file = { filename: 'a.txt', media_type: 'text/plain', bytes: new TextEncoder().encode('hello') }
  await telegram.say({ text: 'hello', file })
  const [{ target, files } = { target: null, files: [] }] = received
  await connection.send(target, message('Hello.'), never)
  await connection.sendFile!(target, { ...file, key: 'K' }, never)
  const content = await connection.download!(files![0]!.reference, never)
  t.equal((await buffer(content.bytes)).toString(), 'hello')
  t.match(telegram.shown(), [{ text: 'Hello.' }, { file: { filename: 'a.txt' } }])
  return channel
}

for (const [what, userinfo, credentials] of [
  ['without credentials', '', undefined],
  ['with a name and a password', 'ann:p%C3%A4ss@', 'ann:päss'],
  ['with a name alone', 'token-123@', 'token-123:'],
  ['with a password that has signs of its own', 'ann:100%25:a@', 'ann:100%:a'],
  ['with a password that is not encoded', 'ann:100%@', 'ann:100%'],
] as const)
  test(`a proxy ${what}`, async (t, telegram) => {
    const proxy = await startFakeProxy(t, credentials === undefined ? {} : { credentials })
    const config = { ...telegram.config, http_proxy: `http://${userinfo}${proxy.host}` }
    const { close } = await converse(t, telegram, { config })
    t.same(new Set(proxy.tunnels), new Set([credentials && basic(credentials)]))
    await close()
    await eventually(() => telegram.connections() === 0, 'gone')
  })

test('a proxy at an address of IPv6', async (t, telegram) => {
  const proxy = await startFakeProxy(t, { address: '::1' })
  const config = { ...telegram.config, http_proxy: `http://${proxy.host}` }
  const platform = { ...telegram, allow_hosts: ['[::1]'] }
  await converse(t, platform, { config })
  t.ok(proxy.tunnels.length > 0)
})

test('a proxy passes encrypted connections on', async (t, telegram) => {
  const proxy = await startFakeProxy(t)
  let greeting = Buffer.alloc(0)
  const far = createServer((socket) => {
    socket.once('data', (bytes) => {
      greeting = bytes
      socket.destroy()
    })
  })
  await once(far.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => far.close())
  const { port } = far.address() as AddressInfo
  const settings = settingsFor(kind, telegram, { ...telegram.config, http_proxy: `http://${proxy.host}` })
  const failure = await failureOf(
    kind.probe({ ...settings, endpoints: { api: `https://telegram.test:${port}` } }, never),
  )
  t.equal(failure.reason, 'unreachable')
  t.equal(greeting[0], 22, 'a TLS handshake')
  t.ok(greeting.includes('telegram.test'), 'which names the host')
  t.equal(proxy.tunnels.length, 1)
})

test('a proxy that refuses', async (t, telegram) => {
  const proxy = await startFakeProxy(t, { credentials: 'ann:right' })
  const probe = (userinfo: string) =>
    failureOf(
      kind.probe(
        settingsFor(kind, telegram, { ...telegram.config, http_proxy: `http://${userinfo}${proxy.host}` }),
        never,
      ),
    )
  t.match(await probe('ann:wr%C3%B6ng@'), { reason: 'invalid_credentials', message: /407/ })
  t.match(await probe(''), { reason: 'invalid_credentials', message: /407/ })
  for (const refusal of ['403 Forbidden', '502 Bad Gateway', '503 Service Unavailable']) {
    proxy.mood = { refusal }
    t.match(await probe('ann:right@'), { reason: 'unreachable', message: /50|403/ })
  }
  proxy.mood = 'cutting'
  const { length } = proxy.tunnels
  t.match(await probe('ann:right@'), { reason: 'unreachable' })
  t.equal(proxy.tunnels.length, length + 1, 'is not asked again by itself')
})

test('a proxy that is lost for a while', async (t, telegram) => {
  const proxy = await startFakeProxy(t)
  const config = { ...telegram.config, http_proxy: `http://${proxy.host}` }
  const { connection, received, states } = await openChannel(t, kind, telegram, { config })
  await telegram.say({ text: 'one' })
  await eventually(() => telegram.connections() === 1, 'polls')
  proxy.mood = 'cutting'
  proxy.cut()
  const said = telegram.say({ text: 'two' })
  await eventually(() => states.includes('connecting'), 'noticed')
  const { target } = received[0]!
  t.match(await failureOf(connection.send(target, message('lost'), never)), { reason: 'unreachable' })
  proxy.mood = 'fine'
  await said
  await connection.send(target, message('back'), never)
  t.same(states, ['connecting', 'connected'])
  t.same(
    received.map(({ text }) => text),
    ['one', 'two'],
  )
  t.match(telegram.shown(), [{ text: 'back' }])
})

test('a proxy that keeps silent', async (t, telegram) => {
  const proxy = await startFakeProxy(t)
  proxy.mood = 'silent'
  const config = { ...telegram.config, http_proxy: `http://${proxy.host}` }
  const settings = settingsFor(kind, telegram, config)
  t.match(await failureOf(kind.probe(settings, AbortSignal.timeout(100))), { reason: 'timeout' })

  proxy.mood = 'fine'
  const { connection, received, states, close } = await openChannel(t, kind, telegram, { config })
  await telegram.say({ text: 'one' })
  const { target } = received[0]!
  await eventually(() => telegram.connections() === 1, 'polls')
  proxy.mood = 'silent'
  proxy.cut()
  await eventually(() => states.includes('connecting'), 'noticed')
  t.match(await failureOf(connection.send(target, message('lost'), AbortSignal.timeout(100))), {
    reason: 'timeout',
  })
  proxy.mood = 'fine'
  await connection.send(target, message('back'), never)
  t.match(telegram.shown(), [{ text: 'back' }], 'a tunnel that was asked for in vain blocks no later call')
  await close()
})

test('a Bot API at an address of IPv6', async (t, telegram) => {
  const { port } = new URL(telegram.endpoints.api!)
  const relay = createServer((socket) => {
    const far = connect(Number(port), '127.0.0.1')
    for (const end of [socket, far]) end.on('error', () => end.destroy())
    socket.pipe(far).pipe(socket)
  })
  await once(relay.listen(0, '::1'), 'listening')
  t.teardown(() => relay.close())
  const api = `http://[::1]:${(relay.address() as AddressInfo).port}`
  const { close } = await converse(t, { ...telegram, endpoints: { api } }, {})
  await close()
})
