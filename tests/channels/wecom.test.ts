import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { inspect } from 'node:util'
import { createGuardedFetch } from '#kernel'
import type { ChannelConnection, JSONValue, LiveMessage } from '#plugin-api'
import wecom from '../../channels/wecom/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import t, { type Test } from '../run/file-test.ts'
import { startFakeWeCom } from '../support/fake-wecom.ts'
import { builtInChannel } from '../support/kit.ts'
import { noCursor, openChannel, settingsFor } from '../support/open-channel.ts'
import { failureOf, until } from './channel-calls.ts'

const KEY = '01JZ0000000000000000000000'
const { signal } = new AbortController()

const BUTTONS = [
  { label: 'Approve', value: 'ap:1', style: 'primary' },
  { label: 'Deny', value: 'de:1', style: 'danger' },
] as const

async function start(t: Test) {
  const platform = await startFakeWeCom()
  t.teardown(() => platform.close())
  return platform
}

const bytesOf = async (content: AsyncIterable<Uint8Array>) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const say = (connection: ChannelConnection, target: JSONValue, text: string, key = KEY) =>
  connection.send(target, { text, key }, signal)

const question = (text: string, key = KEY) => ({ text, key, buttons: [...BUTTONS] })

t.test('the descriptor says what is needed and whose account it is', async (t) => {
  t.equal(wecom.kind, 'wecom')
  t.same(wecom.config_schema.required, ['bot_id', 'secret'])
  t.equal(wecom.identity?.({ bot_id: 'b1' }), 'b1')
  t.equal(wecom.identity?.({}), undefined)
  t.ok(wecom.probe_takes_over)
  t.doesNotThrow(() => wecom.check?.({ websocket_url: 'wss://wecom.example.com/bots' }))
  for (const websocket_url of ['wss://', 'wss://user:pass@example.com', 'wss://example.com/#part'])
    t.throws(() => wecom.check?.({ websocket_url }), /is not an address of the form/, websocket_url)
})

t.test('credentials that are wrong are refused at once, by probe and by open', async (t) => {
  const platform = await start(t)
  const { reason, message } = await failureOf(
    wecom.probe(settingsFor(wecom, platform, platform.wrong_config), signal),
  )
  t.same(
    [reason, message],
    [
      'invalid_credentials',
      'WeCom refused the robot with code 853000: the ID or the secret of the robot is wrong',
    ],
  )
  const opened = await failureOf(openChannel(t, wecom, platform, { config: platform.wrong_config }))
  t.equal(opened.reason, 'invalid_credentials')
  t.equal(platform.seen.filter((command) => command === 'aibot_subscribe').length, 2, 'without another try')
})

t.test('probe connects, says nothing, and leaves', async (t) => {
  const platform = await start(t)
  await wecom.probe(settingsFor(wecom, platform), signal)
  await until(() => platform.connections() === 0, 'the probe to leave')
  t.same(platform.seen, ['aibot_subscribe'])
})

t.test('other refusals of the platform have their reasons', async (t) => {
  const reasonOf = async (code: number) => {
    const platform = await start(t)
    platform.refuse(code)
    return await failureOf(wecom.probe(settingsFor(wecom, platform), signal))
  }
  t.equal((await reasonOf(853001)).reason, 'forbidden')
  t.equal((await reasonOf(-1)).reason, 'unreachable')
  const limited = await reasonOf(45009)
  t.same([limited.reason, limited.retry_after_ms], ['rate_limited', 2000])
})

t.test('a closed port and a server of another kind are distinguished', async (t) => {
  const platform = await start(t)
  const elsewhere = { ...platform, endpoints: { ...platform.endpoints, ws_url: 'ws://127.0.0.1:1' } }
  const refused = await failureOf(wecom.probe(settingsFor(wecom, elsewhere), signal))
  t.same([refused.reason, refused.message], ['unreachable', 'WeCom cannot be reached (ECONNREFUSED).'])
  const http = createServer((_, response) => void response.end('hello')).listen(0, '127.0.0.1')
  t.teardown(() => void http.close())
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  const other = { ...platform, endpoints: { ...platform.endpoints, ws_url: `ws://127.0.0.1:${port}` } }
  t.match(await failureOf(wecom.probe(settingsFor(wecom, other), signal)), {
    message: 'WeCom answered with HTTP status 200',
  })
})

