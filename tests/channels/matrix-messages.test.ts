import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import t from '../run/file-test.ts'
import { BOT, directRoom, GROUP } from '../support/fake-matrix-world.ts'
import { failureOf, never } from './channel-calls.ts'
import { message, openMatrix } from './matrix-calls.ts'

const PILL = `<a href="https://matrix.to/#/${encodeURIComponent(BOT)}">Helper</a>`

t.test('messages of people are read with what they mean', async (t) => {
  const { platform, received } = await openMatrix(t)
  const room_id = platform.world.direct('ann')
  const url = platform.host({ filename: 'a.png', media_type: 'image/png', bytes: Buffer.from('x') })
  const write = (content: object, type = 'm.room.message') => platform.write(room_id, { type, content })
  const replace = { rel_type: 'm.replace', event_id: '$1' }
  const edited = {
    'm.relations': { 'm.replace': { content: { 'm.new_content': { msgtype: 'm.text', body: 'right' } } } },
  }

  await write({ msgtype: 'm.text', body: '/me is **here** @Helper' })
  await write({ msgtype: 'm.emote', body: 'waves' })
  await write({ msgtype: 'm.image', body: 'a.png', url, info: { mimetype: 'image/png', size: 1 } })
  await write({ msgtype: 'm.file', body: 'the caption', filename: 'a.png', url })
  await write({ msgtype: 'm.file', body: 'a.png', file: { url, key: {} } })
  await write({ msgtype: 'm.location', body: 'there', geo_uri: 'geo:52.52,13.405;u=35' })
  await write({ msgtype: 'm.location', body: 'somewhere', geo_uri: 7 })
  await write({ msgtype: 'm.key.verification.request', body: 'verify' })
  await write({ body: 'a waving cat', url }, 'm.sticker')
  const poll = { question: { 'm.text': [{ body: 'Tea?' }] }, answers: [{ 'm.text': [{ body: 'yes' }] }] }
  await write({ 'm.poll': poll }, 'm.poll.start')
  const old = { question: { body: 'Tea?' }, answers: [{ 'org.matrix.msc1767.text': 'no' }] }
  await write({ 'org.matrix.msc3381.poll.start': old }, 'org.matrix.msc3381.poll.start')
  await platform.write(room_id, { content: { msgtype: 'm.text', body: 'wrong' }, unsigned: edited })
  await write({ msgtype: 'x.unknown', body: 'of a new kind' })

  await write({})
  await write({ msgtype: 'm.notice', body: 'of a bot' })
  await write({ msgtype: 'm.text', body: 'of a bot', 'org.matrix.msc3955.automated': true })
  await write({ msgtype: 'm.text', body: '* changed', 'm.new_content': {}, 'm.relates_to': replace })
  await write({ msgtype: 'm.text', body: 7, 'm.relates_to': 'nothing', 'm.mentions': { user_ids: 'all' } })
  t.match(
    received.map(({ text, files, unreadable }) => ({ text, files, unreadable })),
    [
      { text: '/me is **here** @Helper' },
      { text: 'waves' },
      { text: '', files: [{ filename: 'a.png', media_type: 'image/png', size: 1, reference: { mxc: url } }] },
      { text: 'the caption', files: [{ filename: 'a.png', reference: { mxc: url } }] },
      { text: '', unreadable: 'encrypted file' },
      { text: '[location: 52.52, 13.405]' },
      { text: '[location: somewhere]' },
      { text: '', unreadable: 'verification request' },
      { text: '[sticker: a waving cat]' },
      { text: '[poll: Tea? (1) yes]' },
      { text: '[poll: Tea? (1) no]' },
      { text: 'right' },
      { text: 'of a new kind' },
      { text: '' },
    ],
  )
  t.equal(received.length, 14)
})

t.test('the bot is mentioned by lists, pills and names, and only its own name is removed', async (t) => {
  const { platform, received } = await openMatrix(t)
  const listed = { 'm.mentions': { user_ids: [BOT] } }
  const unlisted = { 'm.mentions': {} }
  const html = (formatted_body: string) => ({ format: 'org.matrix.custom.html', formatted_body })
  const cases: [string, object, string | undefined][] = [
    ['Helper: hello', listed, 'hello'],
    ['hello @Helper', listed, 'hello'],
    ['ask Helper about it', listed, 'ask Helper about it'],
    ['Helper: @Override means?', listed, '@Override means?'],
    [`${BOT} /stop`, listed, '/stop'],
    ['Helper', listed, ''],
    ['Helper, 你好', { ...unlisted, ...html(`${PILL}, 你好`) }, '你好'],
    ['@helper what now?', unlisted, 'what now?'],
    ['Helper：在吗', unlisted, '在吗'],
    ['the Helper is nice', unlisted, undefined],
    ['helpers: hello', unlisted, undefined],
    ['Helper is nice', unlisted, undefined],
    ['@types/node is a package', unlisted, undefined],
    ['I think Helper knows', {}, 'I think Helper knows'],
    ['@room look', { 'm.mentions': { room: true } }, undefined],
    ['x', { ...unlisted, ...html(`<mx-reply>${PILL}</mx-reply>x`) }, undefined],
  ]
  for (const [body, more, expected] of cases) {
    await platform.write(GROUP, { content: { msgtype: 'm.text', body, ...more } })
    const { mentioned, text } = received.at(-1)!
    t.equal(mentioned ? text : undefined, expected, body)
  }
})

