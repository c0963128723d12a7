import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import pino from 'pino'
import type { InboundMessage, JSONValue } from '#plugin-api'
import qq from '../../channels/qq/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import { assertChannelKind } from '../../plugins/reach/channels/config/kinds.ts'
import { createReplyWriter } from '../../plugins/reach/channels/writing/reply-writer.ts'
import t, { type Test } from '../run/file-test.ts'
import { type FakeQq, startFakeQq } from '../support/fake-qq.ts'
import { collectGarbage } from '../support/garbage.ts'
import { builtInChannel } from '../support/kit.ts'
import { noCursor, type OpenedChannel, openChannel, settingsFor } from '../support/open-channel.ts'
import {
  findClosedPort,
  never as quiet,
  failureOf as readFailure,
  until as waitUntil,
} from './channel-calls.ts'

/** All that was logged and thrown, which is searched for secrets at the end. */
const outputs: string[] = []
const secrets = new Set<string>()

async function start(t: Test): Promise<FakeQq> {
  const fake = await startFakeQq()
  t.teardown(async () => {
    for (const secret of fake.secrets()) secrets.add(secret)
    await fake.close()
  })
  return fake
}

async function open(
  t: Test,
  fake: FakeQq,
  options?: Parameters<typeof openChannel>[3],
): Promise<OpenedChannel> {
  const channel = await openChannel(t, qq, fake, options)
  t.teardown(() => void outputs.push(channel.logged()))
  return channel
}

/** Returns the failure of a call, and stores it among the outputs. */
async function failureOf(work: Promise<unknown>) {
  const failure = await readFailure(work)
  outputs.push(inspect(failure, { depth: 10 }))
  return failure
}

const until = (what: string, holds: () => boolean) => waitUntil(holds, what)

let keys = 0
const message = (text: string, more: object = {}) => {
  keys += 1
  return { text, key: `key${String(keys).padStart(23, '0')}`, ...more }
}

/** Returns a message in a new conversation, for answering it. */
async function asked(
  fake: FakeQq,
  channel: OpenedChannel,
  conversation: 'direct' | 'group' = 'direct',
): Promise<JSONValue> {
  const id = await fake.say({ text: 'hello', place: conversation })
  return channel.received.find((message) => message.id === id)!.target
}

// Only those that wait run beside each other.
t.jobs = 3

t.test('is a channel kind', async (t) => {
  assertChannelKind(qq)
  t.equal(qq.identity!({ app_id: '1', secret: 'x' }), '1')
  t.doesNotThrow(() => qq.check!({ app_id: '1', secret: 'x' }))
  t.doesNotThrow(() => qq.check!({ app_id: '1', client_secret: 'x' }))
  t.throws(() => qq.check!({ app_id: '1' }), { reason: 'missing_field', message: 'secret' })
})

t.test('probes without a session', async (t) => {
  const fake = await start(t)
  await qq.probe(settingsFor(qq, fake), quiet)
  const { app_id, secret } = fake.config
  await qq.probe(settingsFor(qq, fake, { app_id, client_secret: secret }), quiet)
  t.equal(fake.calls.get('/gateway'), undefined)
  t.equal(fake.gateway.identified.length, 0)

  const wrong = await failureOf(qq.probe(settingsFor(qq, fake, fake.wrong_config), quiet))
  t.match(wrong, { reason: 'invalid_credentials', message: /100016/ })
  const unknown = await failureOf(qq.probe(settingsFor(qq, fake, { app_id: 'nobody', secret: 'x' }), quiet))
  t.equal(unknown.reason, 'invalid_credentials')

  fake.silence()
  const late = await failureOf(qq.probe(settingsFor(qq, fake), AbortSignal.timeout(100)))
  t.equal(late.reason, 'timeout')
})

t.test('tells that nothing listens there', async (t) => {
  const fake = await start(t)
  const address = `http://127.0.0.1:${await findClosedPort()}`
  const nowhere = { ...fake, endpoints: { api: address, auth: address, bind: address } }
  t.equal((await failureOf(qq.probe(settingsFor(qq, nowhere), quiet))).reason, 'unreachable')
  t.equal((await failureOf(openChannel(t, qq, nowhere))).reason, 'unreachable')
})

