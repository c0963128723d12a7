import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { ChannelFailure } from '#plugin-api'
import { createAlbums } from '../../channels/telegram/albums.ts'
import kind from '../../channels/telegram/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import t from '../run/file-test.ts'
import { type FakeTelegram, startFakeTelegram } from '../support/fake-telegram.ts'
import {
  eventually,
  failureOf,
  message,
  never,
  openWith,
  testTelegram as test,
} from '../support/fake-telegram-channel.ts'
import { DIRECT, GROUP, person } from '../support/fake-telegram-people.ts'
import { startFakeProxy } from '../support/fake-telegram-proxy.ts'
import { builtInChannel } from '../support/kit.ts'
import { openChannel, settingsFor } from '../support/open-channel.ts'
import { findClosedPort } from './channel-calls.ts'

t.jobs = 6

const secretOf = ({ config }: FakeTelegram) => String(config.bot_token).split(':')[1]!

/** All that an error says anywhere. */
const wholeOf = (error: unknown): string =>
  error instanceof Error
    ? [error.stack, error.message, JSON.stringify(error), wholeOf(error.cause)].join('\n')
    : String(JSON.stringify(error))

t.test('a config is checked', async (t) => {
  const refused = (config: Record<string, unknown>) => {
    try {
      kind.check!(config)
    } catch (error) {
      return (error as ChannelFailure).reason
    }
  }
  t.equal(refused({ bot_token: '7012345678:AAH-fake_telegram-token' }), undefined)
  t.equal(refused({}), 'missing_field')
  t.equal(refused({ bot_token: '../../7012345678:AAH-fake_telegram-token' }), 'invalid_credentials')
  t.equal(refused({ bot_token: '1:abcdefghijkl', http_proxy: 'proxy.example:3128' }), 'unsupported')
  t.equal(refused({ bot_token: '1:abcdefghijkl', http_proxy: 'http://proxy.example:3128' }), undefined)
  t.equal(kind.identity!({ bot_token: '7012345678:AAH-fake_telegram-token' }), '7012345678')
  t.equal(kind.identity!({}), undefined)
})

test('a probe says whether the credentials work', async (t, telegram) => {
  await kind.probe(settingsFor(kind, telegram), never)
  t.same(telegram.calls, ['getMe', 'getWebhookInfo'], 'and takes no connection away')

  const wrong = await failureOf(kind.probe(settingsFor(kind, telegram, telegram.wrong_config), never))
  t.equal(wrong.reason, 'invalid_credentials')
  t.match(wrong.message, /Unauthorized/)

  telegram.setWebhook('https://elsewhere.example/hook?key=secret')
  const taken = await failureOf(kind.probe(settingsFor(kind, telegram), never))
  t.equal(taken.reason, 'already_connected')
  t.notMatch(taken.message, /elsewhere/)
})

test('a probe says why Telegram cannot be used', async (t, telegram) => {
  const settings = settingsFor(kind, telegram)
  const probe = (signal = never) => failureOf(kind.probe(settings, signal))

  telegram.answerWith(
    1,
    429,
    'application/json',
    JSON.stringify({
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 7',
      parameters: { retry_after: 7 },
    }),
  )
  t.match(await probe(), { reason: 'rate_limited', retry_after_ms: 7000 })
  telegram.answerWith(1, 403, 'application/json', '{"ok":false,"error_code":403,"description":"Forbidden"}')
  t.equal((await probe()).reason, 'forbidden')
  telegram.answerWith(1, 404, 'application/json', '{"ok":false,"error_code":404,"description":"Not Found"}')
  t.equal((await probe()).reason, 'invalid_credentials')
  telegram.answerWith(1, 502, 'text/html', '<html>Bad Gateway</html>')
  t.match(await probe(), { reason: 'unreachable', message: /502/ })
  telegram.answerWith(1, 200, 'text/html', '<html>Welcome to the hotel</html>')
  t.equal((await probe()).reason, 'unknown')
  for (const body of ['{"ok":tr', 'null', '{}', '[]', '{"ok":true}']) {
    telegram.answerWith(1, 200, 'application/json', body)
    t.equal((await probe()).reason, 'unknown', body)
  }

  telegram.silence()
  t.equal((await probe(AbortSignal.timeout(50))).reason, 'timeout')
  const abort = new AbortController()
  const aborted = kind.probe(settings, abort.signal)
  abort.abort(new Error('nobody waits'))
  await t.rejects(aborted, { message: 'nobody waits' })
})

