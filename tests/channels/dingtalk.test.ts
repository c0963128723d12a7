import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import type { ChannelFailureReason } from '#plugin-api'
import kind from '../../channels/dingtalk/index.ts'
import { openStream } from '../../channels/dingtalk/stream.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import { assertChannelKind } from '../../plugins/reach/channels/config/kinds.ts'
import t, { type Test } from '../run/file-test.ts'
import { type FakeDingtalk, startFakeDingtalk } from '../support/fake-dingtalk.ts'
import { builtInChannel } from '../support/kit.ts'
import { type OpenedChannel, openChannel, settingsFor } from '../support/open-channel.ts'
import { failureOf, findClosedPort, never, until } from './channel-calls.ts'

const PNG = { filename: 'dot.png', media_type: 'image/png', bytes: new Uint8Array([137, 80, 78, 71, 13, 10]) }
const PDF = { filename: 'Bericht Mai.pdf', media_type: 'application/pdf', bytes: Buffer.from('%PDF-1.7') }
const KEY = '01JABCDEFGHJKMNPQRSTVWXYZ0'

const approval = [
  { label: 'Approve', value: 'ap:1f-2', style: 'primary' },
  { label: 'Reject', value: 'rj:1f-2', style: 'danger' },
] as const

const keyed = (n: number) => KEY.slice(0, -2) + String(n).padStart(2, '0')

async function startFake(t: Test): Promise<FakeDingtalk> {
  const fake = await startFakeDingtalk()
  t.teardown(() => fake.close())
  return fake
}

/** Opens a channel on the fake and lets somebody write to it. */
async function talk(t: Test, fake: FakeDingtalk, saying: Partial<Parameters<FakeDingtalk['say']>[0]> = {}) {
  const channel = await openChannel(t, kind, fake)
  await fake.say({ text: 'Hello', ...saying })
  return { channel, target: channel.received.at(-1)!.target }
}

function say(channel: OpenedChannel, target: unknown, text: string, more = {}) {
  return channel.connection.send(target as never, { text, key: KEY, ...more }, never)
}

async function rejects(t: Test, call: Promise<unknown>, reason: ChannelFailureReason, message = /./) {
  t.match(await failureOf(call), { reason, message }, `it is ${reason}`)
}

async function bytesOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces).toString('hex')
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

t.test('The kind keeps the contract', async (t) => {
  t.equal(assertChannelKind(kind), kind)
  t.equal(kind.identity!({ client_id: 'ding1' }), 'ding1')
  t.equal(kind.identity!({}), undefined)
  t.same(kind.endpoints, { api: 'https://api.dingtalk.com', oapi: 'https://oapi.dingtalk.com' })
})

t.test('A probe', async (t) => {
  const fake = await startFake(t)
  const settings = settingsFor(kind, fake)

  await kind.probe(settings, never)
  t.same(
    fake.http.calls,
    ['POST /v1.0/oauth2/accessToken', 'POST /v1.0/gateway/connections/open'],
    'asks for a token and a connection',
  )
  t.equal(fake.connections(), 0, 'and opens none')

  await rejects(t, kind.probe(settingsFor(kind, fake, fake.wrong_config), never), 'invalid_credentials')

  const open = 'POST /v1.0/gateway/connections/open'
  const missing = { requiredScopes: ['Robot.Stream.Read', 'a b'] }
  fake.answerNext(open, {
    status: 403,
    body: { code: 'Forbidden.AccessDenied.AccessTokenPermissionDenied', accessdenieddetail: missing },
  })
  await rejects(t, kind.probe(settings, never), 'forbidden', /needs the permission Robot\.Stream\.Read\.$/)
  fake.answerNext(open, { status: 400, body: { code: 'ua.illegal' } })
  await rejects(t, kind.probe(settings, never), 'forbidden', /ua\.illegal.*Stream mode/)
  fake.answerNext(open, { status: 401, body: {} })
  await rejects(t, kind.probe(settings, never), 'invalid_credentials')
  fake.answerNext(open, { status: 500, body: {} })
  await rejects(t, kind.probe(settings, never), 'unreachable')
  fake.answerNext(open, { body: Buffer.from('<html>') })
  await rejects(t, kind.probe(settings, never), 'unknown')
  const endless = 'x'.repeat(2 * 1024 * 1024)
  fake.answerNext(open, { body: { endpoint: 'ws://127.0.0.1/', ticket: 'x', endless } })
  await rejects(t, kind.probe(settings, never), 'unknown', /without an address/)
  fake.answerNext(open, { body: { endpoint: 'ws://10.0.0.1/connect', ticket: 'x' } })
  await rejects(t, kind.probe(settings, never), 'unknown', /without encryption/)

  const token = 'POST /v1.0/oauth2/accessToken'
  fake.answerNext(token, { status: 429, headers: { 'retry-after': '7' }, body: {} })
  t.match(await failureOf(kind.probe(settings, never)), { reason: 'rate_limited', retry_after_ms: 7000 })
  fake.answerNext(token, { body: {} })
  await rejects(t, kind.probe(settings, never), 'unknown', /without an access token/)

  fake.http.isMute = true
  await rejects(t, kind.probe(settings, AbortSignal.timeout(100)), 'timeout')
  const leaving = new AbortController()
  const left = kind.probe(settings, leaving.signal)
  leaving.abort()
  await t.rejects(left, { name: 'AbortError' }, 'ends when nobody waits for it')
})

t.test('What is not there is unreachable', async (t) => {
  const address = `http://127.0.0.1:${await findClosedPort()}`
  const fake = await startFake(t)
  const nowhere = { ...fake, endpoints: { api: address, oapi: address } }
  await rejects(t, kind.probe(settingsFor(kind, nowhere), never), 'unreachable', /ECONNREFUSED/)
  await rejects(t, openChannel(t, kind, nowhere), 'unreachable')
})

t.test('A channel is not opened', async (t) => {
  const fake = await startFake(t)
  await rejects(t, openChannel(t, kind, fake, { config: fake.wrong_config }), 'invalid_credentials')
  const open = 'POST /v1.0/gateway/connections/open'
  fake.answerNext(open, { body: { endpoint: 'wss://10.0.0.1/connect', ticket: 'x' } })
  await rejects(t, openChannel(t, kind, fake), 'forbidden', /private network/)
  fake.stream.isClosed = true
  await rejects(t, openChannel(t, kind, fake), 'unreachable', /HTTP 401/)
  t.equal(fake.connections(), 0)
})