t.test('an address that a user chose is held to what is allowed, when it is looked up as well', async (t) => {
  const platform = await start(t)
  const { port } = new URL(platform.endpoints.ws_url!)
  const settings = (websocket_url: string) =>
    settingsFor(wecom, platform, { ...platform.config, websocket_url })
  await wecom.probe(settings(`ws://127.0.0.1:${port}`), signal)
  t.same(platform.seen, ['aibot_subscribe'], 'it is what the socket goes to')
  for (const address of [`ws://10.0.0.1:${port}`, `ws://localhost:${port}`])
    t.equal((await failureOf(wecom.probe(settings(address), signal))).code, 'ADDRESS_NOT_ALLOWED', address)
  const { lookup } = createGuardedFetch({ allowHosts: [] })
  const changed = { ...settings(`ws://localhost:${port}`), lookup, assertAllowed: async () => {} }
  t.equal((await failureOf(wecom.probe(changed, signal))).code, 'ADDRESS_NOT_ALLOWED', 'a name that changes')
  t.throws(() => settings('http://127.0.0.1'), 'and is one of a socket')
  t.equal(platform.seen.length, 1)
})

t.test('a platform that says nothing is given up', async (t) => {
  const platform = await start(t)
  platform.mute()
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const probed = failureOf(wecom.probe(settingsFor(wecom, platform), signal))
  while (platform.seen.length === 0) await setImmediate()
  mock.timers.tick(10_000)
  t.equal((await probed).reason, 'timeout')
})

t.test('opening can be broken off', async (t) => {
  const platform = await start(t)
  platform.mute()
  const abort = new AbortController()
  const probed = failureOf(wecom.probe(settingsFor(wecom, platform), abort.signal))
  await until(() => platform.seen.length === 1, 'the subscription')
  abort.abort(new Error('enough'))
  t.equal((await probed).message, 'enough')
})

t.test('a direct message comes with all that is known of it, and again with the same id', async (t) => {
  const platform = await start(t)
  const { received } = await openChannel(t, wecom, platform)
  const id = await platform.say({ text: 'hello @all', sent_at: 1_700_000_000_000 })
  await until(() => received.length === 1, 'the message')
  const { target, ...message } = received[0]!
  t.same(message, {
    id,
    conversation: { id: 'ann', type: 'direct' },
    sender: { id: 'ann' },
    text: 'hello @all',
    mentioned: true,
    sent_at: 1_700_000_000_000,
  })
  t.match(target, { chat_id: 'ann', chat_type: 1, req_id: /./ })
  await platform.redeliver(id)
  await until(() => received.length === 2, 'it once more')
  t.equal(received[1]!.id, id)
})

t.test('in a group the mention is cut off, and what mentions nobody does not come', async (t) => {
  const platform = await start(t)
  const config = { ...platform.config, robot_name: 'Robo' }
  const { received } = await openChannel(t, wecom, platform, { config })
  await platform.say({ text: 'among ourselves', place: 'group', mention: false })
  await platform.say({ text: 'what is @ 3 o’clock?\nTell @bob', place: 'group', quote: 'the plan' })
  await until(() => received.length === 1, 'the message')
  t.equal(received[0]!.text, 'what is @ 3 o’clock?\nTell @bob')
  t.match(received[0], {
    conversation: { id: 'wrGroup1', type: 'group' },
    mentioned: true,
    quote: { text: 'the plan' },
    target: { chat_id: 'wrGroup1', chat_type: 2 },
  })
})

t.test('a message that cannot be stored is kept and handed over again', async (t) => {
  const platform = await start(t)
  let refusals = 2
  const { received, logged } = await openChannel(t, wecom, platform, {
    async receive({ text }) {
      if (text === 'first' && refusals-- > 0) throw new Error('the database is unavailable')
    },
  })
  await platform.say({ text: 'first', id: 'm1' })
  await platform.say({ text: 'second', id: 'm2' })
  await until(() => received.length === 2, 'both messages')
  t.same(
    received.map(({ id }) => id),
    ['m2', 'm1'],
    'others do not wait for it',
  )
  t.match(logged(), /could not be stored; it will be retried/)
})