test('a probe says that nothing listens', async (t, telegram) => {
  const settings = settingsFor(kind, telegram)
  const gone = { ...settings, endpoints: { api: `http://127.0.0.1:${await findClosedPort()}` } }
  t.match(await failureOf(kind.probe(gone, never)), { reason: 'unreachable', message: /ECONNREFUSED/ })
  const redirected = createServer((_, response) =>
    response.writeHead(307, { location: telegram.endpoints.api + _.url! }).end(),
  ).listen(0, '127.0.0.1')
  t.teardown(() => redirected.close())
  await once(redirected, 'listening')
  const api = `http://127.0.0.1:${(redirected.address() as AddressInfo).port}`
  await failureOf(kind.probe({ ...settings, endpoints: { api } }, never))
  t.same(telegram.calls, [], 'a redirect carries the token nowhere')
})

test('opening fails where the bot cannot be had', async (t, telegram) => {
  t.equal(
    (await failureOf(openChannel(t, kind, telegram, { config: telegram.wrong_config }))).reason,
    'invalid_credentials',
  )
  telegram.answerWith(
    1,
    401,
    'application/json',
    '{"ok":false,"error_code":401,"description":"Unauthorized"}',
  )
  t.equal((await failureOf(openChannel(t, kind, telegram))).reason, 'invalid_credentials')
  t.equal(telegram.connections(), 0)
})

test('opening takes the messages over from a webhook', async (t, telegram) => {
  telegram.setWebhook('https://elsewhere.example/hook')
  const { received } = await openChannel(t, kind, telegram)
  await telegram.say({ text: 'hello' })
  t.match(received, [{ text: 'hello' }])
})

test('a direct message', async (t, telegram) => {
  const said = telegram.say({
    text: 'before it was open',
    sender: '1001',
    id: '41',
    sent_at: 1_700_000_000_000,
  })
  const { received } = await openChannel(t, kind, telegram)
  await said
  t.same(received, [
    {
      id: '5550001:41',
      conversation: { id: '5550001', type: 'direct' },
      sender: { id: '1001', name: '1001' },
      text: 'before it was open',
      mentioned: true,
      sent_at: 1_700_000_000_000,
      target: { chat_id: DIRECT.id },
    },
  ])
  await telegram.redeliver('41')
  t.same(received[1], received[0], 'is the same when it is delivered again')
})

test('a message in a group', async (t, telegram) => {
  const { received } = await openChannel(t, kind, telegram)
  await telegram.say({ text: 'what is this?', place: 'group', id: '7' })
  t.same(
    { ...received[0], sent_at: 0 },
    {
      id: '-1001234567890:7',
      conversation: { id: '-1001234567890', type: 'group' },
      sender: { id: 'ann', name: 'ann' },
      text: 'what is this?',
      mentioned: true,
      sent_at: 0,
      target: { chat_id: GROUP.id, reply_to: 7 },
    },
  )
  await telegram.say({ text: 'not for you', place: 'group', mention: false })
  t.match(received[1], { text: 'not for you', mentioned: false })
})

test('mentions are cut out', async (t, telegram) => {
  const { received } = await openChannel(t, kind, telegram)
  let id = 1000
  const hear = async (text: string, entities: object[], more: object = {}) => {
    id += 1
    const from = person('1001')
    await telegram.deliver({
      message: { message_id: id, from, chat: GROUP, date: 1, text, entities, ...more },
    })
    const { text: heard, mentioned } = received.at(-1)!
    return [heard, mentioned]
  }
  const at = (text: string, part: string, type: string, more: object = {}) => ({
    type,
    offset: text.indexOf(part),
    length: part.length,
    ...more,
  })
  const mention = (text: string, part = '@Svc_Test_Bot') => hear(text, [at(text, part, 'mention')])
  t.same(await mention('@Svc_Test_Bot, 👍 how are you'), ['👍 how are you', true])
  t.same(await mention('👍👍 hey @Svc_Test_Bot, how are you'), ['👍👍 hey, how are you', true])
  t.same(await mention('tell @Svc_Test_Bot to go'), ['tell to go', true])
  t.same(await mention('go @Svc_Test_Bot'), ['go', true])
  t.same(await mention('one\n@Svc_Test_Bot\n  two'), ['one\n\n  two', true])
  t.same(await mention('@Svc_Test_Bot'), ['', true])
  t.same(await mention('@other_bot hello', '@other_bot'), ['@other_bot hello', false])
  const me = { id: 7012345678, is_bot: true, first_name: 'Test bot' }
  t.same(await hear('Test bot: go', [at('Test bot: go', 'Test bot', 'text_mention', { user: me })]), [
    'go',
    true,
  ])
  const ben = { user: person('1002') }
  t.same(await hear('ben: go', [at('ben: go', 'ben', 'text_mention', ben)]), ['ben: go', false])

  const command = (text: string, part: string) => hear(text, [at(text, part, 'bot_command')])
  t.same(await command('/new@svc_test_bot now', '/new@svc_test_bot'), ['/new now', true])
  t.same(await command('/new@other_bot now', '/new@other_bot'), ['/new@other_bot now', false])
  t.same(await command('/new now', '/new'), ['/new now', true])
  t.same(await command('see /new', '/new'), ['see /new', false])

  const reply_to_message = { message_id: 5, from: me, chat: GROUP, date: 1, text: 'I can do that' }
  t.same(await hear('do it', [], { reply_to_message }), ['do it', true])
  t.same(received.at(-1)!.quote, { text: 'I can do that', sender: 'Test bot' })
})