t.test('A message to the bot arrives with all that it has', async (t) => {
  const fake = await startFake(t)
  const channel = await openChannel(t, kind, fake)
  await fake.say({ text: ' Guten Tag\n你好 ', id: 'msg1', sent_at: 1_700_000_000_123 })
  const [message] = channel.received
  t.match(message, {
    id: 'msg1',
    conversation: { id: 'cidFakeDirect0001==', type: 'direct' },
    sender: { id: 'ann', name: 'Ann' },
    text: 'Guten Tag\n你好',
    mentioned: true,
    sent_at: 1_700_000_000_123,
    target: { type: 'direct', staff: 'ann' },
  })
  t.notOk('quote' in message!)
  t.notOk('files' in message!)

  await fake.redeliver('msg1')
  t.same(
    channel.received.map(({ id }) => id),
    ['msg1', 'msg1'],
    'and has the same id when it is delivered again',
  )
  await fake.say({ text: 'Hi', sender: 'guest7' })
  t.equal(channel.received.at(-1)!.sender.id, 'guest7', 'also of somebody outside of the organization')
  t.same(fake.violations, [])
})

t.test('In a group', async (t) => {
  const fake = await startFake(t)
  const channel = await openChannel(t, kind, fake)
  await fake.say({ text: 'what is new?', place: 'group', mention: false })
  await fake.say({ text: 'what is new?', place: 'group', sender: 'ben' })
  const [message, ...others] = channel.received
  t.match(message, {
    conversation: { id: 'cidFakeGroup0001==', type: 'group' },
    sender: { id: 'ben' },
    text: 'what is new?',
    mentioned: true,
  })
  t.same(others, [], 'what does not mention the bot is not delivered')

  const inGroup = { conversationType: '2', chatbotUserId: 'bot', atUsers: [{ dingtalkId: 'bot' }] }
  const texts = ['@Override 是什么意思', '@types/node 怎么安装', '@小助手你好…', '@Ben and you', '@Helper']
  for (const content of texts) {
    await fake.deliver({ ...inGroup, msgtype: 'text', text: { content: ` ${content}` } })
    t.equal(channel.received.at(-1)!.text, content, 'what looks like a mention is kept')
    const richText = [{ text: content }, { text: ' ' }]
    await fake.deliver({ ...inGroup, msgtype: 'richText', content: { richText } })
    t.equal(channel.received.at(-1)!.text, content, 'also in a rich text')
  }
  await fake.say({ text: '', place: 'group', quote: 'It is late.' })
  t.match(
    channel.received.at(-1),
    { text: '', quote: { text: 'It is late.' } },
    'a mention with only a quote',
  )
  const mentions: [object, boolean][] = [
    [{ isInAtList: undefined }, true],
    [{ isInAtList: undefined, atUsers: [] }, true],
    [{ isInAtList: undefined, atUsers: [{ dingtalkId: 'ben' }] }, false],
    [{ isInAtList: true, atUsers: [{ dingtalkId: 'ben' }] }, true],
  ]
  for (const [fields, mentioned] of mentions) {
    await fake.deliver({ ...inGroup, ...fields, msgtype: 'text', text: { content: 'Hello' } })
    t.equal(channel.received.at(-1)!.mentioned, mentioned)
  }
  await fake.deliver({ ...inGroup, isInAtList: false, msgtype: 'text', text: { content: 'Hello' } })
  t.equal(channel.received.at(-1)!.mentioned, false, 'a robot that hears all knows what is not for it')
})

t.test('A message is acknowledged when it is stored, and else delivered again', async (t) => {
  const fake = await startFake(t)
  let refusals = 2
  const channel = await openChannel(t, kind, fake, {
    async receive() {
      t.equal(fake.stream.counts.acknowledged, 0, 'not acknowledged yet')
      refusals -= 1
      if (refusals >= 0) throw new Error('the database is unavailable')
    },
  })
  fake.stream.redeliverAfter = 100
  await fake.say({ text: 'Hello', id: 'msg1' })
  t.equal(fake.stream.counts.acknowledged, 1)
  t.ok(fake.stream.counts.delivered >= 3)
  t.equal(channel.received[0]!.id, 'msg1')
  t.match(channel.logged(), /the database is unavailable/)
})

t.test('A message does not wait for another one to be stored', async (t) => {
  const fake = await startFake(t)
  let store = () => {}
  const stored = new Promise<void>((resolve) => {
    store = resolve
  })
  const channel = await openChannel(t, kind, fake, {
    receive: ({ text }) => (text === 'first' ? stored : Promise.resolve()),
  })
  const first = fake.say({ text: 'first' })
  await fake.say({ text: 'second' })
  t.same(
    channel.received.map(({ text }) => text),
    ['second'],
  )
  store()
  await first
})

t.test('More messages than can be stored at a time are left with DingTalk for now', async (t) => {
  const fake = await startFake(t)
  let store = () => {}
  const stored = new Promise<void>((resolve) => {
    store = resolve
  })
  let begun = 0
  const channel = await openChannel(t, kind, fake, {
    receive() {
      begun += 1
      return stored
    },
  })
  const frame = JSON.stringify({
    type: 'CALLBACK',
    headers: { topic: '/v1.0/im/bot/messages/get', messageId: 'many', contentType: 'application/json' },
    data: JSON.stringify({
      msgId: 'm',
      conversationId: 'c',
      senderId: 's',
      msgtype: 'text',
      text: { content: 'x'.repeat(2000) },
    }),
  })
  for (let n = 0; n < 500; n += 1) fake.stream.sendRaw(frame)
  await until(() => begun >= 64, 'as many as may be underway')
  const isRead = fake.stream.ping().then(() => true)
  t.notOk(await Promise.race([isRead, sleep(200)]), 'what comes behind them is not read')
  store()
  t.ok(await isRead, 'until they are stored')
  await until(() => channel.received.length === 500, 'all are stored')
})

t.test('Files come with a message', async (t) => {
  const fake = await startFake(t)
  const channel = await openChannel(t, kind, fake)
  const download = (n = -1) =>
    channel.connection.download!(channel.received.at(n)!.files![0]!.reference, never)

  await fake.say({ text: '', file: PNG })
  t.equal(channel.received.at(-1)!.text, '')
  const image = await download()
  t.equal(image.media_type, 'image/png')
  t.equal(await bytesOf(image.bytes), hex(PNG.bytes))

  await fake.say({ text: '', file: PDF })
  t.match(channel.received.at(-1)!.files, [{ filename: 'Bericht Mai.pdf' }])
  t.equal(await bytesOf((await download()).bytes), hex(PDF.bytes))

  await fake.say({ text: 'What is this?', file: PNG, place: 'group' })
  t.match(channel.received.at(-1), { text: 'What is this?', files: [{}] }, 'text and picture in one')

  const amr = { filename: 'voice.amr', media_type: 'audio/amr', bytes: Buffer.from('#!AMR') }
  await fake.say({ text: 'turn on the light', file: amr })
  t.match(channel.received.at(-1), { text: 'turn on the light', files: [{}] }, 'a voice with what it says')
  t.equal((await download()).media_type, 'audio/amr')

  const film = { filename: 'a.mp4', media_type: 'video/mp4', bytes: new Uint8Array(3_000_000).fill(7) }
  await fake.say({ text: '', file: film })
  t.match(channel.received.at(-1)!.files, [{ filename: 'video.mp4' }])
  let length = 0
  for await (const piece of (await download()).bytes) length += piece.length
  t.equal(length, 3_000_000)
  length = 0
  for await (const piece of (await download()).bytes) {
    length += piece.length
    break
  }
  t.ok(length > 0 && length < 3_000_000, 'a reader may stop before the end')

  const { reference } = channel.received.at(-1)!.files![0]!
  const lost = { ...(reference as object), code: 'gone' }
  await rejects(t, channel.connection.download!(lost, never), 'not_found', /invalidParameter\.downloadCode/)
  const path = 'POST /v1.0/robot/messageFiles/download'
  fake.answerNext(path, { body: {} })
  await rejects(t, download(), 'not_found')
  fake.answerNext(path, { body: { downloadUrl: 'http://10.0.0.1/secret' } })
  await rejects(t, download(), 'forbidden', /private network/)
  fake.answerNext(path, { body: { downloadUrl: `${fake.http.url}/files/x?signature=no` } })
  await rejects(t, download(), 'forbidden')
  t.same(fake.violations, [])
})

