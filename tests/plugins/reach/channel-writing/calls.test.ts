import { once } from 'node:events'
import { createServer } from 'node:net'
import pino from 'pino'
import { AppError } from '#kernel'
import { type ChannelConnection, ChannelFailure } from '#plugin-api'
import { createSender } from '../../../../plugins/reach/channels/writing/calls.ts'
import { type Failure, toFailure } from '../../../../plugins/reach/channels/writing/failure.ts'
import t from '../../../run/file-test.ts'
import { createVirtualTime } from './virtual-time.ts'

const SECRET = 'xoxb-secret'
const silent = pino({ level: 'silent' })

t.test('Thrown values are classified, and quoted only if they state a reason', async (t) => {
  const coded = (code: string) => Object.assign(new Error(SECRET), { code })
  const caused = (cause: unknown) => new TypeError('fetch failed', { cause })
  const loop = new Error(SECRET)
  loop.cause = caused(loop)
  const cases: [thrown: unknown, reason: string][] = [
    [new AppError('ADDRESS_NOT_ALLOWED', { host: 'x' }), 'forbidden'],
    [caused(new AppError('ADDRESS_NOT_ALLOWED')), 'forbidden'],
    [new DOMException(SECRET, 'TimeoutError'), 'timeout'],
    ...['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].map(
      (code): [unknown, string] => [caused(coded(code)), 'timeout'],
    ),
    ...[
      'ECONNREFUSED',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ECONNRESET',
      'EPIPE',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'EPROTO',
    ].map((code): [unknown, string] => [caused(coded(code)), 'unreachable']),
    ...[
      'UND_ERR_SOCKET',
      'CERT_HAS_EXPIRED',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ].map((code): [unknown, string] => [coded(code), 'unreachable']),
    [new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT')]), 'unreachable'],
    [{ reason: 'nonsense', message: SECRET }, 'unknown'],
    [coded('ENOENT'), 'unknown'],
    ...[SECRET, undefined, null, 7, new Error(SECRET), loop, []].map((thrown): [unknown, string] => [
      thrown,
      'unknown',
    ]),
  ]
  for (const [thrown, reason] of cases) {
    const failure = toFailure(thrown)
    t.equal(failure.reason, reason)
    t.notMatch(failure.detail, SECRET)
    t.ok(failure.detail.length > 0)
  }
  t.strictSame(toFailure(new ChannelFailure('rate_limited', 'Slow.', { retry_after_ms: 5 })), {
    ...{ reason: 'rate_limited', detail: 'Slow.', retry_after_ms: 5 },
  })
  t.strictSame(toFailure(caused({ reason: 'not_found', message: 'Gone.', retry_after_ms: 'x' })), {
    ...{ reason: 'not_found', detail: 'Gone.' },
  })
})

t.test('Real errors of the network are known', async (t) => {
  const server = createServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  t.equal(toFailure(await fetch(`http://127.0.0.1:${port}`).catch((error) => error)).reason, 'unreachable')
  server.close()
  await once(server, 'close')
  t.equal(toFailure(await fetch(`http://127.0.0.1:${port}`).catch((error) => error)).reason, 'unreachable')
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const url = `http://127.0.0.1:${(silent.address() as { port: number }).port}`
  const late = await fetch(url, { signal: AbortSignal.timeout(1) }).catch((error) => error)
  t.equal(toFailure(late).reason, 'timeout')
})

/** A sender whose calls end as told, in a time of its own. */
function createCase(outcomes: (Error | 'ok' | 'hang')[]) {
  const time = createVirtualTime()
  const abort = new AbortController()
  const log: { connects: number; at: number[] } = { connects: 0, at: [] }
  const begun = time.now()
  const refused: Failure[] = []
  const connection: ChannelConnection = {
    async send(_target, _message, signal) {
      log.at.push(time.now() - begun)
      const outcome = outcomes[log.at.length - 1] ?? outcomes.at(-1)!
      if (outcome === 'ok') return 'sent'
      if (outcome !== 'hang') throw outcome
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    },
    close: () => undefined,
  }
  const connect = async () => {
    log.connects += 1
    return connection
  }
  const sender = createSender({
    ...{ connect, signal: abort.signal, clock: time, random: () => 0.5 },
    ...{ log: silent, onRefused: (failure: Failure) => refused.push(failure) },
  })
  const send = async () => {
    const sent = sender.send('there', { text: 'x', key: 'k' })
    sent.catch(() => undefined)
    await time.runUntil(sent)
    return sent
  }
  return { sender, send, log, refused, abort, time }
}

t.test('What can be helped by waiting is tried again, at growing distances', async (t) => {
  const { send, log, time } = createCase([
    new ChannelFailure('unreachable', 'x'),
    new ChannelFailure('timeout', 'x'),
    new Error('x'),
    new ChannelFailure('rate_limited', 'x', { retry_after_ms: 30_000 }),
    new ChannelFailure('rate_limited', 'x', { retry_after_ms: 0 }),
    new ChannelFailure('rate_limited', 'x', { retry_after_ms: 86_400_000 }),
    'ok',
  ])
  t.equal(await send(), 'sent')
  const pauses = log.at.slice(1).map((at, index) => at - log.at[index]!)
  t.strictSame(pauses, [750, 1500, 3000, 31_500, 1050, 600_000])
  t.equal(log.connects, 7)
  t.equal(time.waiting, 0)
})

t.test('It stops after about an hour', async (t) => {
  const { send, log } = createCase([new ChannelFailure('unreachable', 'Away.')])
  t.match(await send().catch(toFailure), { reason: 'unreachable' })
  t.ok(log.at.at(-1)! > 58 * 60_000 && log.at.at(-1)! <= 60 * 60_000, `${log.at.at(-1)}`)
})

t.test('What cannot be helped is thrown at once', async (t) => {
  for (const reason of [
    ...([
      'forbidden',
      'not_found',
      'unsupported',
      'invalid_credentials',
      'missing_field',
      'already_connected',
    ] as const),
  ]) {
    const { send, log } = createCase([new ChannelFailure(reason, 'No.')])
    t.match(await send().catch(toFailure), { reason })
    t.equal(log.at.length, 1)
  }
})

t.test('An unknown refusal is tried three times, and reported once', async (t) => {
  const { send, log, refused } = createCase([new ChannelFailure('unknown', 'Odd.')])
  t.match(await send().catch(toFailure), { reason: 'unknown' })
  t.equal(log.at.length, 3)
  t.match(refused, [{ reason: 'unknown', detail: 'Odd.' }])
  t.equal(refused.length, 1)
})

t.test('A call that takes too long is ended and tried again', async (t) => {
  const { send, log } = createCase(['hang', 'ok'])
  t.equal(await send(), 'sent')
  t.ok(log.at[1]! >= 120_000)
})

t.test('An abort ends the call, the waiting and the connecting', async (t) => {
  for (const outcome of ['hang', new ChannelFailure('unreachable', 'x')] as const) {
    const { sender, abort, time } = createCase([outcome])
    const sent = sender.send('there', { text: 'x', key: 'k' })
    sent.catch(() => undefined)
    await time.runTo(time.now() + 100)
    abort.abort(new Error('over'))
    await t.rejects(sent)
    await time.runTo(time.now())
    t.equal(time.waiting, 0)
  }
})