test('a topic of a forum is a conversation of its own', async (t, telegram) => {
  const { received, connection } = await openChannel(t, kind, telegram)
  telegram.openTopic(77)
  const me = { id: 7012345678, is_bot: true, first_name: 'Test bot' }
  const opening = { message_id: 77, from: me, chat: GROUP, date: 1, forum_topic_created: { name: 'News' } }
  const common = {
    from: person('1001'),
    chat: GROUP,
    date: 1,
    reply_to_message: opening,
    message_thread_id: 77,
  }
  await telegram.deliver({
    message: { ...common, message_id: 500, text: 'any news?', is_topic_message: true },
  })
  t.match(received[0], {
    conversation: { id: '-1001234567890:77', type: 'group' },
    mentioned: false,
    target: { chat_id: GROUP.id, thread_id: 77, reply_to: 500 },
  })
  t.notOk(received[0]!.quote, 'to open a topic is to say nothing')
  await telegram.deliver({ message: { ...common, message_id: 501, text: 'a thread of replies is none' } })
  t.match(received[1], { conversation: { id: '-1001234567890' }, target: { thread_id: undefined } })

  const { target } = received[0]!
  const sent = await connection.send(
    target,
    message('None.', { buttons: [{ label: 'Ok', value: 'ok', style: 'primary' }] }),
    never,
  )
  await connection.typing!(target, never)
  t.match(telegram.messages, [{ thread_id: 77, reply_to: 500 }])
  t.same(telegram.typingsIn, [{ chat_id: GROUP.id, thread_id: 77 }])
  t.same(sent, { chat_id: GROUP.id, message_id: telegram.messages[0]!.message_id })
})

test('what is not for an agent is left out, and acknowledged', async (t, telegram) => {
  const from = person('1001')
  const chat = DIRECT
  const said = { message_id: 1, from, chat, date: 1 }
  const calls = [
    // The bot had not said yet what it wants.
    telegram.deliver({ edited_message: { ...said, text: 'edited' } }),
    telegram.deliver({
      channel_post: { message_id: 2, chat: { id: -100, type: 'channel' }, date: 1, text: 'news' },
    }),
  ]
  const { received } = await openChannel(t, kind, telegram)
  await Promise.all(calls)
  const messages = [
    { ...said, from: { ...from, is_bot: true }, text: 'a bot' },
    { ...said, new_chat_members: [from] },
    { ...said, pinned_message: { ...said, text: 'pinned' } },
    { ...said, new_chat_title: 'Another title' },
    { ...said, chat: { id: -100, type: 'channel' }, text: 'a channel' },
    {
      ...said,
      chat: GROUP,
      sender_chat: { id: -100, type: 'channel' },
      is_automatic_forward: true,
      text: 'posted',
    },
  ]
  for (const message of messages) await telegram.deliver({ message })
  await telegram.deliver({ edited_message: { ...said, text: 'edited again' } })
  t.same(received, [])

  const admin = { ...from, id: 1087968824, is_bot: true, username: 'GroupAnonymousBot' }
  await telegram.deliver({
    message: { ...said, chat: GROUP, from: admin, sender_chat: GROUP, text: 'an admin' },
  })
  t.match(received, [{ sender: { id: '-1001234567890', name: 'The group' }, text: 'an admin' }])
  await telegram.deliver({ message: { ...said, sticker: { emoji: '👍' } } })
  t.equal(received[1]!.text, '👍')
})

test('a message is acknowledged only when it has been received', async (t, telegram) => {
  let refusals = 2
  const attempts: string[] = []
  const { received, logged, states } = await openChannel(t, kind, telegram, {
    async receive({ text }) {
      attempts.push(text)
      if (text !== 'two' || refusals === 0) return
      refusals -= 1
      t.equal(telegram.backlog() > 0, true)
      throw new Error('the database is unavailable')
    },
  })
  const said = ['one', 'two', 'three'].map((text) => telegram.say({ text }))
  await Promise.all(said)
  t.same(attempts, ['one', 'two', 'two', 'two', 'three'], 'and those after it wait')
  t.same(
    received.map(({ text }) => text),
    ['one', 'two', 'three'],
  )
  t.match(logged(), /the database is unavailable/)
  t.same(states, [])
})