t.test('A reply comes with what it replies to', async (t) => {
  const fake = await startFake(t)
  const channel = await openChannel(t, kind, fake)
  await fake.say({ text: 'Why?', quote: 'It is late.' })
  t.same(channel.received.at(-1)!.quote, { text: 'It is late.' })

  const reply = async (repliedMsg: object | undefined) => {
    await fake.deliver({ msgtype: 'text', text: { content: 'Why?', isReplyMsg: true, repliedMsg } })
    return channel.received.at(-1)!.quote!
  }
  const parts = [
    { text: 'See ' },
    { msgType: 'text', content: 'this' },
    { type: 'at', atName: 'Ben' },
    { type: 'emoji', content: '[smile]' },
    { type: 'picture', downloadCode: 'x' },
  ]
  const file = { reference: { code: 'x' } }
  t.match(await reply({ msgType: 'richText', senderNick: 'Ben', content: { richText: parts } }), {
    text: 'See this@Ben [smile]',
    sender: 'Ben',
    files: [file],
  })
  t.same(await reply({ msgType: 'text', content: 'plain' }), { text: 'plain' })
  t.match(await reply({ msgType: 'picture', content: { pictureDownloadCode: 'x' } }), {
    text: '',
    files: [file],
  })
  t.match(await reply({ msgType: 'file', content: { downloadCode: 'x', fileName: 'a.pdf' } }), {
    text: '',
    files: [{ filename: 'a.pdf' }],
  })
  t.match(await reply({ msgType: 'audio', content: { downloadCode: 'x', recognition: 'go' } }), {
    text: 'go',
    files: [file],
  })
  t.match(await reply({ msgType: 'video', content: { downloadCode: 'x' } }), {
    files: [{ filename: 'video.mp4' }],
  })
  t.same(
    await reply({ msgType: 'interactiveCard' }),
    { text: '[card]' },
    'cards of robots come without words',
  )
  t.same(await reply({ msgType: 'unknownMsgType', content: {} }), {
    text: '[content that DingTalk does not pass on]',
  })
  t.same(await reply(undefined), { text: '[content that DingTalk does not pass on]' })
  const encrypted = `${'Ab1+/='.repeat(12)}||3||1||132`
  t.same(await reply({ msgType: 'text', content: { text: encrypted } }), { text: '[text]' })
  t.match(
    await reply({ msgType: 'chatRecord', content: { title: 'Ben and Eve', summary: '["Ben: Ship it?"]' } }),
    { text: 'Ben and Eve\nBen: Ship it?', is_forwarded: undefined },
  )

  await fake.deliver({
    msgtype: 'interactiveCard',
    content: { isReplyMsg: true, repliedMsg: { content: 'Hi' } },
  })
  t.match(channel.received.at(-1), { text: '[card]', quote: { text: 'Hi' } }, 'an unreadable reply is one')
})

t.test('Forwarded messages come with their senders and files', async (t) => {
  const fake = await startFake(t)
  const channel = await openChannel(t, kind, fake)
  const forward = async (content: object) => {
    await fake.deliver({ msgtype: 'chatRecord', content })
    return channel.received.at(-1)!
  }
  const records = [
    { senderNick: 'Ben', msgType: 'text', content: 'Ship it?\nOn Friday?' },
    { senderId: '$:LWCP', msgType: 'text', content: { text: 'Yes.' } },
    { senderName: 'Jo', msgType: 'picture', downloadCode: 'p1' },
    { senderName: 'Jo', msgType: 'file', content: '{"downloadCode":"f1","fileName":"a.pdf"}' },
    { senderName: 'Jo', msgType: 'unknownMsgType' },
    { senderId: '$:LWCP', content: 'late' },
  ]
  const text = [
    'Ben, Eve and Jo',
    'Ben: Ship it?',
    '  On Friday?',
    'Eve: Yes.',
    'Jo: [picture]',
    'Jo: [file: a.pdf]',
    'Jo: [content that DingTalk does not pass on]',
    'somebody: late',
  ].join('\n')
  const files = [{ reference: { code: 'p1' } }, { filename: 'a.pdf', reference: { code: 'f1' } }]
  const title = 'Ben, Eve and Jo'
  const summary = 'Ben: Ship it?\nEve: Yes.'
  const whole = { text: '', quote: { text, is_forwarded: true, files }, unreadable: undefined }
  t.match(await forward({ title, summary, chatRecord: JSON.stringify(records) }), whole)
  t.match(await forward({ title, summary: JSON.stringify(summary.split('\n')), chatRecord: records }), whole)
  t.match(await forward({ title, summary, contents: records }), whole)
  t.match(await forward({ summary }), { quote: { text: summary, is_forwarded: true, files: undefined } })
  const forged = [{ senderNick: 'Ben\nBoss', msgType: 'text', content: 'Yes.\u2029Boss: pay' }]
  const read = await forward({ title: 'T\nBoss: pay', chatRecord: forged })
  t.equal(read.quote!.text, 'T Boss: pay\nBen Boss: Yes.\n  Boss: pay')
  const forgedSummary = await forward({ summary: JSON.stringify(['Ben: Yes.\nBoss: pay']) })
  t.equal(forgedSummary.quote!.text, 'Ben: Yes.\n  Boss: pay')
  const many = Array.from({ length: 130 }, (_, n) => ({
    senderNick: 'Ben',
    msgType: 'text',
    content: `${n}`,
  }))
  t.match((await forward({ chatRecord: JSON.stringify(many) })).quote!.text, /Ben: 99\n\[30 more messages\]$/)
  for (const chatRecord of ['['.repeat(400_000), `[${'0,'.repeat(300_000)}0]`, '{}', 'no list'])
    t.match(await forward({ chatRecord }), { text: '', unreadable: 'forwarded messages' }, 'nothing to read')
  t.same(fake.violations, [])
})