t.test('no more than some are kept', async (t) => {
  const platform = await start(t)
  const { logged } = await openChannel(t, wecom, platform, {
    async receive() {
      throw new Error('the database is unavailable')
    },
  })
  for (let n = 0; n < 201; n++) await platform.say({ text: `number ${n}` })
  await until(() => /a message is lost/.test(logged()), 'the last to be given up')
  t.equal(logged().match(/a message is lost/g)!.length, 1)
})

t.test('files come encrypted and are given plain', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, wecom, platform)
  for (const size of [1, 31, 32, 33, 300_000]) {
    const bytes = Buffer.alloc(size, 'WeCom')
    await platform.say({ text: '', file: { filename: '報告 1.txt', media_type: 'text/plain', bytes } })
    await until(() => received.length > 0, 'the file')
    const { text, files } = received.pop()!
    t.equal(text, '')
    const { filename, bytes: content } = await connection.download!(files![0]!.reference, signal)
    t.equal(filename, '報告 1.txt')
    t.same(await bytesOf(content), bytes, `${size} bytes`)
  }
  const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(99)])
  const file = { filename: 'cat.png', media_type: 'image/png', bytes: png }
  await platform.say({ text: 'look', place: 'group', file })
  await platform.say({ text: 'read', file: { ...file, media_type: 'text/plain' } })
  await until(() => received.length === 2, 'words with files')
  const [mixed, quoting] = received
  t.match(mixed, { text: 'look', files: { length: 1 } })
  t.match(quoting, { text: 'read', quote: { text: '[file]', files: { length: 1 } } })
  const picture = await connection.download!(mixed!.files![0]!.reference, signal)
  t.equal(picture.media_type, 'image/png')
  t.same(await bytesOf(picture.bytes), png)
})

t.test('a file that is gone, cut, or has no key or address, says so', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, wecom, platform)
  await platform.say({
    text: '',
    file: { filename: 'a', media_type: 'text/plain', bytes: Buffer.from('secret words') },
  })
  await until(() => received.length === 1, 'the file')
  const reference = received[0]!.files![0]!.reference as { url: string; aeskey: string }
  const get = async (reference: JSONValue) =>
    failureOf(connection.download!(reference, signal).then(({ bytes }) => bytesOf(bytes)))
  t.equal((await get({ ...reference, aeskey: 'short' })).reason, 'unknown')
  t.equal((await get({ ...reference, url: 'file:///etc/passwd' })).reason, 'not_found')
  t.equal((await get({ ...reference, url: 'http://10.0.0.1/x?sign=1' })).code, 'ADDRESS_NOT_ALLOWED')
  const away = await startFakeWeCom()
  await away.close()
  t.match(await get({ ...reference, url: `${away.endpoints.qr}/x?sign=1` }), {
    reason: 'unreachable',
    message: 'WeCom cannot be reached (ECONNREFUSED)',
  })
  platform.cutFiles()
  t.match(await get(reference), { reason: 'unknown', message: /truncated/ })
  platform.forgetFiles()
  t.match(await get(reference), { reason: 'not_found', message: /404/ })
})

t.test('a message is answered, or sent to its conversation if it can no longer be answered', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, wecom, platform)
  await platform.say({ text: 'hi', place: 'group' })
  await until(() => received.length === 1, 'the message')
  const { target } = received[0]!
  t.equal(await say(connection, target, '**one**'), null)
  await say(connection, target, '**one**')
  platform.expireAnswers()
  await say(connection, target, 'two', `${KEY}2`)
  t.same(
    platform.shown('group').map(({ text, is_live }) => [text, is_live]),
    [
      ['**one**', false],
      ['two', false],
    ],
    'and not twice where the same is sent again',
  )
  t.same(platform.seen.slice(1), [
    'aibot_respond_msg',
    'aibot_respond_msg',
    'aibot_respond_msg',
    'aibot_send_msg',
  ])
  t.same(platform.violations, [])
})

t.test('rate limits and errors are reported and pass', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, wecom, platform)
  await platform.say({ text: 'hi' })
  await until(() => received.length === 1, 'the message')
  const { target } = received[0]!
  platform.limitRate(1, 1)
  t.match(await failureOf(say(connection, target, 'x')), {
    reason: 'rate_limited',
    retry_after_ms: 2000,
    message: 'WeCom refused aibot_respond_msg with code 45009: too many calls',
  })
  platform.fail(1)
  t.equal((await failureOf(say(connection, target, 'x'))).reason, 'unreachable')
  await say(connection, target, 'x')
  t.equal(platform.shown().length, 1)
  const stranger = { req_id: 'r', chat_id: 'nobody', chat_type: 1 }
  t.match(await failureOf(say(connection, stranger, 'x')), { reason: 'not_found', message: /93006/ })
})