test('a closed channel leaves what it has not received', async (t, telegram) => {
  const first = await openChannel(t, kind, telegram, {
    async receive() {
      throw new Error('the database is unavailable')
    },
  })
  const said = telegram.say({ text: 'hello' })
  await eventually(() => first.logged().includes('database'), 'refused')
  await first.close()
  t.equal(telegram.backlog(), 1)
  const second = await openChannel(t, kind, telegram)
  await said
  t.match(second.received, [{ text: 'hello' }])
})

test('an album is one message', async (t, telegram) => {
  let refusals = 1
  const { received } = await openChannel(t, kind, telegram, {
    async receive({ files }) {
      if (!files || refusals === 0) return
      refusals -= 1
      throw new Error('the database is unavailable')
    },
  })
  const from = person('1001')
  const chat = DIRECT
  const part = (message_id: number, more: object) =>
    telegram.deliver({
      message: {
        message_id,
        from,
        chat,
        date: 5,
        media_group_id: '9',
        photo: [{ file_id: `p${message_id}`, file_size: 9, width: 9, height: 9 }],
        ...more,
      },
    })
  const parts = [part(12, { caption: 'the second' }), part(11, { caption: 'Look:' })]
  const later = telegram.say({ text: 'what do you see?', sender: '1001' })
  const other = telegram.say({ text: 'from somebody else', place: 'group' })
  await eventually(() => received.length === 1, 'what others say does not wait')
  await Promise.all([...parts, part(13, {}), later, other])
  t.match(
    received.map(({ text }) => text),
    ['from somebody else', 'Look:\nthe second', 'what do you see?'],
    'what comes after it in its conversation waits',
  )
  t.match(received[1], {
    id: '5550001:11',
    files: ['p11', 'p12', 'p13'].map((file_id) => ({ reference: { file_id } })),
  })
  t.equal(telegram.backlog(), 0)
})

t.test('an album is not waited for without end', async (t) => {
  let now = 0
  const albums = createAlbums(() => now)
  const keep = (update_id: number, media_group_id: string) => {
    const chat = { id: 1, type: 'private' as const, first_name: 'ann' }
    const message = { message_id: update_id, chat, date: 1, media_group_id }
    return albums.add({ update_id, message } as never)
  }
  for (let n = 0; n < 10; n += 1) {
    t.same(albums.listReady(), [], `${n} parts`)
    keep(n, 'full')
  }
  t.match(albums.listReady(), [{ updates: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }])
  albums.drop(albums.listReady()[0]!)
  t.notOk(albums.hasAny())

  keep(20, 'slow')
  for (now = 900; now < 5000; now += 900) {
    t.same(albums.listReady(), [], 'it grows')
    keep(20 + now, 'slow')
    keep(20 + now, 'slow')
  }
  t.match(albums.listReady(), [{ messages: { length: 6 } }])
})

test('files come in', async (t, telegram) => {
  const { received, connection } = await openChannel(t, kind, telegram)
  const bytes = new TextEncoder().encode('a,b\n1,2\n')
  await telegram.say({ text: 'my numbers', file: { filename: 'a b.csv', media_type: 'text/csv', bytes } })
  const [document] = received[0]!.files!
  t.equal(received[0]!.text, 'my numbers')
  t.match(document, { filename: 'a b.csv', media_type: 'text/csv', size: 8 })
  const content = await connection.download!(document!.reference, never)
  t.same(await buffer(content.bytes), Buffer.from(bytes))

  await telegram.say({ text: '', file: { filename: 'x.png', media_type: 'image/png', bytes } })
  t.equal(received[1]!.text, '')
  const [photo] = received[1]!.files!
  t.match(photo, { filename: 'photo.jpg', media_type: 'image/jpeg' })
  t.notMatch(JSON.stringify(photo), 'small', 'of a photo, the largest')

  const from = person('1001')
  const file = { file_id: 'f', file_size: 3 }
  const sorts = { voice: 'audio/ogg', video: 'video/mp4', audio: 'audio/mpeg', video_note: 'video/mp4' }
  for (const [sort, media_type] of Object.entries(sorts)) {
    await telegram.deliver({
      message: { message_id: 1, from, chat: DIRECT, date: 1, [sort]: file },
    })
    t.match(received.at(-1)!.files, [{ media_type, size: 3 }])
  }
  const animation = { ...file, file_name: 'cat.mp4', mime_type: 'video/mp4' }
  await telegram.deliver({
    message: {
      message_id: 1,
      from,
      chat: DIRECT,
      date: 1,
      animation,
      document: animation,
    },
  })
  t.equal(received.at(-1)!.files!.length, 1)
})