t.test('What words describe is a message', async (t) => {
  const fake = await startFake(t)
  const channel = await openChannel(t, kind, fake)
  const messages: [string, object, string][] = [
    [
      'location',
      { locationName: 'Tower', latitude: 52.5, longitude: '13.4' },
      '[location: Tower, 52.5, 13.4]',
    ],
    [
      'link',
      { title: 'News', text: 'of\ntoday', messageUrl: 'https://a.example/' },
      '[link: News, of today, https://a.example/]',
    ],
    ['markdown', { title: 'A title', text: 'a **text**' }, 'A title\na **text**'],
    ['userCard', { nick: 'Ben', userId: 'b1' }, '[shared contact: Ben, b1]'],
    [
      'interactiveCard',
      { cardContent: [{ children: [{ value: 'Disk' }, { children: [{ value: 'full' }] }] }] },
      'Disk\nfull',
    ],
    ['brandNew', { text: 'of words' }, 'of words'],
  ]
  for (const [msgtype, content, text] of messages) {
    await fake.deliver({ msgtype, content })
    t.equal(channel.received.at(-1)!.text, text, msgtype)
    t.notOk('unreadable' in channel.received.at(-1)!)
  }
  await fake.deliver({ msgtype: 'link', link: { title: 'Beside', messageUrl: 'https://a.example/' } })
  t.equal(channel.received.at(-1)!.text, '[link: Beside, https://a.example/]')
  await fake.deliver({ msgtype: 'brandNew', content: { downloadCode: 'c', fileName: 'a.zip' } })
  t.match(channel.received.at(-1)!.files, [{ filename: 'a.zip' }], 'a file of an unknown type')
})

t.test('What cannot be read does no harm', async (t) => {
  const fake = await startFake(t)
  const channel = await openChannel(t, kind, fake)
  const unreadable: [object, string][] = [
    [{ msgtype: 'interactiveCard' }, 'card'],
    [{ msgtype: 'text', text: null }, 'text'],
    [{ msgtype: 'richText', content: { richText: 'no list' } }, 'rich text'],
    [{ msgtype: 'picture', content: {} }, 'picture'],
    [{ msgtype: 'location', content: {} }, 'location'],
    [{ msgtype: 'unknownMsgType', content: {} }, 'content that DingTalk does not pass on'],
    [{ msgtype: 'redEnvelope' }, 'red envelope'],
    [{ msgtype: '__proto__' }, 'message'],
    [{ msgtype: undefined }, 'message'],
  ]
  for (const [fields, name] of unreadable) {
    await fake.deliver(fields)
    t.match(channel.received.at(-1), { text: '', unreadable: name }, `${name} is named`)
  }
  await fake.deliver({ msgId: null })
  t.equal(channel.received.length, unreadable.length)
  const odd = { toString: 1 }
  await fake.deliver({ msgtype: 'text', text: 'bare', createAt: odd, sessionWebhookExpiredTime: odd })
  t.match(channel.received.at(-1), { text: 'bare', sent_at: undefined })
  await fake.deliver({ msgtype: 'text', text: { content: 'x'.repeat(10_000_000) } })
  t.equal(channel.received.at(-1)!.text.length, 10_000_000)
  await fake.deliver({ senderStaffId: undefined, senderId: 17, msgtype: 'text', text: { content: 18 } })
  t.match(channel.received.at(-1), { sender: { id: '17' }, text: '18' })
  const frames = ['', '{', 'null', '[]', '"CALLBACK"', '{"type":"SYSTEM"}', '{"type":7,"headers":[]}']
  for (const frame of frames) fake.stream.sendRaw(frame)
  const headers = { topic: '/v1.0/card/instances/callback', messageId: 'a', contentType: 'application/json' }
  fake.stream.sendRaw(JSON.stringify({ type: 'CALLBACK', headers, data: '{}' }))
  fake.stream.sendRaw(JSON.stringify({ type: 'EVENT', headers: { ...headers, topic: '*' }, data: '{}' }))
  await fake.stream.ping()
  await fake.say({ text: 'still there?' })
  t.equal(channel.received.at(-1)!.text, 'still there?')
  t.same(channel.states, [])
  t.same(fake.violations, [])
})

t.test('A message of the bot', async (t) => {
  const fake = await startFake(t)
  const { channel, target } = await talk(t, fake)
  const session = 'POST /robot/sendBySession'
  const oto = 'POST /v1.0/robot/oToMessages/batchSend'
  const sent = () => fake.http.calls.filter((call) => call === session || call === oto)

  await say(channel, target, '## Good **evening**\n\nAnn')
  t.match(fake.shown('direct'), [{ text: '## Good **evening**\n\nAnn', buttons: [], is_live: false }])
  t.same(sent(), [session], 'answers at the address that came with the message')

  fake.expireSessions()
  await say(channel, target, 'later')
  t.same(sent().slice(1), [session, oto], 'uses the API if the webhook is refused')
  const expired = {
    ...(target as object),
    webhook: { url: `${fake.http.url}/robot/x`, expires_at: Date.now() },
  }
  await say(channel, expired, 'much later')
  const elsewhere = { ...(target as object), webhook: { url: 'https://10.0.0.1/', expires_at: 4e12 } }
  await say(channel, elsewhere, 'not there')
  const other = await startFake(t)
  const inTheClear = {
    ...(target as object),
    webhook: { url: `${other.http.url}/robot/x`, expires_at: 4e12 },
  }
  await say(channel, inTheClear, 'nor there')
  t.same(sent().slice(3), [oto, oto, oto], 'and at once if the webhook has expired or must not be used')
  t.same(other.http.calls, [])
  t.same(
    fake.shown('direct').map(({ text }) => text),
    ['## Good **evening**\n\nAnn', 'later', 'much later', 'not there', 'nor there'],
  )
  await say(channel, expired, '| a | [[unreadable]]')
  t.equal(
    fake.shown('direct').at(-1)!.text,
    '| a | [[unreadable]]',
    'is sent without marks if they are refused',
  )

  const stranger = { ...(expired as object), staff: 'guest1' }
  await rejects(t, say(channel, stranger, 'hello'), 'not_found', /does not know this person/)
  const { staff: _, ...outside } = expired as { staff?: string }
  await rejects(t, say(channel, outside, 'hello'), 'not_found', /outside the organization/)
  fake.answerNext(oto, {
    body: { processQueryKey: 'x', invalidStaffIdList: [], flowControlledStaffIdList: ['ann'] },
  })
  await rejects(t, say(channel, expired, 'hello'), 'rate_limited')
  t.same(fake.violations, [])
})