t.test('replies have their quote, and threads are conversations of their own', async (t) => {
  const { platform, received, connection } = await openMatrix(t)
  const { world } = platform
  const own = await connection.send({ room_id: GROUP }, message('an answer'), never)
  const { event_id: answer } = own as { event_id: string }
  const picture = await platform.write(GROUP, {
    content: { msgtype: 'm.image', body: 'cat.png', url: 'mxc://fake.test/1' },
  })
  const reply = (event_id: string, body: string, more = {}) => ({
    content: {
      msgtype: 'm.text',
      body,
      'm.mentions': {},
      'm.relates_to': { ...more, 'm.in_reply_to': { event_id } },
    },
  })
  await platform.write(GROUP, reply(answer, `> <${BOT}> an answer\n\nreally?`))
  t.match(received.at(-1), {
    text: 'really?',
    mentioned: true,
    quote: { text: 'an answer', sender: 'Helper' },
  })
  await platform.write(GROUP, reply(picture, 'what is it?'))
  t.match(received.at(-1), { mentioned: false, quote: { files: [{ filename: 'cat.png' }], sender: 'ann' } })
  await platform.write(GROUP, reply('$gone', '> <@ben:fake.test> two\n> lines\n\nyes'))
  t.match(received.at(-1), { text: 'yes', quote: { text: 'two\nlines' } })
  await platform.write(GROUP, reply('$gone', '> my own quote\n\nyes'))
  t.match(received.at(-1), { text: '> my own quote\n\nyes', quote: undefined })

  const thread = { rel_type: 'm.thread', event_id: picture, is_falling_back: true }
  const id = await platform.write(GROUP, { sender: 'bob', ...reply(picture, 'in the thread', thread) })
  const { conversation, target, quote } = received.at(-1)!
  t.same(conversation, { id: `${GROUP}/${picture}`, type: 'group' })
  t.equal(quote, undefined)
  await connection.send(target, message('there'), never)
  t.match(platform.eventsOf(GROUP).at(-1)!.content, {
    body: 'there',
    'm.mentions': { user_ids: ['bob'] },
    'm.relates_to': { rel_type: 'm.thread', event_id: picture, 'm.in_reply_to': { event_id: id } },
  })
  const direct = world.direct('ann')
  await platform.write(direct, reply(picture, 'in a thread', thread))
  t.same(received.at(-1)!.conversation, { id: direct, type: 'direct' })
  t.match(received.at(-1)!.target, { thread: picture })
})

t.test('a room with a third person becomes a group', async (t) => {
  const { platform, received } = await openMatrix(t)
  await platform.say({ text: 'alone' })
  const room_id = directRoom('ann')
  platform.world.setMember(room_id, 'bob', 'join')
  await platform.say({ text: 'together' })
  t.match(received, [
    { conversation: { id: room_id, type: 'direct' }, mentioned: true },
    { conversation: { id: room_id, type: 'group' }, mentioned: false },
  ])
})

t.test('Markdown becomes HTML that clients may show, and fits into an event', async (t) => {
  const { platform, connection } = await openMatrix(t)
  const room_id = platform.world.direct('ann')
  const send = async (text: string) => {
    await connection.send({ room_id }, message(text), never)
    return platform.eventsOf(room_id).at(-1)!.content
  }
  t.match(await send('plain text'), { msgtype: 'm.text', body: 'plain text', 'm.mentions': {} })
  t.notOk((await send('a\n\nb')).formatted_body === undefined)
  t.equal((await send('plain & simple')).formatted_body, undefined)
  const cases: [string, string][] = [
    ['**bold**', '<p><strong>bold</strong></p>'],
    ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['*a* <script>x</script>', '<p><em>a</em> &lt;script&gt;x&lt;/script&gt;</p>'],
    ['[x](javascript:alert)', '<p>x</p>'],
    ['[x](https://e.test/?a="b")', '<p><a href="https://e.test/?a=&quot;b&quot;">x</a></p>'],
    ['![alt](https://e.test/i.png)', '<p><a href="https://e.test/i.png">alt</a></p>'],
    ['- [x] done', '<ul>\n<li>☑ done</li>\n</ul>'],
    ['```js\na < b\n```', '<pre><code class="language-js">a &lt; b\n</code></pre>'],
  ]
  for (const [text, html] of cases)
    t.match(await send(text), { body: text, format: 'org.matrix.custom.html', formatted_body: html })
  const large = await send(`**x** ${'<'.repeat(15_900)}`)
  t.equal(large.formatted_body, undefined, 'the format is left out')
  t.equal((await send('a \ud83d b')).body, 'a \ufffd b')
})