test('files that cannot be had', async (t, telegram) => {
  const { connection } = await openChannel(t, kind, telegram)
  const download = (file_id: string, signal = never) => connection.download!({ file_id }, signal)
  t.equal((await failureOf(download('nobody'))).reason, 'not_found')
  telegram.knowFile('big', { path: 'documents/big', size: 21 * 1024 * 1024 })
  t.equal((await failureOf(download('big'))).reason, 'unsupported')
  telegram.knowFile('gone', { path: 'documents/gone', size: 5 })
  t.equal((await failureOf(download('gone'))).reason, 'not_found')

  telegram.knowFile('long', { path: 'documents/long', size: 5, bytes: new Uint8Array(8_000_000) })
  let read = 0
  for await (const piece of (await download('long')).bytes) {
    read += piece.length
    if (read > 100_000) break
  }
  t.ok(read < 8_000_000, 'a reader may leave')
  const abort = new AbortController()
  const { bytes } = await download('long', abort.signal)
  abort.abort(new Error('nobody waits'))
  await t.rejects(buffer(bytes), { message: 'nobody waits' })
})

test('files of a Bot API server of one’s own', async (t, telegram) => {
  const { connection } = await openChannel(t, kind, telegram)
  const bytes = new TextEncoder().encode('a,b')
  const folder = `/var/lib/telegram-bot-api/${telegram.config.bot_token}`
  const read = async (file_id: string, path: string, served: string) => {
    telegram.knowFile(file_id, { path, size: 3 })
    telegram.serveFile(served, bytes)
    const content = await connection.download!({ file_id }, never)
    return (await buffer(content.bytes)).toString()
  }
  t.equal(await read('1', `${folder}/documents/file_1.csv`, 'documents/file_1.csv'), 'a,b')
  t.equal(await read('2', `${folder}/documents/file_2.csv`, `${folder.slice(1)}/documents/file_2.csv`), 'a,b')
  t.equal(await read('3', '/srv/files/file_3.csv', 'srv/files/file_3.csv'), 'a,b')
  t.equal(await read('4', `${folder.replace(':', '~')}/file_4.csv`, 'file_4.csv'), 'a,b')
  t.equal(await read('5', 'documents/a b#c?d%20é.csv', 'documents/a b#c?d%20é.csv'), 'a,b')
  telegram.knowFile('7', { path: `${folder}/file_7.csv`, size: 3 })
  t.match(await failureOf(connection.download!({ file_id: '7' }, never)), {
    reason: 'not_found',
    message: /does not serve/,
  })
  t.equal(await read('6', 'documents//../file\ud83d.csv', 'documents/file\ufffd.csv'), 'a,b')
})

test('a quote', async (t, telegram) => {
  const { received } = await openChannel(t, kind, telegram)
  await telegram.say({ text: 'is that so?', quote: 'It rains.' })
  t.same(received[0]!.quote, { text: 'It rains.', sender: 'ben' })
  const common = {
    message_id: 1,
    from: person('1001'),
    chat: DIRECT,
    date: 1,
    text: 'so?',
  }
  const reply_to_message = { ...common, message_id: 2, text: 'It rains and rains.' }
  await telegram.deliver({ message: { ...common, reply_to_message, quote: { text: 'rains' } } })
  t.same(received[1]!.quote, { text: 'rains', sender: '1001' })
})

test('messages go out', async (t, telegram) => {
  const { connection, target } = await openWith(t, telegram, 'group')
  await connection.send(target, message('<b>Hello</b> &amp; welcome'), never)
  t.match(telegram.shown('group'), [{ text: '<b>Hello</b> &amp; welcome', buttons: [] }])
  t.equal(telegram.messages[0]!.reply_to, 101, 'in a group as a reply')
  t.same(telegram.shown('direct'), [])
})

test('marks that Telegram cannot read are left out', async (t, telegram) => {
  const { connection, target } = await openWith(t, telegram)
  const sent = await connection.send(
    target,
    message('<h1>1 &lt; 2</h1> &#65;&#x42; &amp;amp; &#9999999;'),
    never,
  )
  t.equal(telegram.shown()[0]!.text, '1 < 2 AB &amp; &#9999999;')
  await connection.settle!(target, sent, '<b>never <i>closed</b>', never)
  t.equal(telegram.shown()[0]!.text, 'never closed')
  await connection.send(target, message('<u> </u>'), never)
  t.equal(telegram.shown()[1]!.text, '…', 'nothing but marks')
  const long = await failureOf(connection.send(target, message('x'.repeat(4097)), never))
  t.match(long, { reason: 'unsupported', is_about_text: true })
})