t.test('a confirmation that does not come ends in time; a signal ends it at once', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, wecom, platform)
  await platform.say({ text: 'hi' })
  await until(() => received.length === 1, 'the message')
  const { target } = received[0]!
  const release = platform.hold()
  const abort = new AbortController()
  const broken = failureOf(connection.send(target, { text: 'a', key: `${KEY}a` }, abort.signal))
  await until(() => platform.seen.includes('aibot_respond_msg'), 'the answer')
  abort.abort(new Error('stopped'))
  t.equal((await broken).message, 'stopped')
  release()
  await say(connection, target, 'between')
  platform.mute()
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const count = platform.seen.length
  const sent = failureOf(say(connection, target, 'b', `${KEY}b`))
  while (platform.seen.length === count) await setImmediate()
  mock.timers.tick(5000)
  t.equal((await sent).reason, 'timeout')
})

t.test('a live message is changed, and ends once', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, wecom, platform)
  await platform.say({ text: 'hi' })
  await until(() => received.length === 1, 'the message')
  const live = await connection.live!(received[0]!.target, { text: 'One', key: KEY }, signal)
  t.match(platform.shown(), [{ text: 'One', is_live: true }])
  await live.update('One two', signal)
  await live.update(' \n', signal)
  const release = platform.hold()
  const first = live.update('One two three', signal)
  await live.update('skipped, as the one before is not confirmed', signal)
  await until(() => platform.seen.length === 4, 'the change')
  release()
  await first
  await live.finish('One two three four', signal)
  await live.finish('One two three four', signal)
  t.match(platform.shown(), [
    { text: 'One two three four', is_live: false, history: ['One', 'One two', 'One two three'] },
  ])
  t.equal(platform.seen.length, 5)
  const empty = await connection.live!(received[0]!.target, { text: 'x', key: `${KEY}e` }, signal)
  await empty.finish('\u200b', signal)
  t.equal(platform.shown()[1]!.text, '…')
  t.same(platform.violations, [])
})

t.test('another connection goes on with a live message', async (t) => {
  const platform = await start(t)
  const first = await openChannel(t, wecom, platform)
  await platform.say({ text: 'hi' })
  await until(() => first.received.length === 1, 'the message')
  const { target } = first.received[0]!
  const live = await first.connection.live!(target, { text: 'Half', key: KEY }, signal)
  const reference = structuredClone(live.reference)
  await first.close()
  const second = await openChannel(t, wecom, platform)
  const resumed: LiveMessage = await second.connection.live!(
    target,
    { text: 'Half', key: `${KEY}x` },
    signal,
    reference,
  )
  await resumed.finish('Half and whole', signal)
  t.match(platform.shown(), [{ text: 'Half and whole', is_live: false }])
  t.equal(platform.shown().length, 1)
})

t.test('a live message that can be changed no longer goes on as another one', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, wecom, platform)
  await platform.say({ text: 'hi' })
  await until(() => received.length === 1, 'the message')
  const { target } = received[0]!
  const live = await connection.live!(target, { text: 'One', key: KEY }, signal)
  const untouched = await connection.live!(target, { text: 'Uno', key: `${KEY}u` }, signal)
  platform.expireStreams()
  await live.update('One two', signal)
  const count = platform.seen.length
  await live.update('One two three', signal)
  t.equal(platform.seen.length, count, 'it is not tried again')
  await live.finish('One two three', signal)
  await untouched.finish('Uno due', signal)
  platform.expireAnswers()
  const late = await connection.live!(target, { text: 'Eins', key: `${KEY}l` }, signal)
  await late.finish('Eins zwei', signal)
  t.same(
    platform.shown().map(({ text }) => text),
    ['One', 'Uno', 'One two three', 'Uno due', 'Eins zwei'],
  )
  platform.limitRate(1, 1)
  const limited = await failureOf(connection.live!(target, { text: 'x', key: `${KEY}r` }, signal))
  t.equal(limited.reason, 'rate_limited')
  t.same(platform.violations, [])
})