t.test('A refusal of DingTalk', async (t) => {
  const fake = await startFake(t)
  const { channel, target } = await talk(t, fake)
  const oto = 'POST /v1.0/robot/oToMessages/batchSend'
  const session = 'POST /robot/sendBySession'
  const byApi = { ...(target as object), webhook: undefined }
  const codes: [ChannelFailureReason, string, Record<string, unknown>?][] = [
    ['unsupported', 'invalidParameter.msgParam.tooLong', { is_about_text: true }],
    ['unsupported', 'miss.param.markdownTotitle', { is_about_text: true }],
    ['unsupported', 'invalidParameter.msgKey.invalid', { is_about_text: false }],
    ['forbidden', 'param.contentUnsafe', { is_about_text: true }],
    ['forbidden', 'send.forbidden', { is_about_text: false }],
    ['forbidden', 'chatbotId.notAllow.sendOTO'],
    ['forbidden', 'bot.stopped'],
    ['forbidden', 'invalidParameter.robotCode.coolApp'],
    ['not_found', 'staffId.notExisted'],
    ['not_found', 'robot.oto.notExist'],
    ['not_found', 'openConversationId.notExisted'],
    ['rate_limited', 'Forbidden.AccessDenied.QpsLimitForAppkeyAndApi', { retry_after_ms: 1000 }],
    ['rate_limited', 'Throttling.User', { retry_after_ms: 1000 }],
    ['rate_limited', 'send.too.fast', { retry_after_ms: 10_000 }],
    ['unknown', 'brand.new', { is_about_text: false }],
  ]
  for (const [reason, code, more] of codes) {
    fake.answerNext(oto, { status: 400, body: { code, message: code } })
    t.match(await failureOf(say(channel, byApi, 'Hello')), { reason, ...more }, code)
  }
  const statuses: [number, ChannelFailureReason, boolean][] = [
    [413, 'unsupported', true],
    [408, 'timeout', false],
    [418, 'unknown', false],
    [404, 'not_found', false],
    [502, 'unreachable', false],
  ]
  for (const [status, reason, is_about_text] of statuses) {
    fake.answerNext(oto, { status, body: Buffer.from('<html>') })
    t.match(await failureOf(say(channel, byApi, 'Hello')), { reason, is_about_text }, `HTTP ${status}`)
  }

  const answers: [number, ChannelFailureReason, Record<string, unknown>][] = [
    [460101, 'unsupported', { is_about_text: true }],
    [430102, 'forbidden', { is_about_text: true }],
    [430104, 'forbidden', { is_about_text: true }],
    [410100, 'rate_limited', { retry_after_ms: 10_000 }],
  ]
  const shownBefore = fake.shown().length
  for (const [errcode, reason, more] of answers) {
    fake.answerNext(session, { body: { errcode, errmsg: 'no' } })
    t.match(await failureOf(say(channel, target, 'Hello')), { reason, ...more }, `${errcode}`)
  }
  t.equal(fake.shown().length, shownBefore, 'of the text or for now holds for the API, too')
  for (const errcode of [300001, 400101, 400105, 40035]) {
    fake.answerNext(session, { body: { errcode, errmsg: 'no' } })
    await say(channel, target, `after ${errcode}`)
    t.equal(fake.shown().at(-1)!.text, `after ${errcode}`, 'of the webhook alone does not')
  }

  await say(channel, target, 'half a \ud83d character')
  t.equal(fake.shown().at(-1)!.text, 'half a \ufffd character')
  await say(channel, byApi, 'half a \ud83d character')
  t.equal(fake.shown().at(-1)!.text, 'half a \ufffd character')
  t.same(fake.violations, [])
})

t.test('A message of the bot to a group', async (t) => {
  const fake = await startFake(t)
  const { channel, target } = await talk(t, fake, { place: 'group' })
  await say(channel, target, 'Hello all')
  fake.expireSessions()
  const longest = '"\n'.repeat(kind.capabilities.group.max_length / 2)
  await say(channel, target, longest)
  t.same(
    fake.shown('group').map(({ text }) => text),
    ['Hello all', longest],
    'the longest text goes, whatever it consists of',
  )
  const elsewhere = { ...(target as object), conversation: 'cidOther==' }
  await rejects(t, say(channel, elsewhere, 'Hello'), 'not_found')
  t.same(fake.violations, [])
})

t.test('The title of a message is its first words', async (t) => {
  const { toTitle } = await import('../../channels/dingtalk/form.ts')
  t.equal(toTitle('## **Good** evening\n\nAnn'), 'Good evening')
  t.equal(toTitle('\n> - [The page](https://a.example/b_c) is `new`'), 'The page is new')
  t.equal(toTitle('一'.repeat(31)), `${'一'.repeat(29)}…`)
  t.equal(toTitle('---\n***'), 'Message')
})

for (const conversation of ['direct', 'group'] as const)
  t.test(`Buttons are pressed, ${conversation}`, async (t) => {
    const fake = await startFake(t)
    let faults = 1
    const channel = await openChannel(t, kind, fake, {
      outcomeOf({ value }) {
        faults -= 1
        if (faults >= 0) throw new Error('the database is unavailable')
        return { notice: value.startsWith('ap') ? 'Approved.' : 'Rejected.' }
      },
    })
    await fake.say({ text: 'Hello', place: conversation })
    const { target } = channel.received[0]!
    await say(channel, target, '**Run** `rm`?', { buttons: approval })
    fake.expireSessions()
    await say(channel, target, 'By the API?', { buttons: approval })
    await say(channel, target, 'One?', { buttons: approval.slice(0, 1) })
    const many = ['1', '2', '3', '4', '5', 'six'].map((label) => ({
      label,
      value: `n-${label}`,
      style: 'default',
    }))
    await say(channel, target, 'Which?', { buttons: many })
    const long = [{ label: 'A label that is longer than that', value: 'x', style: 'default' }]
    await say(channel, target, 'Long?', { buttons: long })
    const [first, second, third, fourth, fifth] = fake.shown(conversation)
    t.same(first!.buttons, ['Approve', 'Reject'])
    t.same(second!.buttons, ['Approve', 'Reject'])
    t.same(fifth!.buttons, ['A label that is lon…'])

    fake.stream.redeliverAfter = 100
    t.equal(await fake.press(first!.id, 'Approve', 'ben'), 'Approved.')
    fake.stream.redeliverAfter = 1000
    t.equal(await fake.press(second!.id, 'Reject'), 'Rejected.')
    await fake.press(third!.id, 'Approve')
    await fake.press(fourth!.id, 'six')
    const conversation_id = channel.received[0]!.conversation.id
    t.match(channel.presses, [
      // The first was not acknowledged, and came again.
      { value: 'ap:1f-2', sender: { id: 'ben' } },
      {
        value: 'ap:1f-2',
        sender: { id: 'ben' },
        conversation_id,
      },
      { value: 'rj:1f-2', sender: { id: 'ann', name: 'Ann' }, conversation_id },
      { value: 'ap:1f-2' },
      { value: 'n-six' },
    ])
    t.equal(channel.received.length, 1, 'what a button sends is no message')

    const press = { msgId: 'p1', msgtype: 'text', text: { content: '/press ap:1f-2' } }
    await fake.deliver(press)
    await fake.deliver(press)
    t.equal(channel.presses.length, 6, 'a press that is delivered again is one')
    await fake.say({ text: '/press this button', place: conversation })
    t.equal(channel.received.length, 2, 'what only looks like it is a message')
    fake.fail(1)
    await fake.deliver({ ...press, msgId: 'p2' })
    await until(
      () => channel.logged().includes('the notice for a pressed button'),
      'a notice that could not be sent is logged',
    )
    t.same(fake.violations, [])
  })