test('a live message', async (t, telegram) => {
  const { connection, target, close } = await openWith(t, telegram)
  const live = await connection.live!(target, message('One'), never)
  await live.update('One', never)
  await live.update('One two', never)
  await live.update('One <b>two</b>', never)
  t.match(telegram.shown(), [{ text: 'One <b>two</b>', history: ['One', 'One two'] }])
  await close()

  const other = await openChannel(t, kind, telegram)
  const resumed = await other.connection.live!(target, message('One <b>two</b>'), never, live.reference)
  await resumed.update('One <b>two</b>', never)
  await resumed.update('One two three', never)
  await resumed.finish('One two three.', never)
  await resumed.finish('One two three.', never)
  t.match(telegram.shown(), [
    { text: 'One two three.', history: ['One', 'One two', 'One <b>two</b>', 'One two three'] },
  ])
  t.same(resumed.reference, live.reference)
  t.equal(telegram.calls.filter((call) => call === 'sendMessage').length, 1)
})

test('a live message begins with nothing yet', async (t, telegram) => {
  const { connection, target } = await openWith(t, telegram)
  const live = await connection.live!(target, message(''), never)
  await live.finish('Done.', never)
  t.match(telegram.shown(), [{ text: 'Done.', history: ['…'] }])
  const lost = await connection.live!(target, message('x'), never, { chat_id: 1, message_id: 1 })
  t.equal((await failureOf(lost.finish('Done.', never))).reason, 'not_found')
})

test('buttons', async (t, telegram) => {
  const { connection, target, presses } = await openWith(t, telegram, 'group', {
    outcomeOf: ({ value }) => ({ notice: value.endsWith('no') ? 'x'.repeat(300) : 'Approved.' }),
  })
  const value = 'approval:01J0000000000000000000000A:yes'
  const sent = await connection.send(
    target,
    message('May I?', {
      buttons: [
        { label: 'Yes', value, style: 'primary' },
        { label: 'No', value: 'no', style: 'danger' },
        { label: 'Later', value: 'later', style: 'default' },
      ],
    }),
    never,
  )
  const [shown] = telegram.shown('group')
  t.same(shown!.buttons, ['Yes', 'No', 'Later'])
  t.same(
    telegram.messages[0]!.keys.map((row) => row.map(({ style }) => style)),
    [['primary', 'danger'], [undefined]],
  )
  t.equal(await telegram.press(shown!.id, 'Yes', '1002'), 'Approved.')
  t.same(presses, [{ value, sender: { id: '1002', name: '1002' }, conversation_id: '-1001234567890' }])
  t.equal((await telegram.press(shown!.id, 'No'))!.length, 200)

  await connection.settle!(target, sent, 'Approved by ann.', never)
  await connection.settle!(target, sent, 'Approved by ann.', never)
  t.match(telegram.shown('group'), [{ text: 'Approved by ann.', buttons: [] }])
  t.equal(await telegram.press(shown!.id, 'Later'), 'Approved.', 'on a device that still shows the button')
})

test('a button in a topic, one that is pressed in vain, and one of something else', async (t, telegram) => {
  const { connection, presses, logged } = await openWith(t, telegram, 'group', {
    outcomeOf({ value }) {
      if (value === 'bad') throw new Error('the database is unavailable')
      return { notice: 'ok' }
    },
  })
  telegram.openTopic(77)
  const buttons = ['good', 'bad'].map((value) => ({ label: value, value, style: 'default' as const }))
  await connection.send({ chat_id: GROUP.id, thread_id: 77 }, message('May I?', { buttons }), never)
  const { id } = telegram.shown('group')[0]!
  t.equal(await telegram.press(id, 'bad'), undefined)
  t.match(logged(), /the database is unavailable/)
  t.equal(await telegram.press(id, 'good'), 'ok')
  t.equal(presses[1]!.conversation_id, '-1001234567890:77')
  await telegram.deliver({ callback_query: { id: '1', from: person('1001'), game_short_name: 'chess' } })
  await eventually(() => logged().includes('query is too old'), 'answered in vain')
  t.equal(presses.length, 2)
})

test('typing is shown', async (t, telegram) => {
  const { connection, target } = await openWith(t, telegram)
  await connection.typing!(target, never)
  t.equal(telegram.typings(), 1)
})

