import { text as readText } from 'node:stream/consumers'
import mattermost from '../../channels/mattermost/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import t, { type Test } from '../run/file-test.ts'
import { BOT, directChannel, startFakeMattermost, TOWN } from '../support/fake-mattermost.ts'
import { builtInChannel } from '../support/kit.ts'
import { openChannel, settingsFor } from '../support/open-channel.ts'
import { failureOf, findClosedPort, never, until } from './channel-calls.ts'
import { createCursor, message } from './matrix-calls.ts'

async function start(t: Test) {
  const platform = await startFakeMattermost()
  t.teardown(async () => {
    await platform.close()
    if (platform.violations.length > 0) throw new Error(platform.violations.join(', '))
  })
  return platform
}

async function open(t: Test, options: Parameters<typeof openChannel>[3] = {}) {
  const platform = await start(t)
  return { platform, ...(await openChannel(t, mattermost, platform, options)) }
}

t.test('has the form of a channel kind, and finds the account in the config', async (t) => {
  const { assertChannelKind } = await import('../../plugins/reach/channels/config/kinds.ts')
  t.equal(assertChannelKind(mattermost).kind, 'mattermost')
  const config = { server_url: 'https://chat.example.org/', bot_token: 'abc' }
  t.match(mattermost.identity?.(config), /^chat\.example\.org (?!.*abc)/)
  t.equal(mattermost.identity?.({}), undefined)
  t.throws(() => mattermost.check?.({ ...config, bot_token: 'a b' }), {
    name: 'ChannelFailure',
    message: /space/,
  })
})

t.test('a probe says what is wrong', async (t) => {
  const platform = await start(t)
  const { config, wrong_config, troubles } = platform
  const probe = async (changes: object, base = config) =>
    await mattermost.probe(settingsFor(mattermost, platform, { ...base, ...changes }), never).then(
      () => 'ok',
      ({ reason, message }) => `${reason}: ${message}`,
    )
  t.equal(await probe({}), 'ok')
  t.match(await probe({}, wrong_config), /^invalid_credentials: .* does not accept the access token/)
  troubles.answers.push({ path: '/users/me', status: 404 })
  t.match(await probe({}), /^not_found: No Mattermost server answers/)
  troubles.answers.push({ path: '/users/me', status: 200 })
  t.match(await probe({}), /^not_found: No Mattermost server answers/)
  troubles.answers.push({ path: '/users/me', status: 301, headers: { location: 'https://else.test' } })
  t.match(await probe({}), /redirect \(301\)/)
  troubles.answers.push({ path: '/users/me', status: 502 })
  t.match(await probe({}), /^unreachable: /)
  const port = await findClosedPort()
  t.match(await probe({ server_url: `http://127.0.0.1:${port}` }), /^unreachable: .*ECONNREFUSED/)
  const secure = String(config.server_url).replace('http:', 'https:')
  t.match(await probe({ server_url: secure }), /^unreachable: The certificate .* or it does not speak TLS/)
})

t.test('posts of people are read with what they mean', async (t) => {
  const { platform, received } = await open(t)
  await platform.say({ text: 'hello' })
  const file = platform.host({ filename: 'a.txt', media_type: 'text/plain', bytes: Buffer.from('x') })
  const write = (fields: object) => platform.write({ channel_id: directChannel('ann'), ...fields })
  await write({ file_ids: [file] })
  await write({ message: 'old', file_ids: [], type: 'me' })
  await write({})
  const shared = { type: 'permalink', data: { post: { message: 'shared words', user_id: 'ben' } } }
  await write({ message: 'https://chat.test/_redirect/pl/1', metadata: { embeds: [shared] } })
  await write({ message: 'joined', type: 'system_join_channel' })
  await write({ message: 'of a bot', props: { from_bot: 'true' } })
  await write({ message: 'of a program', props: { from_webhook: 'true' } })
  await write({ message: 'of itself', user_id: BOT.id })
  await write({ message: 'last' })
  await until(() => received.at(-1)?.text === 'last', 'the last post comes')
  t.match(received, [
    { text: 'hello', conversation: { type: 'direct' }, mentioned: true, sender: { id: 'ann', name: 'ann' } },
    { text: '', files: [{ filename: 'a.txt', media_type: 'text/plain', size: 1, reference: { id: file } }] },
    { text: 'old' },
    { text: '', unreadable: 'message' },
    { quote: { text: 'shared words', sender: 'ben', is_forwarded: true } },
    { text: 'last' },
  ])
  t.equal(received.length, 6)
})

t.test('the bot is mentioned by its name alone, and threads are conversations of their own', async (t) => {
  const { platform, received, connection } = await open(t)
  const cases: [string, string | undefined][] = [
    ['@helper hello', 'hello'],
    ['hello @Helper', 'hello'],
    ['ask @helper, please', 'ask @helper, please'],
    ['@helper @types/node?', '@types/node?'],
    ['@helper', ''],
    ['@helper: 你好', '你好'],
    ['@helpers hello', undefined],
    ['@helper.two hello', undefined],
    ['@all hello', undefined],
    ['mail a@helper', undefined],
  ]
  for (const [index, [text, expected]] of cases.entries()) {
    await platform.write({ message: text })
    await until(() => received.length === index + 1, text)
    const { mentioned, text: read } = received.at(-1)!
    t.equal(mentioned ? read : undefined, expected, text)
  }
  const root_id = await platform.write({ message: 'the first', user_id: 'ben' })
  await platform.write({ message: '@helper what?', root_id })
  await platform.write({ message: '@helper again', root_id })
  await until(() => received.at(-1)?.text === 'again', 'the thread comes')
  const [first, second] = received.slice(-2)
  t.match(first, { conversation: { id: `${TOWN}:${root_id}` }, quote: { text: 'the first', sender: 'ben' } })
  t.equal(second!.quote, undefined)
  const sent = await connection.send(second!.target, message('an answer'), never)
  const answer = platform.posts.get((sent as { post_id: string }).post_id)!
  t.equal(answer.root_id, root_id)
  const own = (await connection.send({ channel_id: TOWN }, message('mine'), never)) as { post_id: string }
  await platform.write({ message: 'without a mention', root_id: own.post_id })
  await until(() => received.at(-1)?.text === 'without a mention', 'the reply comes')
  t.equal(received.at(-1)!.mentioned, true, 'a reply to the bot')

  platform.posts.get(root_id)!.delete_at = 1
  const late = await connection.send(second!.target, message('late'), never)
  t.equal(platform.posts.get((late as { post_id: string }).post_id)!.root_id, '', 'the thread was deleted')
})