for (const conversation of ['direct', 'group'] as const)
  t.test(`A live message, ${conversation}`, async (t) => {
    const fake = await startFake(t)
    const { channel, target } = await talk(t, fake, { place: conversation })
    const live = await channel.connection.live!(target, { text: 'Once', key: KEY }, never)
    t.match(fake.shown(conversation), [{ text: 'Once', is_live: true, history: [] }])
    await live.update('Once upon', never)
    await live.finish('Once upon a time.', never)
    await live.finish('Once upon a time.', never)
    await live.update('too late', never)
    t.match(fake.shown(conversation), [
      { text: 'Once upon a time.', is_live: false, history: ['Once', 'Once upon'] },
    ])

    const begun = await channel.connection.live!(target, { text: 'Half', key: keyed(2) }, never)
    const reference = JSON.parse(JSON.stringify(begun.reference))
    await channel.close()
    const next = await openChannel(t, kind, fake)
    const resumed = await next.connection.live!(target, { text: 'Half', key: keyed(2) }, never, reference)
    await resumed.update('Half a', never)
    await resumed.finish('Half a loaf.', never)
    t.match(fake.shown(conversation).slice(1), [
      { text: 'Half a loaf.', is_live: false, history: ['Half', 'Half a'] },
    ])
    const again = await next.connection.live!(
      target,
      { text: 'Half', key: keyed(2) },
      never,
      resumed.reference,
    )
    await again.finish('Half a loaf.', never)
    t.equal(fake.shown(conversation).length, 2, 'finishing what another process has finished changes nothing')
    t.same(fake.violations, [])
  })

t.test('A live message that cannot be begun', async (t) => {
  const fake = await startFake(t)
  const { card_template_id: _, ...plain } = fake.config
  const without = await openChannel(t, kind, fake, { config: plain })
  t.equal(without.connection.live, undefined, 'needs a template')
  await without.close()

  const config = { ...fake.config, card_template_key: 'text' }
  const other = await openChannel(t, kind, fake, { config })
  await fake.say({ text: 'Hello' })
  const { target } = other.received[0]!
  const message = { text: 'Once', key: KEY }
  await rejects(t, other.connection.live!(target, message, never), 'unsupported', /variable "text"/)
  t.match(other.logged(), /the card template cannot be used/)
  const asked = fake.http.calls.length
  const next = { ...message, key: keyed(2) }
  await rejects(t, other.connection.live!(target, next, never), 'unsupported', /variable "text"/)
  t.equal(fake.http.calls.length, asked, 'is not tried again for a while')
  await other.close()

  for (const [template, code] of [
    [{ card_template_id: 'unknown.schema' }, /templateNotExist/],
    [{}, /templateUnpublished/],
  ] as const) {
    fake.template.isPublished = false
    const wrong = await openChannel(t, kind, fake, { config: { ...fake.config, ...template } })
    const shown = fake.shown().length
    await rejects(
      t,
      wrong.connection.live!(target, { ...message, key: keyed(7) }, never),
      'unsupported',
      code,
    )
    t.equal(fake.shown().length, shown, 'leaves no empty card')
    t.match(wrong.logged(), code)
    await wrong.close()
    fake.template.isPublished = true
  }

  const { connection } = await openChannel(t, kind, fake)
  fake.limitRate(1, 1)
  await rejects(t, connection.live!(target, { ...message, key: keyed(3) }, never), 'rate_limited')
  const outside = { ...(target as object), staff: undefined } as never
  await rejects(t, connection.live!(outside, { ...message, key: keyed(4) }, never), 'unsupported')
  const unknown = { ...(target as object), staff: 'guest' }
  await rejects(t, connection.live!(unknown, { ...message, key: keyed(5) }, never), 'forbidden')

  fake.answerNext('POST /v1.0/card/instances/deliver', { status: 503, body: {} })
  await rejects(t, connection.live!(target, { ...message, key: keyed(8) }, never), 'unreachable')
  await connection.live!(target, { ...message, key: keyed(8) }, never)
  t.match(fake.shown().at(-1), { text: 'Once', is_live: true }, 'a card that was created before is delivered')
  fake.answerNext('PUT /v1.0/card/streaming', { status: 503, body: {} })
  await rejects(t, connection.live!(target, { ...message, key: keyed(6) }, never), 'unreachable')
  const shown = fake.shown().length
  await connection.live!(target, { ...message, key: keyed(6) }, never)
  t.equal(fake.shown().length, shown, 'is the same card when it is begun again')
})

t.test('Files of the bot', async (t) => {
  const fake = await startFake(t)
  for (const conversation of ['direct', 'group'] as const) {
    const { channel, target } = await talk(t, fake, { place: conversation })
    const { sendFile } = channel.connection
    fake.expireTokens!()
    await sendFile!(target, { ...PDF, key: KEY }, never)
    await sendFile!(target, { ...PNG, key: KEY }, never)
    t.match(
      fake.shown(conversation).map(({ file }) => ({ ...file, bytes: hex(file!.bytes) })),
      [PDF, PNG].map((file) => ({ ...file, bytes: hex(file.bytes) })),
    )
    const large = { ...PDF, bytes: new Uint8Array(20 * 1024 * 1024 + 1), key: KEY }
    await rejects(t, sendFile!(target, large, never), 'unsupported', /20 MB/)
    fake.answerNext('POST /media/upload', { body: { errcode: 40009, errmsg: 'invalid size' } })
    await rejects(t, sendFile!(target, { ...PDF, key: KEY }, never), 'unsupported', /the file \(40009\)/)
    await channel.close()
  }
  t.same(fake.violations, [])
})

t.test('Limits of DingTalk are reported with the time to wait', async (t) => {
  const fake = await startFake(t)
  const { channel, target } = await talk(t, fake)
  const live = await channel.connection.live!(target, { text: 'Once', key: KEY }, never)
  const limit = { reason: 'rate_limited', retry_after_ms: 1000 }
  fake.limitRate(3, 1)
  t.match(await failureOf(say(channel, target, 'Hello')), limit, 'of an answer')
  t.match(await failureOf(live.update('Once upon', never)), limit, 'of a change of a card')
  t.match(await failureOf(channel.connection.sendFile!(target, { ...PDF, key: KEY }, never)), limit)
  await say(channel, target, 'Hello')
  const slow = { reason: 'rate_limited', retry_after_ms: 10_000 }
  fake.answerNext('POST /robot/sendBySession', { body: { errcode: 130101, errmsg: 'send too fast' } })
  t.match(await failureOf(say(channel, target, 'Hello')), slow, 'of the messages of a minute')
  t.equal(fake.shown().length, 2)

  fake.fail(3)
  await rejects(t, say(channel, target, 'Hello'), 'unreachable')
  await rejects(t, live.finish('Once upon', never), 'unreachable')
  await rejects(t, channel.connection.sendFile!(target, { ...PDF, key: KEY }, never), 'unreachable')
  await live.finish('Once upon', never)
  t.equal(fake.shown().length, 2, 'nothing is sent twice')
})