test('files go out', async (t, telegram) => {
  const { connection, target } = await openWith(t, telegram, 'group')
  const send = (filename: string, media_type: string, bytes: Uint8Array) =>
    connection.sendFile!(target, { filename, media_type, bytes, key: 'K' }, never)
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 13, 10])
  await send('my résumé.csv', 'text/csv', new TextEncoder().encode('a\r\n--b'))
  await send('x\r\nname="y";.png', 'image/png', png)
  await send('broken.png', 'image/png', new Uint8Array(8))
  t.match(
    telegram.messages.map(({ file, reply_to }) => [file!.filename, file!.as, file!.bytes.length, reply_to]),
    [
      ['my résumé.csv', 'document', 6, 101],
      ['x__name=_y__.png', 'photo', 10, 101],
      ['broken.png', 'document', 8, 101],
    ],
  )
  t.same(telegram.shown()[1]!.file!.bytes, Buffer.from(png))
  const large = await failureOf(send('large.bin', 'application/zip', new Uint8Array(50 * 1024 * 1024 + 1)))
  t.equal(large.reason, 'unsupported')
})

test('what Telegram refuses is sorted, and tried once', async (t, telegram) => {
  const { connection, target } = await openWith(t, telegram, 'group')
  const send = (to = target, signal = never) => failureOf(connection.send(to, message('hi'), signal))
  telegram.limitRate(1, 3)
  t.match(await send(), { reason: 'rate_limited', retry_after_ms: 3000 })
  telegram.fail(3)
  t.same([(await send()).reason, (await send()).reason, (await send()).reason], Array(3).fill('unreachable'))
  t.equal((await send({ chat_id: 5 })).reason, 'not_found')
  telegram.answerWith(
    1,
    400,
    'application/json',
    JSON.stringify({
      ok: false,
      error_code: 400,
      description: 'Bad Request: not enough rights to send text messages to the chat',
    }),
  )
  t.match(await send(), { reason: 'forbidden' })
  telegram.kick()
  t.match(await send(), { reason: 'forbidden', message: /kicked/ })
  t.same(telegram.shown(), [])
  const abort = new AbortController()
  telegram.silence()
  t.equal((await send(target, AbortSignal.timeout(50))).reason, 'timeout')
  const aborted = connection.send(target, message('hi'), abort.signal)
  abort.abort(new Error('nobody waits'))
  await t.rejects(aborted, { message: 'nobody waits' })
})

test('a connection that is dropped comes back', async (t, telegram) => {
  const { received, states } = await openChannel(t, kind, telegram)
  await telegram.say({ text: 'one' })
  await eventually(() => telegram.connections() === 1, 'polls')
  telegram.answerWith(1, 502, 'text/html', '<html>Bad Gateway</html>')
  telegram.drop()
  await telegram.say({ text: 'two' })
  t.same(
    received.map(({ text }) => text),
    ['one', 'two'],
  )
  t.same(states, ['connecting', 'connected'])
})

test('answers to polls that make no sense do no harm', async (t, telegram) => {
  const { received, states, logged } = await openChannel(t, kind, telegram)
  const results = ['null', '{}', '[null, 7, {}, {"update_id":"x"}]']
  for (const result of results) {
    telegram.answerWith(1, 200, 'application/json', `{"ok":true,"result":${result}}`)
    telegram.deliver({ poll: {} }).catch(() => {})
    await telegram.say({ text: result })
  }
  await telegram.deliver({ message: { text: 'by nobody, nowhere' } })
  await telegram.deliver({
    message: { message_id: 1, chat: { id: 1, type: 'private' }, from: person('1'), photo: 5 },
  })
  await telegram.deliver({ message: { message_id: 1, media_group_id: '1' } }).catch(() => {})
  await telegram.say({ text: 'still there?' })
  t.same(
    received.map(({ text }) => text),
    [...results, 'still there?'],
  )
  t.match(logged(), /unreadable/)
  t.same(states, [])
})

test('what answers polls at once with nothing is not asked without pause', async (t, telegram) => {
  const { received } = await openChannel(t, kind, telegram)
  telegram.answerWith(8, 200, 'application/json', '{"ok":true,"result":[]}')
  await telegram.say({ text: 'one' })
  await telegram.say({ text: 'two' })
  t.match(received, [{ text: 'one' }, { text: 'two' }])
})

for (const [what, lose, reason] of [
  ['another program', (telegram: FakeTelegram) => telegram.pollElsewhere(), 'already_connected'],
  ['a webhook', (telegram: FakeTelegram) => telegram.setWebhook('https://elsewhere/'), 'already_connected'],
  ['a new token', (telegram: FakeTelegram) => telegram.revoke(), 'invalid_credentials'],
] as const)
  test(`a connection that is taken away by ${what} is lost`, async (t, telegram) => {
    const { states } = await openChannel(t, kind, telegram)
    await telegram.say({ text: 'hello' })
    await eventually(() => telegram.connections() === 1, 'polls')
    lose(telegram)
    await eventually(() => states.length > 0, 'lost')
    t.same(states, [`lost: ${reason}`])
    const { length } = telegram.calls
    await eventually(() => telegram.connections() === 0, 'ends')
    t.equal(telegram.calls.length, length, 'and does nothing more')
  })