t.test('says why it cannot be opened', async (t) => {
  const fake = await start(t)
  t.equal(
    (await failureOf(openChannel(t, qq, fake, { config: fake.wrong_config }))).reason,
    'invalid_credentials',
  )
  for (const [code, reason] of [
    [4914, 'forbidden'],
    [4915, 'forbidden'],
    [4013, 'unsupported'],
    [4008, 'rate_limited'],
    [4900, 'unreachable'],
  ] as const) {
    fake.gateway.identifications.push(code)
    t.match(await failureOf(openChannel(t, qq, fake)), { reason, message: new RegExp(String(code)) })
  }
  fake.gateway.allowed.intents = 0
  const identifiedBefore = fake.gateway.identified.length
  t.equal((await failureOf(openChannel(t, qq, fake))).reason, 'forbidden', 'no intents at all')
  t.same(
    fake.gateway.identified.slice(identifiedBefore).map(({ intents }) => intents),
    [(1 << 25) | (1 << 26), 1 << 25],
  )
  t.equal(fake.connections(), 0)

  fake.gatewayAddress.value = 'ws://127.0.0.2:9999/websocket'
  t.equal((await failureOf(openChannel(t, qq, fake))).reason, 'forbidden', 'in a private network')
  fake.gatewayAddress.value = 'http://127.0.0.1/websocket'
  t.equal((await failureOf(openChannel(t, qq, fake))).reason, 'unknown', 'no gateway at all')
})

t.test('does without buttons where the bot has no right to them', async (t) => {
  const fake = await start(t)
  fake.gateway.allowed.intents = 1 << 25
  const channel = await open(t, fake)
  await fake.say({ text: 'hello' })
  t.equal(channel.received.length, 1)
  t.equal(fake.gateway.identified.length, 2)
})

t.test('takes a new token where the gateway does not accept the first', async (t) => {
  const fake = await start(t)
  fake.gateway.identifications.push('invalid')
  const channel = await open(t, fake)
  await fake.say({ text: 'hello' })
  t.equal(channel.received.length, 1)
  t.equal(fake.calls.get('/app/getAppAccessToken'), 2)
  fake.gateway.identifications.push('invalid', 'invalid', 'invalid')
  t.equal((await failureOf(openChannel(t, qq, fake))).reason, 'invalid_credentials')
})

t.test('receives direct messages', async (t) => {
  const fake = await start(t)
  const { received } = await open(t, fake)
  const id = await fake.say({ text: '  What is *this*? ', sent_at: 1_700_000_000_000, quote: 'that' })
  t.same(received, [
    {
      id,
      conversation: { id: 'ann', type: 'direct' },
      sender: { id: 'ann' },
      text: 'What is *this*?',
      mentioned: true,
      sent_at: 1_700_000_000_000,
      quote: { text: 'that' },
      target: { scene: 'users', openid: 'ann', msg_id: id },
    },
  ] satisfies InboundMessage[])
  await fake.redeliver(id)
  t.same(received[1], received[0])
})

t.test('receives messages of a group', async (t) => {
  const fake = await start(t)
  const { received } = await open(t, fake)
  await fake.say({ text: 'now you', place: 'group', sender: 'ben' })
  await fake.say({ text: 'not you', place: 'group', mention: false })
  t.match(received, [
    {
      text: 'now you',
      mentioned: true,
      sender: { id: 'ben', name: 'ben' },
      conversation: { id: 'crew', type: 'group' },
    },
    { text: 'not you', mentioned: false },
  ])

  const event = (id: string, content: string, more: object = {}) => ({
    id,
    content,
    group_openid: 'crew',
    author: { member_openid: 'ann' },
    ...more,
  })
  const mentions = [
    { member_openid: 'B0', is_you: true, bot: true },
    { member_openid: 'C1', username: 'Cleo' },
  ]
  received.length = 0
  await fake.tell('GROUP_MESSAGE_CREATE', event('m1', 'hey <@B0> ask <@C1> and <@D2>', { mentions }))
  await fake.tell('GROUP_AT_MESSAGE_CREATE', event('m1', '<@!B0>hey, ask', { mentions }))
  await fake.tell('GROUP_AT_MESSAGE_CREATE', event('m2', ' <@E0> hey <@C1>'))
  await fake.tell('GROUP_AT_MESSAGE_CREATE', event('m3', ' <@!bot_user> hey'))
  t.same(
    received.map(({ id, text, mentioned }) => [id, text, mentioned]),
    [
      ['m1', 'hey ask @Cleo and <@D2>', true],
      ['m1', 'hey, ask', true],
      ['m2', '<@E0> hey <@C1>', true],
      ['m3', 'hey', true],
    ],
  )
})