t.test('A token is fetched when one is needed, and once for all who need it', async (t) => {
  const fake = await startFake(t)
  const { channel, target } = await talk(t, fake)
  fake.expireSessions()
  t.equal(fake.tokensGiven(), 0)
  const many = () => Promise.all(Array.from({ length: 8 }, (_, n) => say(channel, target, `message ${n}`)))
  await many()
  t.equal(fake.tokensGiven(), 1)
  fake.expireTokens!()
  await many()
  t.equal(fake.tokensGiven(), 2, 'a refusal of the token is not seen')
  t.equal(fake.shown().length, 16)

  const refusal = { status: 401, body: { code: 'InvalidAuthentication' } }
  const oto = 'POST /v1.0/robot/oToMessages/batchSend'
  for (let n = 0; n < 2; n += 1) fake.answerNext(oto, refusal)
  await rejects(t, say(channel, target, 'Hello'), 'invalid_credentials')
  t.equal(fake.tokensGiven(), 3, 'but one that is refused again is')

  fake.answerNext(oto, {
    status: 403,
    body: {
      code: 'Forbidden.AccessDenied.AccessTokenPermissionDenied',
      accessdenieddetail: { requiredScopes: ['qyapi_robot_sendmsg'] },
    },
  })
  await rejects(t, say(channel, target, 'Hello'), 'forbidden', /qyapi_robot_sendmsg/)
})

t.test('A connection', async (t) => {
  await t.test('loses nothing that comes with the end of the handshake', async (t) => {
    const fake = await startFake(t)
    const headers = {
      topic: '/v1.0/im/bot/messages/get',
      messageId: 'first',
      contentType: 'application/json',
    }
    const message = {
      msgId: 'm',
      conversationId: 'c',
      senderId: 's',
      msgtype: 'text',
      text: { content: 'Hi' },
    }
    fake.stream.greetings = [JSON.stringify({ type: 'CALLBACK', headers, data: JSON.stringify(message) })]
    const channel = await openChannel(t, kind, fake)
    await until(() => channel.received.length === 1, 'the message has arrived')
    t.equal(channel.received[0]!.text, 'Hi')
  })

  await t.test('comes back when it is cut', async (t) => {
    const fake = await startFake(t)
    const channel = await openChannel(t, kind, fake)
    fake.drop()
    await until(() => channel.states.length === 2, 'it is back')
    t.same(channel.states, ['connecting', 'connected'])
    await fake.say({ text: 'Hello' })
    t.equal(channel.received.length, 1)
    t.same(fake.violations, [], 'with a ticket of its own')

    fake.drop()
    await until(() => channel.states.length === 3, 'it is lost')
    t.equal(channel.states[2], 'lost: unreachable', 'but not again and again')
  })

  await t.test('moves when DingTalk says so, and loses nothing', async (t) => {
    const fake = await startFake(t)
    let store = () => {}
    const stored = new Promise<void>((resolve) => {
      store = resolve
    })
    const channel = await openChannel(t, kind, fake, { receive: () => stored })
    const said = fake.say({ text: 'Hello' })
    await until(() => fake.stream.counts.delivered > 0, 'a message is underway')
    fake.stream.disconnect()
    await until(() => channel.states.length === 2, 'it has moved')
    t.same(channel.states, ['connecting', 'connected'])
    store()
    await said
    await until(() => fake.connections() === 1, 'the old one is closed')
    await fake.say({ text: 'Hello again' })
    t.equal(channel.received.at(-1)!.text, 'Hello again')
  })

  await t.test('is lost when it cannot come back', async (t) => {
    const fake = await startFake(t)
    const channel = await openChannel(t, kind, fake)
    const open = 'POST /v1.0/gateway/connections/open'
    fake.answerNext(open, { status: 401, body: { code: 'authFailed' } })
    fake.drop()
    await until(() => channel.states.length === 2, 'it is lost')
    t.same(channel.states, ['connecting', 'lost: invalid_credentials'])
    t.equal(fake.http.calls.filter((call) => call === open).length, 2, 'after one try')
    await channel.close()
    t.equal(channel.states.length, 2)
  })

  await t.test('whose other side is dead is cut', async (t) => {
    const fake = await startFake(t)
    const states: string[] = []
    const closing = new AbortController()
    const { lookup } = settingsFor(kind, fake)
    const stream = await openStream({
      locate: async () =>
        new URL(`${fake.http.url.replace('http', 'ws')}/connect?ticket=${fake.stream.ticket()}`),
      lookup,
      link: {
        log: pino({ level: 'silent' }),
        connecting: () => void states.push('connecting'),
        connected: () => void states.push('connected'),
        lost: () => void states.push('lost'),
      },
      closing: closing.signal,
      take: async () => {},
      keepaliveMs: 25,
    })
    const beat = fake.stream.heard()
    await until(() => fake.stream.heard() > beat + 5, 'it has been asked and has answered')
    t.same(states, [], 'one that answers is not')
    fake.stream.setDeaf(true)
    await until(() => states.length === 3, 'nothing comes back')
    t.same(states, ['connecting', 'connected', 'lost'])
    closing.abort()
    await stream.closed()
  })
})

t.test('Closing ends all at once', async (t) => {
  const fake = await startFake(t)
  let store = () => {}
  const stored = new Promise<void>((resolve) => {
    store = resolve
  })
  const channel = await openChannel(t, kind, fake, { receive: () => stored })
  const said = fake.say({ text: 'Hello' }).catch((error) => error)
  await until(() => fake.stream.counts.delivered > 0, 'a message is underway')
  const target = { type: 'direct', conversation: 'c', robot: 'r', staff: 'ann' }
  fake.http.isMute = true
  const waiting = [
    say(channel, target, 'Hello'),
    channel.connection.download!({ code: 'x', robot: 'r' }, never),
    channel.connection.live!(target, { text: 'Once', key: KEY }, never),
  ].map((call) => call.catch((error) => error.name))
  await until(() => fake.http.calls.includes('POST /v1.0/oauth2/accessToken'), 'they wait')
  const closed = channel.close()
  t.same(await Promise.all(waiting), ['AbortError', 'AbortError', 'AbortError'])
  store()
  await closed
  await until(() => fake.connections() === 0, 'the connection is gone')
  t.same(channel.states, [], 'and is not reported as lost')
  await fake.close()
  await said

  const other = await startFake(t)
  const first = await openChannel(t, kind, other)
  await first.connection.close()
  await until(() => other.connections() === 0, 'the connection is gone')
  t.same(first.states, [])
  const second = await openChannel(t, kind, other)
  other.http.isMute = true
  other.drop()
  await until(() => second.states.length === 1, 'it comes back')
  await second.close()
  t.same(second.states, ['connecting'], 'also while it comes back')
})