t.test('a live message is changed by edits, and sent once with one key', async (t) => {
  const { platform, connection } = await openMatrix(t)
  const room_id = platform.world.direct('ann')
  const first = message('a')
  platform.fail(1)
  t.match(await failureOf(connection.live!({ room_id }, first, never)), { reason: 'unreachable' })
  const live = await connection.live!({ room_id }, { ...first, text: 'a b' }, never)
  await live.finish('a b', never)
  await live.finish('a b', never)
  t.match(platform.shown('direct'), [{ text: 'a b', history: ['a'] }])
  t.equal(platform.eventsOf(room_id).length, 2, 'one message and one edit')
  const taken = await connection.live!({ room_id }, first, never, live.reference)
  await taken.update('a b **c**', never)
  t.match(platform.eventsOf(room_id).at(-1)!.content, {
    body: '* a b **c**',
    'm.new_content': { body: 'a b **c**', formatted_body: '<p>a b <strong>c</strong></p>' },
    'm.mentions': {},
  })
  const short = await connection.live!({ room_id }, message('short'), never)
  await short.finish('short', never)
  t.match(platform.shown('direct').at(-1), { text: 'short', history: [] })
})

t.test('files are sent as what they are, once, and received from homeservers of any age', async (t) => {
  const { platform, connection } = await openMatrix(t)
  const room_id = platform.world.direct('ann')
  const bytes = Buffer.from('bytes')
  const send = (media_type: string, key: string) =>
    connection.sendFile!({ room_id }, { filename: 'ü 1.bin', media_type, bytes, key }, never)
  const types = ['image/png', 'image/svg+xml', 'audio/ogg', 'video/mp4', 'text/plain']
  for (const type of types) await send(type, type.replace('/', ''))
  platform.fail(1)
  t.match(await failureOf(send('text/html', 'again')), { reason: 'unreachable' })
  await send('text/html', 'again')
  const sent = platform.eventsOf(room_id).map(({ content }) => content)
  t.same(
    sent.map(({ msgtype }) => msgtype),
    ['m.image', 'm.file', 'm.audio', 'm.video', 'm.file', 'm.file'],
  )
  t.match(sent[0], { filename: 'ü 1.bin', info: { mimetype: 'image/png', size: 5 } })
  platform.troubles.answers.push({ path: '/upload', status: 413, body: { errcode: 'M_TOO_LARGE' } })
  t.match(await failureOf(send('text/plain', 'large')), { reason: 'unsupported', is_about_text: false })

  const mxc = platform.host({ filename: 'a', media_type: 'text/plain', bytes })
  const download = async (reference: object) => {
    const { bytes: pieces, media_type } = await connection.download!({ ...reference }, never)
    return `${media_type} ${await readText(pieces)}`
  }
  t.equal(await download({ mxc }), 'text/plain bytes')
  platform.troubles.is_old = true
  t.equal(await download({ mxc }), 'text/plain bytes')
  platform.troubles.is_old = false
  t.match(await failureOf(download({ mxc: 'mxc://fake.test/none' })), { reason: 'not_found' })
  t.match(await failureOf(download({ mxc: 'https://fake.test/none' })), { reason: 'not_found' })

  let authorization: string | undefined = 'none'
  const store = createServer((request, response) => {
    authorization = request.headers.authorization
    response.writeHead(200, { 'content-type': 'text/plain' }).end('elsewhere')
  }).listen(0, '127.0.0.1')
  t.teardown(() => void store.close())
  await once(store, 'listening')
  const location = `http://127.0.0.1:${(store.address() as AddressInfo).port}/`
  platform.troubles.answers.push({ path: '/download/', status: 307, headers: { location } })
  t.equal(await download({ mxc }), 'text/plain elsewhere')
  t.equal(authorization, undefined, 'the token is not sent to another host')
})