t.test('puts faces and voices into words, and ignores bots', async (t) => {
  const fake = await start(t)
  const { received } = await open(t, fake)
  const author = { user_openid: 'ann' }
  const ext = Buffer.from('{"text":"smile"}').toString('base64')
  const content = `hi <faceType=1,faceId="13",ext="${ext}"><faceType=1,faceId="9",ext="?">`
  const voice = {
    content_type: 'voice',
    filename: 'a.amr',
    url: 'multimedia.nt.qq.com.cn/a',
    voice_wav_url: '//multimedia.nt.qq.com.cn/b',
    asr_refer_text: 'good morning',
  }
  await fake.tell('C2C_MESSAGE_CREATE', { id: 'f1', content, author })
  await fake.tell('C2C_MESSAGE_CREATE', { id: 'f2', content: '', author, attachments: [voice, {}, null] })
  await fake.tell('C2C_MESSAGE_CREATE', { id: 'f3', content: 'beep', author: { ...author, bot: true } })
  t.match(received, [
    { text: 'hi [smile][face]' },
    {
      text: 'good morning',
      files: [
        {
          filename: 'a.wav',
          media_type: 'audio/wav',
          reference: { url: 'https://multimedia.nt.qq.com.cn/b' },
        },
      ],
    },
  ])
  t.equal(received.length, 2)
})

t.test('gets files', async (t) => {
  const fake = await start(t)
  const { connection, received } = await open(t, fake)
  const bytes = Buffer.from('not really a picture')
  await fake.say({ text: '', file: { filename: 'a.png', media_type: 'image/png', bytes } })
  const [file] = received[0]!.files!
  t.match(file, { filename: 'a.png', media_type: 'image/png', size: bytes.length })
  const content = await connection.download!(file!.reference, quiet)
  t.equal(content.media_type, 'image/png')
  t.same(await collect(content.bytes), bytes)

  const { url } = file!.reference as { url: string }
  const unsigned = { url: url.replace(/rkey=.*/, 'rkey=old') }
  t.equal((await failureOf(connection.download!(unsigned, quiet))).reason, 'not_found')
  t.equal((await failureOf(connection.download!({}, quiet))).reason, 'not_found')
  const elsewhere = { url: `http://127.0.0.2:9999/a?${new URL(url).searchParams}` }
  t.equal((await failureOf(connection.download!(elsewhere, quiet))).reason, 'forbidden')
  fake.silence()
  const late = failureOf(connection.download!({ url }, AbortSignal.timeout(100)))
  await sleep(20)
  // Takes signals that nothing refers to.
  collectGarbage()
  t.equal((await late).reason, 'timeout')
})

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

t.test('sends files', async (t) => {
  const fake = await start(t)
  const channel = await open(t, fake)
  for (const conversation of ['direct', 'group'] as const) {
    const target = await asked(fake, channel, conversation)
    const bytes = new Uint8Array(Buffer.from('..a table..').buffer.slice(0)).subarray(0, 9)
    const file = { filename: 'a.csv', media_type: 'text/csv', bytes, key: message('').key }
    await channel.connection.sendFile!(target, file, quiet)
    await channel.connection.sendFile!(target, file, quiet)
    const shown = fake.shown(conversation)
    t.equal(shown.length, 1, 'the same file only once')
    t.equal(shown[0]!.file?.filename, 'a.csv')
    t.same(shown[0]!.file?.bytes, Buffer.from(bytes))
  }
})

t.test('sends messages, each once', async (t) => {
  const fake = await start(t)
  const channel = await open(t, fake)
  for (const conversation of ['direct', 'group'] as const) {
    const target = await asked(fake, channel, conversation)
    const one = message('**one**')
    const id = await channel.connection.send(target, one, quiet)
    t.equal(fake.shown(conversation)[0]!.id, id)
    t.equal(await channel.connection.send(target, one, quiet), null)
    await channel.connection.send(target, message('two'), quiet)
    t.same(
      fake.shown(conversation).map(({ text }) => text),
      ['**one**', 'two'],
    )
  }
  const target = await asked(fake, channel)
  fake.messages.rules.losses = 1
  const lost = message('lost on the way')
  t.equal((await failureOf(channel.connection.send(target, lost, quiet))).reason, 'unreachable')
  await channel.connection.send(target, lost, quiet)
  t.equal(fake.shown('direct').filter(({ text }) => text === lost.text).length, 1)
  t.same(fake.violations, [])
})