t.test('a button is pressed and its card repainted, for all or for whom it was in vain', async (t) => {
  const platform = await start(t)
  const { connection, received, presses } = await openChannel(t, wecom, platform, {
    outcomeOf: ({ sender }) =>
      sender.id === 'ann' ? { notice: 'Approved', text: '**Approved** by ann' } : { notice: 'Not yours' },
  })
  await platform.say({ text: 'do it', place: 'group' })
  await until(() => received.length === 1, 'the message')
  const { target } = received[0]!
  const sent = await connection.send(target, question('Run `rm -r *`?'), signal)
  const [card] = platform.shown()
  t.match(card, { text: 'Run rm -r *?', buttons: ['Approve', 'Deny'] })
  t.equal(await platform.press(card!.id, 'Deny', 'bob'), 'Not yours')
  t.same(platform.shown()[0]!.buttons, ['Approve', 'Deny'], 'the others keep the buttons')
  t.equal(await platform.press(card!.id, 'Approve'), 'Approved')
  t.same(presses, [
    { value: 'de:1', sender: { id: 'bob' }, conversation_id: 'wrGroup1' },
    { value: 'ap:1', sender: { id: 'ann' }, conversation_id: 'wrGroup1' },
  ])
  t.match(platform.shown()[0], { text: 'Approved by ann', buttons: [] })
  t.equal(
    await platform.press(card!.id, 'Approve', 'bob'),
    'Not yours',
    'a person who still sees the buttons gets the notice',
  )
  presses.pop()
  await connection.settle!(target, sent, '**Approved** by ann', signal)
  t.equal(platform.shown().length, 1, 'which is not said once more')
  t.same(platform.violations, [])
})

t.test('without a press, what settles a question is a message', async (t) => {
  const platform = await start(t)
  const sent: JSONValue[] = []
  const { connection, received } = await openChannel(t, wecom, platform)
  await platform.say({ text: 'do it' })
  await until(() => received.length === 1, 'the message')
  const { target } = received[0]!
  sent.push(await connection.send(target, question('First?'), signal))
  sent.push(await connection.send(target, question('Second?', `${KEY}s`), signal))
  await connection.settle!(target, sent[1]!, 'Second: denied', signal)
  await connection.settle!(target, sent[1]!, 'Second: denied', signal)
  await connection.settle!(target, null, 'Something: denied', signal)
  t.same(
    platform.shown().map(({ text }) => text),
    ['First?', 'Second?', 'Second: denied', 'Something: denied'],
  )
})

t.test('what settles while the press is handled is what the card says', async (t) => {
  const platform = await start(t)
  let settle = async () => {}
  const abort = new AbortController()
  const received: JSONValue[] = []
  const connection = await wecom.open(settingsFor(wecom, platform), {
    channel_id: 'chn_test',
    cursor: noCursor,
    signal: abort.signal,
    log: (await import('pino')).default({ enabled: false }),
    receive: async ({ target }) => void received.push(target),
    moved: async () => {},
    async press() {
      await settle()
      return { notice: 'Approved', text: 'another text' }
    },
    connecting() {},
    connected() {},
    lost() {},
  })
  t.teardown(() => connection.close())
  await platform.say({ text: 'do it' })
  await until(() => received.length === 1, 'the message')
  const sent = await connection.send(received[0]!, question('First?'), signal)
  const settleOnce = () => connection.settle!(received[0]!, sent, 'First: approved', signal)
  settle = async () => void (await Promise.all([settleOnce(), settleOnce()]))
  t.equal(await platform.press(platform.shown()[0]!.id, 'Approve'), 'First: approved')
  t.same(
    platform.shown().map(({ text, buttons }) => [text, buttons]),
    [['First: approved', []]],
  )
  await platform.say({ text: 'what comes after all that' })
  t.equal(platform.seen.filter((command) => command === 'aibot_respond_update_msg').length, 1)
})

t.test('a long question is sent above its card', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, wecom, platform, {
    outcomeOf: () => ({ notice: '✅ Approved', text: `${'ls '.repeat(99)}\n\n✅ Approved — ann` }),
  })
  await platform.say({ text: 'do it' })
  await until(() => received.length === 1, 'the message')
  const text = `### Run this?\n\n\`\`\`sh\n${'echo hello; '.repeat(30)}\n\`\`\``
  await connection.send(received[0]!.target, question(text), signal)
  const [asked] = platform.shown()
  t.strictSame([asked!.text, asked!.buttons], [text, ['Approve', 'Deny']])
  t.equal(await platform.press(asked!.id, 'Approve'), '✅ Approved')
  t.match(platform.shown(), [{ text: /\x60{3}\n\nls .*…\n✅ Approved — ann$/s, buttons: [] }])
  t.same(platform.violations, [])
})

