import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#kernel'
import kind from '../../channels/webhook/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import t, { type Test } from '../run/file-test.ts'
import { startFakeWebhook } from '../support/fake-webhook.ts'
import { collectGarbage } from '../support/garbage.ts'
import { builtInChannel } from '../support/kit.ts'
import { openChannel, settingsFor } from '../support/open-channel.ts'

const { signal } = new AbortController()
const KEY = '01JZ0000000000000000000000'

async function open(t: Test) {
  const fake = await startFakeWebhook()
  t.teardown(() => fake.close())
  const { received, connection } = await openChannel(t, kind, fake)
  const base = { id: 'm1', conversation_id: 'c1', user: { id: 'u1' } }
  /** Posts a message and returns the answer's status, or the code of the error and the places that are wrong. */
  const post = async (content: object | string) => {
    const body = typeof content === 'string' ? content : JSON.stringify({ ...base, ...content })
    try {
      return (await fake.post(body)).status
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { issues = [] } = error.details as { issues?: { path: string }[] }
      return [error.code, ...issues.map(({ path }) => path)].join(' ')
    }
  }
  return { fake, received, connection, post }
}

t.test('the status of a callback decides if it is tried again', async (t) => {
  const { fake, connection } = await open(t)
  const target = { conversation_id: 'c1', reply_to: 'm1' }
  const send = () =>
    connection.send(target, { text: 'x', key: KEY }, signal).then(
      () => 'sent',
      ({ reason, retry_after_ms, is_about_text }) =>
        [reason, retry_after_ms, is_about_text && 'the text'].filter(Boolean).join(', '),
    )
  const cases: [number, string, Record<string, string>?][] = [
    [400, 'unknown'],
    [404, 'unknown'],
    [409, 'unknown'],
    [422, 'unknown'],
    [451, 'unknown'],
    [401, 'invalid_credentials'],
    [403, 'invalid_credentials'],
    [410, 'not_found'],
    [301, 'unsupported', { location: '/elsewhere' }],
    [308, 'unsupported', { location: '/callback' }],
    [413, 'unsupported, the text'],
    [408, 'timeout'],
    [425, 'unreachable, 2000', { 'retry-after': '2' }],
    [429, 'rate_limited, 7000', { 'retry-after': '7' }],
    [429, 'rate_limited', { 'retry-after': 'soon' }],
    [500, 'unreachable'],
    [503, 'unreachable, 30000', { 'retry-after': '30' }],
    [204, 'sent'],
  ]
  for (const [status, expected, headers] of cases) {
    const callsBefore = fake.calls()
    fake.answer(status, headers)
    t.equal(await send(), expected, `${status}`)
    t.equal(fake.calls(), callsBefore + 1, 'once, without a redirect')
  }
  fake.answer(413)
  const file = { filename: 'a', media_type: 'text/plain', bytes: Buffer.from('x'), key: KEY }
  t.match(await connection.sendFile!(target, file, signal).catch((error) => error), { is_about_text: false })
  fake.answer(404)
  const probed = await kind.probe(settingsFor(kind, fake), signal).catch((error) => error)
  t.equal(probed.reason, 'not_found')
})

t.test('a refusal has the words of the other side', async (t) => {
  const { fake, connection } = await open(t)
  const send = () =>
    connection
      .send({ conversation_id: 'c1' }, { text: 'x', key: KEY }, signal)
      .catch(({ message }) => message)
  const type = (name: string) => ({ 'content-type': name })
  const page = { text: '<html>Not found</html>' }
  const cases: [string, Parameters<typeof fake.answer>][] = [
    ['answered 422: The room is closed.', [422, type('text/plain'), { text: 'The room\r\n is closed.\n' }]],
    ['answered 400: {"error":"无此会话"}', [400, type('application/json'), { text: '{"error":"无此会话"}' }]],
    [`answered 500: ${'é'.repeat(200)}…`, [500, {}, { text: 'é'.repeat(9000) }]],
    ['answered 404.', [404, type('text/html; charset=utf-8'), page]],
    ['answered 404.', [404, {}, { text: ' \n' }]],
    ['answered 503.', [503, {}, { text: 'It is', end: false }]],
    ['answered 302, but redirects are not followed.', [302, { location: '/a' }, { text: 'Found' }]],
  ]
  for (const [expected, answer] of cases) {
    fake.answer(...answer)
    t.equal(await send(), `The callback address ${expected}`)
  }
})

t.test('nothing that is posted holds half a character', async (t) => {
  const { fake, connection } = await open(t)
  const target = { conversation_id: 'private', reply_to: 'm1' }
  const half = 'a \ud83d b'
  await connection.send(target, { text: half, key: KEY }, signal)
  const live = await connection.live!(target, { text: half, key: `${KEY}l` }, signal)
  await live.finish(`${half} c`, signal)
  await connection.sendFile!(
    target,
    { filename: half, media_type: 'text/plain', bytes: Buffer.from('x'), key: `${KEY}f` },
    signal,
  )
  t.match(fake.shown(), [
    { text: 'a \ufffd b' },
    { text: 'a \ufffd b c' },
    { file: { filename: 'a \ufffd b', bytes: Buffer.from('x') } },
  ])
  t.same(fake.violations, [])
})