t.test('sends a message of its own if an answer is too late or one too many', async (t) => {
  const fake = await start(t)
  const channel = await open(t, fake)
  const target = await asked(fake, channel)
  for (const text of ['1', '2', '3', '4', '5']) await channel.connection.send(target, message(text), quiet)
  t.same(
    fake.messages.sent.map(({ isPassive }) => isPassive),
    [true, true, true, true, false],
  )
  const late = await asked(fake, channel, 'group')
  fake.messages.expire((late as { msg_id: string }).msg_id)
  await channel.connection.send(late, message('6'), quiet)
  t.equal(fake.messages.sent.at(-1)!.isPassive, false)
  fake.messages.rules.proactive = false
  t.match(await failureOf(channel.connection.send(late, message('7'), quiet)), {
    reason: 'forbidden',
    message: /40034105/,
  })
})

t.test('sends a simpler form if QQ refuses a feature', async (t) => {
  const fake = await start(t)
  const channel = await open(t, fake)
  const { rules, sent } = fake.messages
  const text = 'see **[the page](https://example.com/a)** or https://b.example.org, [c](c.example.net "C")'
  const plain = 'see **the page (example[.]com/a)** or b[.]example[.]org, c (c[.]example[.]net)'
  const buttons = [{ label: 'Approve', value: 'a:1', style: 'primary' as const }]

  rules.links = false
  await channel.connection.send(await asked(fake, channel), message(text), quiet)
  t.match(sent.at(-1), { text: plain, msg_type: 2 })
  rules.markdown = false
  await channel.connection.send(await asked(fake, channel), message(text, { buttons }), quiet)
  t.match(sent.at(-1), { text: plain, msg_type: 0, buttons: ['Approve'] })
  rules.keyboards = false
  const all = message(text, { buttons })
  const target = await asked(fake, channel)
  fake.messages.numbers.length = 0
  await channel.connection.send(target, all, quiet)
  t.match(sent.at(-1), { text: plain, msg_type: 0, buttons: [] })
  const count = sent.length
  await channel.connection.send(target, all, quiet)
  t.equal(sent.length, count, 'and again is the same')
  t.same(new Set(fake.messages.numbers).size, 1)
})

t.test('tells why a message is refused', async (t) => {
  const fake = await start(t)
  const { connection, ...channel } = await open(t, fake)
  const target = await asked(fake, { connection, ...channel })
  const send = (text: string, to: JSONValue = target) => failureOf(connection.send(to, message(text), quiet))
  fake.limitRate(1, 7)
  t.match(await send('too fast'), { reason: 'rate_limited', retry_after_ms: 7000 })
  fake.fail(2)
  t.equal((await send('cut')).reason, 'unreachable')
  t.equal((await send('fault')).reason, 'unreachable')
  t.equal((await send('x'.repeat(9000))).reason, 'unsupported')
  t.equal((await send('hi', { scene: 'groups', openid: 'others', msg_id: 'm' })).reason, 'not_found')
  t.match(await send(' '), {
    reason: 'unsupported',
    message: 'QQ refused the message (50006): the message is empty or has invalid content.',
  })
  const left = new AbortController()
  left.abort()
  t.equal(
    ((await failureOf(connection.send(target, message('hi'), left.signal))) as unknown as Error).name,
    'AbortError',
  )
  t.equal(fake.shown().length, 0)
})

t.test('lets a message grow', async (t) => {
  const fake = await start(t)
  const channel = await open(t, fake)
  const other = await open(t, fake)
  const target = await asked(fake, channel)
  const live = await channel.connection.live!(target, message('One'), quiet)
  t.match(fake.shown(), [{ text: 'One', is_live: true }])
  await live.update('One two', quiet)
  await live.update('One two', quiet)
  fake.limitRate(1, 1)
  t.match(await failureOf(live.update('One two three', quiet)), {
    reason: 'rate_limited',
    retry_after_ms: 1000,
  })
  fake.messages.rules.losses = 1
  t.equal((await failureOf(live.update('One two three', quiet))).reason, 'unreachable')
  t.equal((await failureOf(live.update('Two', quiet))).reason, 'unsupported')

  // Another server numbers its frames by the milliseconds since the first one.
  await sleep(20)
  const again = await other.connection.live!(target, message('One'), quiet, live.reference)
  await again.update('One two three four', quiet)
  await again.finish('One two three four five', quiet)
  await again.finish('One two three four five', quiet)
  t.match(fake.shown(), [
    {
      text: 'One two three four five',
      history: ['One', 'One two', 'One two three', 'One two three four'],
      is_live: false,
    },
  ])
  await sleep(20)
  const third = await other.connection.live!(target, message('One'), quiet, live.reference)
  await third.finish('One two three four five', quiet)
  t.equal(fake.shown().length, 1)

  for (const text of ['2', '3', '4']) await channel.connection.send(target, message(text), quiet)
  t.ok(
    fake.messages.sent.every(({ isPassive }) => isPassive),
    'a message that grows counts once',
  )
  t.same(fake.violations, [])
})