t.test(
  'a question that can be no answer is said, and has its card below, however often it is tried',
  async (t) => {
    const platform = await start(t)
    const { connection, received } = await openChannel(t, wecom, platform)
    await platform.say({ text: 'do it' })
    await until(() => received.length === 1, 'the message')
    const { target } = received[0]!
    const long = question(`**Run this?**\n\n${'echo hello; '.repeat(30)}`)
    const sent = await connection.send(target, question('Short?', `${KEY}2`), signal)
    const again = await connection.send(target, question('Short?', `${KEY}2`), signal)
    t.not(sent, again, 'no two cards have one id')
    platform.expireAnswers()
    const release = platform.hold()
    const count = platform.seen.length
    const broken = failureOf(connection.send(target, long, signal))
    await until(() => platform.seen.length === count + 2, 'the text')
    platform.fail(2)
    release()
    t.equal((await broken).reason, 'unreachable')
    t.equal((await failureOf(connection.send(target, long, signal))).reason, 'unreachable')
    await connection.send(target, long, signal)
    const shown = platform.shown().slice(2)
    t.strictSame(
      shown.map(({ text, buttons }) => [text.slice(0, 13), buttons.length]),
      [
        ['**Run this?**', 0],
        ['Run this?\n\nec', 2],
      ],
    )
    t.match(shown[1]!.text, /…$/)
    t.same(platform.violations, [])
  },
)

t.test('files are uploaded in pieces and sent, pictures as such', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, wecom, platform)
  await platform.say({ text: 'send it', place: 'group' })
  await until(() => received.length === 1, 'the message')
  const { target } = received[0]!
  const send = (filename: string, media_type: string, bytes: Uint8Array) =>
    connection.sendFile!(target, { filename, media_type, bytes, key: KEY }, signal)
  const long = `${'字'.repeat(200)}.pdf`
  const bytes = Buffer.alloc(300_000, 'page ')
  await send(long, 'application/pdf', bytes)
  await send('cat.png', 'image/png', Buffer.from('a picture'))
  platform.expireAnswers()
  await send('late.txt', 'text/plain', Buffer.from('words'))
  const files = platform.shown('group').map(({ file }) => file!)
  t.match(files, [
    { filename: /^字{82}\.pdf$/ },
    { filename: 'cat.png', media_type: 'image/png' },
    { filename: 'late.txt' },
  ])
  t.same(files[0]!.bytes, bytes)
  t.equal((await failureOf(send('empty', 'text/plain', Buffer.alloc(0)))).reason, 'unsupported')
  t.same(platform.violations, [])
})

t.test('a connection that is cut is lost, and says so once', async (t) => {
  const platform = await start(t)
  const { connection, states, received, close } = await openChannel(t, wecom, platform)
  await platform.say({ text: 'hi' })
  await until(() => received.length === 1, 'the message')
  const { target } = received[0]!
  platform.hold()
  const sent = failureOf(say(connection, target, 'x'))
  await until(() => platform.seen.length === 2, 'the answer')
  platform.drop()
  t.equal((await sent).reason, 'unreachable')
  await until(() => states.length > 0, 'the loss')
  t.equal((await failureOf(say(connection, target, 'x'))).reason, 'unreachable')
  await close()
  t.same(states, ['lost: unreachable'])
  const again = await openChannel(t, wecom, platform)
  await platform.say({ text: 'back' })
  await until(() => again.received.length === 1, 'the next message')
})

t.test('another connection of the same robot takes this one over', async (t) => {
  const platform = await start(t)
  const first = await openChannel(t, wecom, platform)
  const second = await openChannel(t, wecom, platform)
  await until(() => first.states.length > 0, 'the loss')
  t.same(first.states, ['lost: already_connected'])
  await first.close()
  t.equal(platform.connections(), 1)
  await platform.say({ text: 'hi' })
  await until(() => second.received.length === 1, 'the message')
  t.same(second.states, [])
})