t.test('what was missed comes once: events that are lost, and posts while the bot was away', async (t) => {
  const platform = await start(t)
  await platform.sayUnheard!({ text: 'before the first connection', place: 'group' })
  const cursor = createCursor()
  const first = await openChannel(t, mattermost, platform, { cursor })
  await platform.say({ text: 'one' })
  await until(() => first.received.length === 1, 'the first post comes')
  platform.troubles.lost_events = 1
  await platform.say({ text: 'lost' })
  await platform.say({ text: 'after it' })
  await until(() => first.received.length === 3, 'both come')
  await first.close()
  await platform.sayUnheard!({ text: 'away' })
  await platform.sayUnheard!({ text: 'in the group', place: 'group' })
  const second = await openChannel(t, mattermost, platform, { cursor })
  await platform.say({ text: 'back' })
  await until(() => second.received.length >= 3, 'all come')
  const texts = [...first.received, ...second.received].map(({ text }) => text)
  t.same(texts, ['one', 'lost', 'after it', 'away', 'in the group', 'back'])
})

t.test('posts that could not be stored come again, in their order', async (t) => {
  let refusals = 2
  const { platform, received, logged } = await open(t, {
    receive: async () => {
      if (refusals-- > 0) throw new Error('the database is unavailable')
    },
  })
  for (const text of ['one', 'two', 'three']) platform.writeUnseen({ message: text })
  await until(() => received.length === 3, 'all come')
  t.match(received, [{ text: 'one' }, { text: 'two' }, { text: 'three' }])
  t.match(logged(), /could not be stored/)
})

t.test('a token that is revoked ends the connection', async (t) => {
  const { platform, states } = await open(t)
  platform.revoke()
  platform.drop()
  await until(() => states.includes('lost: invalid_credentials'), 'the channel is lost')
})

t.test('refusals have their reasons', async (t) => {
  const { platform, connection } = await open(t)
  const send = () => failureOf(connection.send({ channel_id: TOWN }, message('x'), never))
  const refused = (id: string) => ({ id, message: `not with ${'a'.repeat(26)}` })
  const cases: [number, unknown, string][] = [
    [400, refused('some.app_error'), 'unknown'],
    [400, refused('model.post.is_valid.message_length.app_error'), 'unknown, the text'],
    [400, refused('api.post.create_post.can_not_post_to_deleted.error'), 'not_found'],
    [403, refused('api.context.permissions.app_error'), 'forbidden'],
    [404, refused('app.channel.get.existing.app_error'), 'not_found'],
    [429, 'limit exceeded', 'rate_limited, 1000'],
    [500, refused('x.y'), 'unreachable'],
    [403, '<html>', 'unknown'],
  ]
  for (const [status, body, expected] of cases) {
    platform.troubles.answers.push({ path: '/posts', status, body })
    const { reason, retry_after_ms, is_about_text, message } = await send()
    t.equal([reason, retry_after_ms, is_about_text && 'the text'].filter(Boolean).join(', '), expected)
    t.notMatch(message, /a{26}/)
  }
})

t.test('messages are sent once, changed in place, and notify nobody by accident', async (t) => {
  const { platform, connection } = await open(t)
  const target = { channel_id: TOWN }
  const once = message('hello @all and @channel \ud83d')
  platform.fail(1)
  t.match(await failureOf(connection.live!(target, once, never)), { reason: 'unreachable' })
  const live = await connection.live!(target, { ...once, text: 'hello again' }, never)
  await live.finish('hello again', never)
  await live.finish('hello again', never)
  const taken = await connection.live!(target, once, never, live.reference)
  await taken.update('hello again, **more**', never)
  t.match(platform.shown(), [
    {
      text: 'hello again, **more**',
      history: ['hello @\u200ball and @\u200bchannel \ufffd', 'hello again'],
    },
  ])
  const file = { filename: 'ü 1.txt', media_type: 'text/plain', bytes: Buffer.from('bytes'), key: 'f' }
  platform.fail(1)
  t.match(await failureOf(connection.sendFile!(target, file, never)), { reason: 'unreachable' })
  await connection.sendFile!(target, file, never)
  t.match(platform.shown().slice(1), [
    { text: '', file: { filename: 'ü 1.txt', bytes: Buffer.from('bytes') } },
  ])
  const id = platform.host({ filename: 'a', media_type: 'text/plain', bytes: Buffer.from('x') })
  const { bytes, media_type } = await connection.download!({ id }, never)
  t.equal(`${media_type} ${await readText(bytes)}`, 'text/plain x')
  t.match(await failureOf(connection.download!({ id: 'none' }, never)), { reason: 'not_found' })
})

testChannelKind({
  kind: mattermost,
  startFake: startFakeMattermost,
  lacks: ['buttons', 'shared_direct'],
  ...builtInChannel(t),
})