t.test('lets a message grow in the form that QQ takes', async (t) => {
  const fake = await start(t)
  const channel = await open(t, fake)
  const { rules } = fake.messages
  rules.links = false
  rules.markdown = false
  const target = await asked(fake, channel)
  const text = 'See https://example.com/a and b.example.org now'
  const live = await channel.connection.live!(target, message(text.slice(0, 3)), quiet)
  for (let length = 4; length < text.length; length += 1) await live.update(text.slice(0, length), quiet)
  await live.finish(text, quiet)
  t.match(fake.shown(), [{ text: 'See https://example.c om/a and b[.]example[.]org now', is_live: false }])
  t.same(fake.violations, [])

  rules.losses = 1
  const lost = message('Lost')
  t.equal((await failureOf(channel.connection.live!(target, lost, quiet))).reason, 'unreachable')
  await (await channel.connection.live!(target, lost, quiet)).finish('Lost and found', quiet)
  t.match(fake.shown().slice(1), [{ text: 'Lost' }, { text: 'Lost and found', is_live: false }])

  fake.messages.expire((target as { msg_id: string }).msg_id)
  await (await channel.connection.live!(target, message('Late'), quiet)).finish('Late', quiet)
  t.match(fake.messages.sent.at(-1), { text: 'Late', isPassive: false, is_live: false })

  rules.streams = false
  t.equal((await failureOf(channel.connection.live!(target, message('No'), quiet))).reason, 'forbidden')
  t.equal(channel.connection.live, undefined, 'and is not tried again')
})

t.test('shows the finished words of a reply that grows', async (t) => {
  const fake = await start(t)
  const { connection, ...channel } = await open(t, fake)
  const target = await asked(fake, { connection, ...channel })
  const { direct } = qq.capabilities
  const writer = createReplyWriter({
    connect: async () => connection,
    capabilities: { ...direct, live: { ...direct.live, interval_ms: 0 } },
    ...{ target, key: message('').key, is_live: true, progress: { sent: 0, covered: 0, live: null } },
    ...{ save: async () => {}, signal: quiet, log: pino({ level: 'silent' }), onRefused: () => {} },
  })
  const text = 'The first words **in bold** and `code`, 然后是中文。\n\n- one **two** three'
  for (const [end, shown] of [
    ['The first wor', 'The first'],
    ['bo', 'The first words'],
    [' and', 'The first words **in bold**'],
    ['然后是', 'The first words **in bold** and `code`, 然后'],
    ['- one **tw', 'The first words **in bold** and `code`, 然后是中文。\n\n- one'],
  ] as const) {
    writer.show(text.slice(0, text.indexOf(end) + end.length))
    await until(`it shows ${shown}`, () => fake.shown()[0]?.text === shown)
  }
  await writer.finish(text)
  t.match(fake.shown(), [{ text, is_live: false }])
  t.equal(fake.shown().length, 1)
  t.same(fake.violations, [])
})

t.test('streams nothing if that is disabled', async (t) => {
  const fake = await start(t)
  const { connection } = await open(t, fake, { config: { ...fake.config, c2c_streaming: false } })
  t.equal(connection.live, undefined)
})

t.test('shows buttons', async (t) => {
  const fake = await start(t)
  const channel = await open(t, fake)
  const buttons = [
    { label: 'Approve', value: 'code:approve', style: 'primary' as const },
    { label: 'Approve always', value: 'code:always', style: 'default' as const },
    { label: 'Reject', value: 'code:reject', style: 'danger' as const },
  ]
  const direct = await channel.connection.send(
    await asked(fake, channel),
    message('May I?', { buttons }),
    quiet,
  )
  t.equal(await fake.press(direct as string, 'Approve'), 'noted')
  t.match(fake.shown('direct')[0]!.buttons, ['✓ Approve', 'Approve a…', 'Reject'])

  const asking = message('May I?', { buttons, pressers: ['ann'] })
  const group = await channel.connection.send(await asked(fake, channel, 'group'), asking, quiet)
  t.equal(await fake.press(group as string, 'Reject', 'ben'), '暂无操作权限')
  t.equal(await fake.press(group as string, 'Reject', 'ann'), 'noted')
  t.equal(fake.shown('group').at(-1)!.text, 'noted')
  t.same(channel.presses, [
    { value: 'code:approve', sender: { id: 'ann' }, conversation_id: 'ann' },
    { value: 'code:reject', sender: { id: 'ann' }, conversation_id: 'crew' },
  ])
  t.same(fake.violations, [])
})