t.test('a message is received as it was sent', async (t) => {
  const { received, post } = await open(t)
  const url = 'https://files.example.com/a'
  const reference = { url }
  t.equal(await post({ text: 'hello', files: [{ url }] }), 202)
  t.equal(await post({ files: [{ url, filename: 'a\ud83d.txt', media_type: 'text/plain', size: 3 }] }), 202)
  t.equal(await post({ quote: { text: 'said', sender: 'Ann', is_forwarded: true } }), 202)
  t.equal(await post({ text: 'this?', quote: { files: [{ url }] } }), 202)
  t.equal(await post({ text: 'x', quote: {} }), 202)
  t.equal(await post({ group: true }), 202, 'a mention alone')
  t.equal(await post({ text: 'x' }), 202, 'an id that was sent before')
  t.match(received, [
    { text: 'hello', files: [{ reference }] },
    { text: '', files: [{ reference, filename: /^a.\.txt$/, media_type: 'text/plain', size: 3 }] },
    { text: '', quote: { text: 'said', sender: 'Ann', is_forwarded: true } },
    { text: 'this?', files: [], quote: { text: '', files: [{ reference }] } },
    { text: 'x', quote: undefined },
    { text: '', mentioned: true, conversation: { type: 'group' } },
    { id: 'm1', text: 'x' },
  ])
})

t.test('a message that is not valid is refused with the place, and none is dropped', async (t) => {
  const { received, post } = await open(t)
  const url = 'https://files.example.com/a'
  const cases: [object | string, string][] = [
    [{ text: null }, 'VALIDATION_FAILED /text'],
    [{ text: 7 }, 'VALIDATION_FAILED /text'],
    [{}, 'VALIDATION_FAILED /text'],
    [{ text: ' \n' }, 'VALIDATION_FAILED /text'],
    [{ group: true, mentioned: false }, 'VALIDATION_FAILED /text'],
    [{ text: 'x', id: null }, 'VALIDATION_FAILED /id'],
    [{ text: 'x', id: 'a\ud800' }, 'VALIDATION_FAILED /id'],
    [{ text: 'x', conversation_id: '\udc00' }, 'VALIDATION_FAILED /conversation_id'],
    [{ text: 'x', user: { id: '\ud800' } }, 'VALIDATION_FAILED /user/id'],
    [{ text: 'x', user: 'u1' }, 'VALIDATION_FAILED /user'],
    [{ text: 'x', sent_at: 1e300 }, 'VALIDATION_FAILED /sent_at'],
    [{ text: 'x', quote: 'said' }, 'VALIDATION_FAILED /quote'],
    [{ text: 'x', quote: { text: null } }, 'VALIDATION_FAILED /quote/text'],
    [{ text: 'x', files: {} }, 'VALIDATION_FAILED /files'],
    [{ text: 'x', files: [null] }, 'VALIDATION_FAILED /files/0'],
    [{ text: 'x', files: [{}] }, 'VALIDATION_FAILED /files/0/url'],
    [{ text: 'x', files: [{ url: 'data:text/plain,x' }] }, 'VALIDATION_FAILED /files/0/url'],
    [{ text: 'x', files: [{ url: 'http://' }] }, 'VALIDATION_FAILED /files/0/url'],
    [{ text: 'x', files: [{ url, base64: '!' }] }, 'VALIDATION_FAILED /files/0/base64'],
    [{ text: 'x', files: [{ url, size: -1 }] }, 'VALIDATION_FAILED /files/0/size'],
    [{ text: 'x', files: Array(17).fill({ url }) }, 'VALIDATION_FAILED /files'],
    [{ text: 'x', type: 'sticker' }, 'VALIDATION_FAILED /type'],
    [{ text: 'x', colour: 'red' }, 'VALIDATION_FAILED /colour'],
    ['[]', 'VALIDATION_FAILED '],
    ['null', 'VALIDATION_FAILED '],
    ['7', 'VALIDATION_FAILED '],
    ['', 'BAD_JSON'],
    ['{"id":', 'BAD_JSON'],
    ['{"__proto__":{}}', 'BAD_JSON'],
    ['['.repeat(200_000), 'VALIDATION_FAILED '],
    [`[${'0,'.repeat(450_000)}0]`, 'VALIDATION_FAILED '],
  ]
  for (const [content, expected] of cases)
    t.equal(await post(content), expected, JSON.stringify(content).slice(0, 80))
  t.same(received, [])
})

t.test('a download ends in time', async (t) => {
  const { connection } = await open(t)
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  t.teardown(() => silent.close().closeAllConnections())
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
  const late = connection.download!({ url }, AbortSignal.timeout(100)).catch((error: unknown) => error)
  await sleep(20)
  // Takes signals that nothing refers to.
  collectGarbage()
  t.match(await late, { name: 'TimeoutError' })
})

testChannelKind({ kind, startFake: startFakeWebhook, ...builtInChannel(t) })