t.test('A call ends when nobody waits for it', async (t) => {
  const fake = await startFake(t)
  const { channel, target } = await talk(t, fake)
  fake.http.isMute = true
  const leaving = new AbortController()
  const call = channel.connection.send(target, { text: 'Hello', key: KEY }, leaving.signal)
  leaving.abort()
  await t.rejects(call, { name: 'AbortError' })
  const late = channel.connection.send(target, { text: 'Hello', key: KEY }, AbortSignal.timeout(50))
  await rejects(t, late, 'timeout')

  const unanswered = { ...(target as object), webhook: undefined } as never
  const asked = () => fake.http.calls.filter((call) => call.endsWith('accessToken')).length
  const other = say(channel, unanswered, 'Hello').catch((error) => error.name)
  while (asked() === 0) await sleep(5)
  const impatient = channel.connection.send(unanswered, { text: 'Hello', key: KEY }, AbortSignal.timeout(50))
  await rejects(t, impatient, 'timeout')
  t.equal(asked(), 1, 'also for a token')
  await channel.close()
  t.equal(await other, 'AbortError', 'which others go on waiting for')
})

t.test('No secret is revealed', async (t) => {
  const fake = await startFake(t)
  const outcomes: unknown[] = []
  const { channel, target } = await talk(t, fake)
  const { connection } = channel
  const collect = async (call: Promise<unknown> | undefined) =>
    outcomes.push(
      await call!.then(
        () => 'nothing thrown',
        (error) => error,
      ),
    )
  await fake.say({ text: '', file: PNG })
  const { reference } = channel.received.at(-1)!.files![0]!
  await (await connection.download!(reference, never)).bytes[Symbol.asyncIterator]().return?.(undefined)

  const echo = () => ({
    code: 'x',
    message: fake.secrets().join(' '),
    errcode: 1,
    errmsg: fake.secrets().join(),
  })
  const attempts = [
    () => say(channel, target, 'Hello'),
    () => connection.live!(target, { text: 'Once', key: KEY }, never),
    () => connection.sendFile!(target, { ...PDF, key: KEY }, never),
    () => connection.download!(reference, never),
    () => kind.probe(settingsFor(kind, fake), never),
    () => kind.registration!.begin({ ...settingsFor(kind, fake), signal: never }),
  ]
  const paths = [...new Set(fake.http.calls), 'POST /v1.0/card/instances', 'POST /media/upload']
  for (const attempt of attempts) await collect(attempt())
  for (const path of [...paths, 'POST /v1.0/robot/oToMessages/batchSend', 'POST /app/registration/init'])
    for (let n = 0; n < 8; n += 1) fake.answerNext(path, { status: n % 2 ? 400 : 200, body: echo() })
  for (const attempt of attempts) await collect(attempt())
  fake.drop()
  await until(() => channel.states.some((state) => state.startsWith('lost')), 'the connection is lost')
  await fake.close()
  for (const attempt of attempts) await collect(attempt())

  const parts = (error: unknown): string =>
    error instanceof Error
      ? [error.message, error.stack, JSON.stringify(error), parts(error.cause)].join('\n')
      : `${error}`
  const all = [channel.logged(), ...channel.states, ...outcomes.map(parts)].join('\n')
  t.match(all, /DingTalk refused/)
  t.match(all, /cannot be reached/)
  t.ok(fake.secrets().length > 5)
  for (const secret of fake.secrets()) t.notOk(all.includes(secret), 'a secret')
  t.notOk(/sendBySession|signature=|ticket=/.test(all), 'nor an address that is one')
})

t.test('An app is made by scanning a code', async (t) => {
  const fake = await startFake(t)
  const { endpoints, fetch } = settingsFor(kind, fake)
  const platform = { endpoints, fetch, signal: never }
  const { begin, poll, gives } = kind.registration!
  t.equal(gives, 'channel')
  const begun = await begin(platform)
  t.match(begun, { qrcode_url: /^https:.*ABCD-EFGH-IJKL/, expires_in_seconds: 7200, interval_seconds: 1 })
  t.notOk(begun.qrcode_url.includes(fake.registration.lastCode()))
  const { state } = begun
  t.same(await poll(state, platform), { status: 'waiting' })

  fake.answerNext('POST /app/registration/poll', { status: 502, body: Buffer.from('<html>') })
  t.same(await poll(state, platform), { status: 'waiting' }, 'waits while DingTalk has a fault')
  fake.http.isMute = true
  const late = { ...platform, signal: AbortSignal.timeout(50) }
  await t.rejects(poll(state, late), 'or its signal is aborted')
  fake.http.isMute = false

  fake.registration.failPolls(2)
  let polled = await poll(state, platform)
  for (let n = 0; n < 2; n += 1) polled = await poll('state' in polled ? polled.state! : state, platform)
  t.match(polled, { status: 'waiting', state: { refusals: 0 } }, 'waits after two refusals')
  fake.registration.failPolls(3)
  for (let n = 0; n < 3; n += 1) polled = await poll('state' in polled ? polled.state! : state, platform)
  t.match(polled, { status: 'failed', detail: /400002/ }, 'fails after three')

  fake.scan!('success')
  const { client_id, client_secret } = fake.config
  const success = await poll(state, platform)
  t.same(success, { status: 'success', config: { client_id, client_secret } })
  await (
    await openChannel(t, kind, fake, { config: (success as { config: object }).config as never })
  ).close()
  fake.scan!('expired')
  t.same(await poll(state, platform), { status: 'expired' })
  fake.scan!('failed')
  t.same(await poll(state, platform), { status: 'failed', detail: 'The organization does not allow it.' })

  const over = { ...(state as object), expires_at: 1, device_code: 'forgotten' }
  t.same(await poll(over, platform), { status: 'expired' }, 'a code that is forgotten after its time')
  fake.answerNext('POST /app/registration/poll', { body: { errcode: 0, status: 'WAITING' } })
  t.same(await poll(over, platform), { status: 'expired' }, 'and one that nobody has scanned')
  fake.answerNext('POST /app/registration/poll', { body: { errcode: 0, status: 'SUCCESS', client_id: 'x' } })
  t.match(await poll(state, platform), { status: 'failed', detail: /did not return its credentials/ })
  fake.answerNext('POST /app/registration/poll', { body: { errcode: 0, status: 'FAIL' } })
  t.match(await poll(state, platform), { status: 'failed', detail: /did not state a reason/ })

  fake.answerNext('POST /app/registration/begin', { body: { errcode: 0 } })
  await rejects(t, begin(platform), 'unknown', /without a QR code/)
  fake.answerNext('POST /app/registration/init', { body: { errcode: 500 } })
  await rejects(t, begin(platform), 'unknown', /the registration \(500\)/)
})

testChannelKind({
  kind,
  startFake: startFakeDingtalk,
  lacks: ['settle', 'unmentioned', 'typing'],
  ...builtInChannel(t),
})