t.test('tells QQ that a press came to nothing', async (t) => {
  const fake = await start(t)
  const channel = await open(t, fake, {
    outcomeOf() {
      throw new Error('the database is unavailable')
    },
  })
  const buttons = [{ label: 'Yes', value: 'y', style: 'default' as const }]
  const id = await channel.connection.send(await asked(fake, channel), message('?', { buttons }), quiet)
  t.equal(await fake.press(id as string, 'Yes'), '操作失败')
  await fake.tell('INTERACTION_CREATE', { id: 'other', data: { type: 13 } })
  t.equal(channel.presses.length, 1)
})

t.test('renews its token, once for all', async (t) => {
  const fake = await start(t)
  const channel = await open(t, fake)
  const target = await asked(fake, channel)
  const others = await asked(fake, channel, 'group')
  fake.expireTokens()
  await Promise.all([
    ...['1', '2', '3'].map((text) => channel.connection.send(target, message(text), quiet)),
    ...['4', '5', '6'].map((text) => channel.connection.send(others, message(text), quiet)),
  ])
  t.equal(fake.shown().length, 6)
  t.equal(fake.calls.get('/app/getAppAccessToken'), 2)

  const caller = new AbortController()
  fake.expireTokens()
  const leaving = failureOf(channel.connection.send(target, message('7'), caller.signal))
  const staying = channel.connection.send(target, message('8'), quiet)
  caller.abort()
  t.equal(((await leaving) as unknown as Error).name, 'AbortError')
  await staying
  t.equal(fake.shown().length, 7)
})

t.test('renews its token before its end', async (t) => {
  const fake = await start(t)
  fake.tokenSeconds.value = 0
  const channel = await open(t, fake)
  const target = await asked(fake, channel)
  fake.tokenSeconds.value = 7200
  const callsBefore = fake.calls.get('/app/getAppAccessToken')!
  for (const text of ['1', '2', '3']) await channel.connection.send(target, message(text), quiet)
  t.equal(fake.calls.get('/app/getAppAccessToken'), callsBefore + 1)
})

t.test('has a message delivered again that could not be stored', async (t) => {
  const fake = await start(t)
  const failing = new Set(['two'])
  const attempts: string[] = []
  const channel = await open(t, fake, {
    async receive({ text }) {
      attempts.push(text)
      if (failing.has(text)) throw new Error('the database is unavailable')
    },
  })
  await fake.say({ text: 'one' })
  let isTaken = false
  const two = fake.say({ text: 'two' }).then(() => {
    isTaken = true
  })
  const three = fake.say({ text: 'three' })
  await until('the second came twice', () => attempts.filter((text) => text === 'two').length >= 2)
  t.notOk(isTaken)
  failing.clear()
  await Promise.all([two, three])
  const texts = channel.received.map(({ text }) => text)
  t.same(texts.filter((text) => text === 'two').length, 1)
  t.same(new Set(texts), new Set(['one', 'two', 'three']))
  t.same(attempts.filter((text) => text === 'one').length, 1, 'what is stored does not come again')
  t.equal(fake.gateway.identified.length, 1)
  t.same(fake.violations, [])
})

t.test('one message does not wait for another', async (t) => {
  const fake = await start(t)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const channel = await open(t, fake, { receive: async ({ text }) => void (text === 'slow' && (await held)) })
  const slow = fake.say({ text: 'slow' })
  const fast = fake.say({ text: 'fast' })
  await until('the second is there', () => channel.received.length === 1)
  t.equal(channel.received[0]!.text, 'fast')
  release()
  await Promise.all([slow, fast])
})

t.test('takes in no more at a time than it can hold', async (t) => {
  const fake = await start(t)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { received, states } = await open(t, fake, { receive: () => held })
  const saying = Array.from({ length: 150 }, (_, n) => fake.say({ text: String(n) }))
  release()
  await Promise.all(saying)
  t.equal(received.length, 150)
  t.same(states, [])
})