t.test('bad frames do no harm', async (t) => {
  const platform = await start(t)
  const { received, presses, states } = await openChannel(t, wecom, platform)
  const callback = (body: unknown) =>
    JSON.stringify({ cmd: 'aibot_msg_callback', headers: { req_id: 'r' }, body })
  const event = (body: unknown) =>
    JSON.stringify({ cmd: 'aibot_event_callback', headers: { req_id: 'r' }, body })
  const valid = { msgid: 'm', chattype: 'single', from: { userid: 'ann' } }
  await platform.sendRaw(
    'not json',
    'null',
    '[]',
    '{}',
    '"text"',
    Buffer.from([0, 255, 1]),
    '{"headers":{"req_id":"unknown"},"errcode":1}',
    '{"headers":{"req_id":"ping_1"},"errcode":1}',
    callback(null),
    callback('text'),
    callback({ msgtype: 'text' }),
    callback({ ...valid, msgtype: 'hologram' }),
    callback({ ...valid, from: 'ann', msgtype: 'text' }),
    callback({ ...valid, chattype: 'group', msgtype: 'text', text: { content: 'no chatid' } }),
    event({ ...valid, msgtype: 'event', event: null }),
    event({ ...valid, msgtype: 'event', event: { eventtype: 'template_card_event' } }),
    event({ ...valid, msgtype: 'event', event: { eventtype: 'enter_chat' } }),
    event({ msgtype: 'event', event: { eventtype: 'template_card_event', event_key: 'k', task_id: 't' } }),
    callback({ ...valid, msgtype: 'mixed', mixed: { msg_item: [null, 7, { msgtype: 'mixed' }] } }),
    callback({ ...valid, msgtype: 'text', text: 7, quote: 'x', create_time: 'now' }),
  )
  await platform.say({ text: 'still there?', id: 'm9' })
  await until(() => received.some(({ id }) => id === 'm9'), 'a message')
  t.same(
    received.map(({ text }) => text),
    ['', '[message]\n[message]\n[mixed]', '', 'still there?'],
    'what can be read of a message is',
  )
  t.same(presses, [])
  t.same(states, [])
  const long = (characters: number) =>
    platform.sendRaw(callback({ ...valid, msgtype: 'text', text: { content: 'x'.repeat(characters) } }))
  await long(10_000_000)
  await until(() => received.at(-1)!.text.length === 10_000_000, 'a long message')
  await long(17_000_000)
  await until(() => states.length > 0, 'the end')
  t.same(states, ['lost: unreachable'], 'one that is too long ends the connection')
})

t.test('closing ends everything', async (t) => {
  const platform = await start(t)
  const { connection, received, states, close, logged } = await openChannel(t, wecom, platform, {
    async receive({ text }) {
      if (text === 'never') throw new Error('the database is unavailable')
    },
  })
  await platform.say({ text: 'hi' })
  await platform.say({ text: 'never' })
  await until(() => received.length === 1, 'the message')
  platform.hold()
  const sent = failureOf(say(connection, received[0]!.target, 'x'))
  await until(() => platform.seen.length === 2, 'the answer')
  await close()
  t.ok(['unreachable', undefined].includes((await sent).reason))
  await until(() => platform.connections() === 0, 'the socket to close')
  await until(() => /closed\sbefore a message could be stored/.test(logged()), 'the message to be given up')
  t.same(states, [], 'which is no loss')
  t.equal((await failureOf(say(connection, received[0]!.target, 'x'))).reason, 'unreachable')
})

t.test('a robot is made by scanning', async (t) => {
  const platform = await start(t)
  const access = { ...settingsFor(wecom, platform), signal }
  const { begin, poll, gives } = wecom.registration!
  t.equal(gives, 'channel')
  for (const [outcome, expected] of [
    ['success', { status: 'success', config: platform.config }],
    ['expired', { status: 'expired' }],
    [
      'failed',
      { status: 'failed', detail: 'The request was declined, or WeCom could not create the robot.' },
    ],
  ] as const) {
    const { state, qrcode_url, ...times } = await begin(access)
    t.same(times, { expires_in_seconds: 300, interval_seconds: 3 })
    t.equal(new URL(qrcode_url).origin, platform.endpoints.qr)
    t.same(await poll(state, access), { status: 'waiting' })
    platform.scan!(outcome)
    t.same(await poll(state, access), expected)
  }
  t.same(platform.violations, [])
})