test('of two channels with one bot, the later one has it', async (t, telegram) => {
  const first = await openChannel(t, kind, telegram)
  await telegram.say({ text: 'one' })
  const second = await openChannel(t, kind, telegram)
  await eventually(() => first.states.length > 0, 'lost')
  t.same(first.states, ['lost: already_connected'])
  await telegram.say({ text: 'two' })
  t.match(second.received, [{ text: 'two' }])
})

test('closing ends all that is under way', async (t, telegram) => {
  const { connection, states, close } = await openChannel(t, kind, telegram)
  await telegram.say({ text: 'hello' })
  telegram.silence()
  const sending = failureOf(connection.send({ chat_id: 1 }, message('hi'), never))
  await close()
  t.equal((await sending).reason, 'unreachable')
  await eventually(() => telegram.connections() === 0, 'gone')
  t.same(states, [])
  const { length } = telegram.calls
  t.equal((await failureOf(connection.send({ chat_id: 1 }, message('hi'), never))).reason, 'unreachable')
  t.equal(telegram.calls.length, length)
})

test('opening ends when the channel is to be closed', async (t, telegram) => {
  telegram.silence()
  const abort = new AbortController()
  const link = { channel_id: 'c', signal: abort.signal } as Parameters<typeof kind.open>[1]
  const opening = kind.open(settingsFor(kind, telegram), link)
  await eventually(() => telegram.calls.length > 0, 'asks')
  abort.abort(new Error('to be closed'))
  await t.rejects(opening, { message: 'to be closed' })
})

test('secrets are nowhere', async (t, telegram) => {
  const secret = secretOf(telegram)
  const failures: string[] = []
  const note = async (work: Promise<unknown> | undefined) =>
    void failures.push(wholeOf(await failureOf(work)))
  const settings = settingsFor(kind, telegram)
  const url = `${telegram.endpoints.api}/bot${telegram.config.bot_token}/getMe`
  const leaky = JSON.stringify({ ok: false, error_code: 400, description: `cannot get ${url}` })
  telegram.answerWith(1, 400, 'application/json', leaky)
  await note(kind.probe(settings, never))
  telegram.answerWith(1, 200, 'application/json', `"${url}" {`)
  await note(kind.probe(settings, never))
  await note(
    kind.probe({ ...settings, endpoints: { api: `http://127.0.0.1:${await findClosedPort()}` } }, never),
  )
  await note(kind.probe({ ...settings, endpoints: { api: 'no address' } }, never))
  await note(kind.probe({ ...settings, endpoints: { api: 'http://10.0.0.1' } }, never))
  await note(kind.probe(settings, AbortSignal.timeout(0)))

  const { connection, received, logged, states } = await openChannel(t, kind, telegram)
  await telegram.say({ text: 'a private word' })
  await eventually(() => telegram.connections() === 1, 'polls')
  telegram.answerWith(1, 400, 'application/json', leaky)
  telegram.drop()
  await eventually(() => states.includes('connected'), 'back')
  telegram.fail(3)
  for (let n = 0; n < 3; n += 1) await note(connection.send(received[0]!.target, message('another'), never))
  telegram.knowFile('gone', { path: 'documents/gone', size: 5 })
  await note(connection.download!({ file_id: 'gone' }, never))
  await telegram.deliver({ message: { text: secret } })
  telegram.revoke()
  await eventually(() => states.some((state) => state.startsWith('lost')), 'lost')
  const all = [...failures, logged(), ...states].join('\n')
  t.notMatch(all, secret)
  t.notMatch(all, /private word|another/)
  t.equal(failures.length, 10)
})

test('the password of a proxy is nowhere', async (t, telegram) => {
  const proxy = await startFakeProxy(t)
  const settings = settingsFor(kind, telegram)
  const at = (host: string) => {
    const http_proxy = `http://ann:p%C3%A4ss-word@${host}`
    return failureOf(kind.probe({ ...settings, config: { ...telegram.config, http_proxy } }, never))
  }
  const failures: ChannelFailure[] = []
  for (const refusal of ['407 Proxy Authentication Required', '502 Bad Gateway']) {
    proxy.mood = { refusal }
    failures.push(await at(proxy.host))
  }
  failures.push(await at('127.0.0.1:1'), await at('10.1.2.3:3128'))
  t.match(failures, [
    { reason: 'invalid_credentials' },
    { reason: 'unreachable', message: /502/ },
    { reason: 'unreachable', message: /ECONNREFUSED/ },
    { reason: 'forbidden' },
  ])
  t.notMatch(failures.map(wholeOf).join('\n'), /p%C3|päss|10\.1\.2\.3:3128/)
})

testChannelKind({ kind, startFake: startFakeTelegram, ...builtInChannel(t) })