t.test('comes back by itself', { buffered: true }, async (t) => {
  const fake = await start(t)
  const { states, received, close } = await open(t, fake)
  const back = (times: number) =>
    until('it is back', () => states.length === times * 2 && fake.connections() === 1)
  await fake.say({ text: '1' })

  fake.drop()
  await fake.say({ text: '2' })
  await back(1)
  t.equal(fake.gateway.resumed.length, 1)
  t.equal(fake.gateway.identified.length, 1)

  fake.gateway.send('{"op":7}')
  await fake.say({ text: '3' })
  await back(2)
  t.equal(fake.gateway.resumed.length, 2)

  fake.gateway.forget()
  fake.expireTokens()
  fake.gateway.closeWith(4009)
  await back(3)
  await fake.say({ text: '4' })
  t.equal(fake.gateway.resumed.length, 3, 'the session is gone')
  t.equal(fake.gateway.identified.length, 3, 'and the first token was too old')

  t.same(
    received.map(({ text }) => text),
    ['1', '2', '3', '4'],
  )
  t.same(states, ['connecting', 'connected', 'connecting', 'connected', 'connecting', 'connected'])
  t.equal(fake.calls.get('/gateway'), 1)
  await close()
  t.equal(states.length, 6, 'and says nothing when it is closed')
  t.same(fake.violations, [])
})

t.test('begins a new session where the old one cannot go on', { buffered: true }, async (t) => {
  const fake = await start(t)
  const { received } = await open(t, fake)
  fake.gateway.closeWith(4007)
  await fake.say({ text: 'again' })
  t.equal(received.length, 1)
  t.equal(fake.gateway.resumed.length, 0)
  t.equal(fake.gateway.identified.length, 2)
})

t.test('goes on trying where the gateway has a fault', { buffered: true }, async (t) => {
  const fake = await start(t)
  const { states } = await open(t, fake)
  fake.gateway.identifications.push(4900)
  fake.gateway.closeWith(4006)
  await until('it is back', () => states.length === 2)
  t.same(states, ['connecting', 'connected'])
  t.equal(fake.gateway.identified.length, 3)
})

t.test('begins a new session where QQ ends the old one, without another token', async (t) => {
  const fake = await start(t)
  const { states } = await open(t, fake)
  fake.gateway.send('{"op":9,"d":false}')
  await until('it is back', () => states.length === 2)
  t.equal(fake.gateway.identified.length, 2)
  t.equal(fake.calls.get('/app/getAppAccessToken'), 1)
})

t.test('is lost if a reconnect is refused', async (t) => {
  const fake = await start(t)
  const { states } = await open(t, fake)
  fake.gateway.identifications.push(4915)
  fake.gateway.closeWith(4006)
  await until('it is lost', () => states.length === 2)
  t.same(states, ['connecting', 'lost: forbidden'])
})

t.test('notices a connection that is dead', { buffered: true }, async (t) => {
  const fake = await start(t)
  const { states } = await open(t, fake)
  fake.gateway.mute()
  await until('it is back', () => states.length === 2)
  t.same(states, ['connecting', 'connected'])
  t.equal(fake.gateway.resumed.length, 1)
})

t.test('is lost after a final failure', async (t) => {
  for (const [code, reason] of [
    [4915, 'forbidden'],
    [4002, 'unsupported'],
  ] as const) {
    const fake = await start(t)
    const { states } = await open(t, fake)
    fake.gateway.closeWith(code)
    await until('it is lost', () => states.length === 1)
    t.same(states, [`lost: ${reason}`])
    t.equal(fake.gateway.identified.length, 1)
  }
})

t.test('frames that make no sense do no harm', async (t) => {
  const fake = await start(t)
  const { received, states } = await open(t, fake)
  const frames = [
    'not json',
    'null',
    '[]',
    '{}',
    '{"op":"0"}',
    '{"op":99,"d":{}}',
    '{"op":11}',
    '{"op":1}',
    '{"op":0}',
    '{"op":0,"t":7,"d":7}',
    '{"op":0,"t":"C2C_MESSAGE_CREATE"}',
    '{"op":0,"t":"C2C_MESSAGE_CREATE","d":{"id":"x","author":null}}',
    '{"op":0,"t":"GROUP_AT_MESSAGE_CREATE","d":{"id":"x","author":{"member_openid":"a"},"mentions":7}}',
    '{"op":0,"t":"INTERACTION_CREATE","d":[]}',
    '{"op":0,"t":"MADE_UP","d":{}}',
    '{"op":10,"d":{"heartbeat_interval":"soon"}}',
    '{"op":10,"d":{"heartbeat_interval":1e300}}',
  ]
  for (const frame of frames) fake.gateway.send(frame)
  await fake.say({ text: 'still there' })
  t.match(received, [{ text: 'still there' }])
  t.same(states, [])
  t.same(fake.violations, [])
  fake.gateway.send('x'.repeat(10 * 1024 * 1024))
  await fake.say({ text: 'and after a long frame' })
  t.equal(received.length, 2)
  t.same(states, [])
  fake.gateway.send('x'.repeat(17 * 1024 * 1024))
  await fake.say({ text: 'and after a frame without end' })
  t.equal(received.length, 3)
  t.same(fake.gateway.resumed, [], 'it would come again')
})