t.test('a registration that is answered badly fails without repeating the answer', async (t) => {
  const { begin, poll } = wecom.registration!
  const answering = (body: string, status = 200) => ({
    endpoints: { qr: 'https://work.weixin.qq.com' },
    signal,
    fetch: (async () => new Response(body, { status })) as typeof fetch,
  })
  const code = (auth_url: string) => JSON.stringify({ data: { scode: 'sc0de-secret', auth_url } })
  for (const auth_url of ['https://evil.example/ai/qc', 'http://work.weixin.qq.com/x', 'javascript:1', ''])
    t.match(
      await failureOf(begin(answering(code(auth_url)))),
      { reason: 'unknown', message: /another site/ },
      auth_url,
    )
  t.equal((await failureOf(begin(answering('{}')))).message, 'WeCom returned no QR code')
  t.equal((await failureOf(begin(answering('{}', 429)))).reason, 'rate_limited')
  t.equal(
    (await failureOf(begin(answering('{"errcode":-5}')))).message,
    'WeCom refused the registration with code -5',
  )
  t.match(await failureOf(begin(answering('x'.repeat(70_000)))), { message: /too long/ })
  const torn = await failureOf(poll({ scode: 'sc0de-secret' }, answering('{"data":{"secret":"s3cret')))
  t.notMatch(inspect(torn, { depth: 9 }), /s3cret|sc0de/)
  const down = {
    ...answering(''),
    fetch: (async () => Promise.reject(new TypeError('fetch failed: sc0de-secret'))) as typeof fetch,
  }
  const unreached = await failureOf(poll({ scode: 'sc0de-secret' }, down))
  t.equal(unreached.reason, 'unreachable')
  t.notMatch(inspect(unreached, { depth: 9 }), /sc0de/)
})

t.test('secrets are in nothing that is logged or thrown', async (t) => {
  const printed = (['debug', 'info', 'log', 'warn', 'error'] as const).map((level) =>
    t.capture(console, level),
  )
  const platform = await start(t)
  const failures: unknown[] = []
  const collect = async (work: Promise<unknown>) => void failures.push(await failureOf(work))
  const { connection, received, logged, close } = await openChannel(t, wecom, platform, {
    async receive({ text }) {
      if (text === 'never') throw new Error('the database is unavailable')
    },
  })
  const bytes = Buffer.from('words')
  await platform.say({ text: '', file: { filename: 'a', media_type: 'text/plain', bytes } })
  await platform.say({ text: 'never' })
  await platform.sendRaw(
    '{"cmd":"aibot_msg_callback","secret":"wecom-secret-Zk3vQ9"',
    '{"headers":{"req_id":"wecom-secret-Zk3vQ9"}}',
  )
  await until(() => received.length === 1, 'the file')
  const { target, files } = received[0]!
  const { url, aeskey } = files![0]!.reference as { url: string; aeskey: string }
  platform.limitRate(1, 1)
  await collect(say(connection, target, 'x'))
  platform.expireAnswers()
  await say(connection, target, 'x')
  platform.cutFiles()
  await collect(connection.download!({ url, aeskey }, signal).then(({ bytes }) => bytesOf(bytes)))
  platform.forgetFiles()
  await collect(connection.download!({ url, aeskey }, signal))
  await collect(connection.download!({ url: `${url} \u0000//[`, aeskey }, signal))
  await close()
  await collect(say(connection, target, 'x'))
  await collect(wecom.probe(settingsFor(wecom, platform, platform.wrong_config), signal))
  await collect(
    wecom.probe(settingsFor(wecom, platform, { ...platform.config, websocket_url: 'ws://10.0.0.1' }), signal),
  )
  t.equal(failures.length, 7)
  const all =
    logged() +
    inspect(failures, { depth: 9 }) +
    inspect(
      printed.map(({ args }) => args()),
      { depth: 9 },
    )
  t.match(all, /WeCom refused/)
  for (const secret of [
    String(platform.config.secret),
    String(platform.wrong_config.secret),
    aeskey,
    new URL(url).search,
    '203.0.113.77',
  ])
    t.notOk(all.includes(secret), secret)
})

testChannelKind({
  kind: wecom,
  startFake: startFakeWeCom,
  lacks: ['unmentioned', 'typing'],
  ...builtInChannel(t),
})