t.test('ends when it is closed', async (t) => {
  const fake = await start(t)
  const channel = await open(t, fake)
  const target = await asked(fake, channel)
  fake.silence()
  const waiting = failureOf(channel.connection.send(target, message('hi'), quiet))
  await channel.close()
  t.equal(((await waiting) as unknown as Error).name, 'AbortError')
  await until('the gateway knows', () => fake.connections() === 0)
  t.equal(
    ((await failureOf(channel.connection.send(target, message('hi'), quiet))) as unknown as Error).name,
    'AbortError',
  )

  const away = await start(t)
  const lone = await open(t, away)
  away.gateway.identifications.push('silent')
  away.gateway.forget()
  away.drop()
  await until('it waits for an answer', () => away.gateway.identified.length === 2)
  await lone.close()
  t.same(lone.states, ['connecting'])
})

t.test('ends when it is closed before it is open', async (t) => {
  const fake = await start(t)
  fake.gateway.identifications.push('silent')
  const abort = new AbortController()
  const never = async () => Promise.reject(new Error('nothing is received'))
  const opening = qq.open(settingsFor(qq, fake), {
    channel_id: 'chn_test',
    cursor: noCursor,
    signal: abort.signal,
    log: pino({ enabled: false }),
    receive: never,
    moved: async () => {},
    press: never,
    connecting: () => t.fail('it was never connected'),
    connected: () => t.fail('it was never connected'),
    lost: () => t.fail('it was never connected'),
  })
  await until('it waits for an answer', () => fake.gateway.identified.length === 1)
  abort.abort()
  t.equal(((await failureOf(opening)) as unknown as Error).name, 'AbortError')
})

t.test('links a bot by a QR code', async (t) => {
  const fake = await start(t)
  const { endpoints, fetch } = settingsFor(qq, fake)
  const access = { endpoints, fetch, signal: quiet }
  const { begin, poll } = qq.registration!
  const begun = await begin(access)
  t.match(begun, { expires_in_seconds: 600, interval_seconds: 2 })
  const { task_id, key } = begun.state as { task_id: string; key: string }
  t.equal(new URL(begun.qrcode_url).searchParams.get('task_id'), task_id)
  t.notMatch(begun.qrcode_url, encodeURIComponent(key))
  t.same(await poll(begun.state, access), { status: 'waiting' })
  fake.scan('success')
  const done = await poll(begun.state, access)
  t.same(done, { status: 'success', config: fake.config })
  t.same(await poll(begun.state, access), done)

  const second = await begin(access)
  fake.scan('failed')
  t.match(await poll(second.state, access), { status: 'failed' })
  const third = await begin(access)
  fake.scan('expired')
  t.same(await poll(third.state, access), { status: 'expired' })
  const old = { ...((await begin(access)).state as object), ends_at: Date.now() - 1 }
  t.same(await poll(old, access), { status: 'expired' })
  const unknown = { ...(begun.state as object), task_id: 'nobody' }
  t.equal((await failureOf(poll(unknown, access))).reason, 'unknown')
})

t.test('uses the sandbox if configured', async (t) => {
  const fake = await start(t)
  const asked: string[] = []
  const settings = {
    ...settingsFor(qq, fake, { ...fake.config, sandbox: true }),
    fetch: async (input: string | URL | Request) => {
      asked.push(new URL(String(input)).origin)
      return Response.json({ access_token: 'x', expires_in: '7200' })
    },
  }
  await qq.probe({ ...settings, endpoints: qq.endpoints! }, quiet)
  await qq.probe(settings, quiet)
  t.same(asked, [
    'https://bots.qq.com',
    'https://sandbox.api.sgroup.qq.com',
    ...Array(2).fill(fake.endpoints.api),
  ])
})

t.test('no log and no error holds a secret', async (t) => {
  t.ok(secrets.size > 20)
  t.ok(outputs.length > 20)
  const all = outputs.join('\n')
  t.match(all, /40034105/, 'errors are looked at')
  t.match(all, /could not be stored/, 'logs are looked at')
  t.same(
    [...secrets].filter((secret) => all.includes(secret)),
    [],
  )
})

testChannelKind({ kind: qq, startFake: startFakeQq, lacks: ['settle', 'typing'], ...builtInChannel(t) })
