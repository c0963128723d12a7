import matrix from '../../channels/matrix/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import t from '../run/file-test.ts'
import { startFakeMatrix } from '../support/fake-matrix.ts'
import { BOT, directRoom, GROUP } from '../support/fake-matrix-world.ts'
import { builtInChannel } from '../support/kit.ts'
import { openChannel, settingsFor } from '../support/open-channel.ts'
import { failureOf, findClosedPort, never, until } from './channel-calls.ts'
import { createCursor, message, openMatrix, startMatrix } from './matrix-calls.ts'

t.test('has the form of a channel kind, and finds the account in the config', async (t) => {
  const { assertChannelKind } = await import('../../plugins/reach/channels/config/kinds.ts')
  t.equal(assertChannelKind(matrix).kind, 'matrix')
  const config = { homeserver: 'https://Matrix.example.org/', user_id: '@a:example.org' }
  t.equal(matrix.identity?.(config), '@a:example.org matrix.example.org')
  t.equal(matrix.identity?.({}), undefined)
  t.throws(() => matrix.check?.(config), { name: 'ChannelFailure', message: 'access_token or password' })
  t.throws(() => matrix.check?.({ ...config, access_token: 'a b' }), {
    name: 'ChannelFailure',
    message: /space/,
  })
  matrix.check?.({ ...config, password: 'a b' })
})

t.test('a probe says what is wrong', async (t) => {
  const platform = await startMatrix(t)
  const { config, password_config, wrong_config, troubles, tokens } = platform
  const probe = async (changes: object, base = config, signal = never) => {
    const settings = settingsFor(matrix, platform, { ...base, ...changes })
    return await matrix.probe(settings, signal).then(
      () => 'ok',
      ({ reason, message }) => `${reason}: ${message}`,
    )
  }
  t.equal(await probe({}), 'ok')
  t.equal(await probe({}, password_config), 'ok')
  t.equal(tokens.size, 1, 'the sign-in of the probe is ended')
  t.match(await probe({}, wrong_config), /^invalid_credentials: .* does not accept the access token/)
  t.match(
    await probe({ password: 'wrong' }, password_config),
    /^invalid_credentials: .* user ID or the password/,
  )
  t.match(
    await probe({ user_id: '@other:fake.test' }),
    /^invalid_credentials: .* of @helper:fake.test, not of @other/,
  )

  troubles.answers.push({ path: '/login', status: 400, body: { errcode: 'M_UNKNOWN', error: 'no' } })
  t.match(await probe({}, password_config), /^unsupported: .* enter an access token/)
  troubles.answers.push({ path: '/login', status: 429, body: { errcode: 'M_LIMIT_EXCEEDED' } })
  t.match(await probe({}, password_config), /^rate_limited: /)
  troubles.answers.push({ path: '/whoami', status: 401, body: { errcode: 'M_USER_DEACTIVATED' } })
  t.match(await probe({}), /^invalid_credentials: The account of the bot is deactivated/)

  troubles.answers.push({ path: '/versions', status: 301, headers: { location: 'https://else.test' } })
  t.match(await probe({}), /^not_found: No Matrix homeserver/)
  troubles.names = 'https://matrix.fake.test/'
  t.match(await probe({}), /^not_found: .* enter https:\/\/matrix\.fake\.test as the homeserver/)
  troubles.names = 'nothing'
  t.match(await probe({}), /^not_found: No Matrix homeserver answers at this address/)

  const port = await findClosedPort()
  t.match(await probe({ homeserver: `http://127.0.0.1:${port}` }), /^unreachable: .*ECONNREFUSED/)
  const secure = String(config.homeserver).replace('http:', 'https:')
  t.match(await probe({ homeserver: secure }), /^unreachable: The certificate .* or it does not speak TLS/)
  t.match(await probe({ homeserver: 'http://10.1.2.3' }), /not allowed|ADDRESS_NOT_ALLOWED|private/i)
})

t.test('a token that is refused ends the connection, and the password is used for another one', async (t) => {
  const platform = await startMatrix(t)
  const byToken = await openChannel(t, matrix, platform)
  platform.revoke()
  platform.drop()
  await until(() => byToken.states.includes('lost: invalid_credentials'), 'the channel is lost')
  await byToken.close()

  const cursor = createCursor()
  const options = { config: platform.password_config, cursor }
  const first = await openChannel(t, matrix, platform, options)
  t.equal(platform.tokens.size, 1)
  const [token] = platform.tokens.keys()
  await first.close()
  const second = await openChannel(t, matrix, platform, options)
  t.same([...platform.tokens.keys()], [token], 'the stored token is used again')
  platform.revoke()
  await platform.say({ text: 'after all' })
  t.match(second.received, [{ text: 'after all' }])
  t.equal(platform.tokens.size, 1)
  t.notSame([...platform.tokens.keys()], [token])
  t.notMatch(second.logged(), platform.password)
})

t.test('what was missed comes once, and nothing from before the bot was there', async (t) => {
  for (const is_old of [false, true]) {
    const platform = await startMatrix(t)
    platform.troubles.is_old = is_old
    const { world } = platform
    const say = (text: string) => platform.sayUnheard!({ text, place: 'group', mention: false })
    await say('before the first connection')
    const cursor = createCursor()
    const first = await openChannel(t, matrix, platform, { cursor })
    await platform.say({ text: 'heard', place: 'group' })
    await first.close()
    for (let index = 0; index < 230; index++) await say(`missed ${index}`)
    world.createRoom('!later:fake.test', ['ann'])
    for (let index = 0; index < 60; index++)
      world.add('!later:fake.test', { sender: 'ann', content: { msgtype: 'm.text', body: `old ${index}` } })
    world.setMember('!later:fake.test', BOT, 'invite', 'ann')
    const second = await openChannel(t, matrix, platform, { cursor })
    await until(() => world.rooms.get('!later:fake.test')!.members.get(BOT) === 'join', 'the bot joins')
    await platform.write('!later:fake.test', { content: { msgtype: 'm.text', body: 'welcome' } })
    const texts = second.received.map(({ text }) => text)
    t.same(texts, [...Array.from({ length: 230 }, (_, index) => `missed ${index}`), 'welcome'])
    t.equal(first.received.length, 1)
  }
})

t.test('messages that could not be stored come again', async (t) => {
  let refusals = 2
  const { platform, received, logged } = await openMatrix(t, {
    receive: async () => {
      if (refusals-- > 0) throw new Error('the database is unavailable')
    },
  })
  await platform.say({ text: 'one' })
  t.match(received, [{ text: 'one' }])
  t.match(logged(), /could not be stored/)
})

t.test('a position that the homeserver does not know begins anew', async (t) => {
  const platform = await startMatrix(t)
  const cursor = createCursor()
  await cursor.set({ since: 'of another database' })
  const { received, logged } = await openChannel(t, matrix, platform, { cursor })
  await platform.say({ text: 'hello' })
  t.match(received, [{ text: 'hello' }])
  t.match(logged(), /does not know the stored position/)
})

t.test(
  'invitations are accepted of those who may write, and again if the room cannot be reached',
  async (t) => {
    const platform = await startMatrix(t)
    const { world } = platform
    const invite = (name: string, sender: string) => {
      const room_id = `!${name}:fake.test`
      world.createRoom(room_id, [sender])
      world.setMember(room_id, BOT, 'invite', sender)
      return () => world.rooms.get(room_id)!.members.get(BOT)
    }
    const early = invite('early', 'ann')
    const settings = settingsFor(matrix, platform)
    Object.assign(settings.config, { allow_from: ['ann'] })
    const link = await openChannel(t, { ...matrix, open: (_, link) => matrix.open(settings, link) }, platform)
    await until(() => early() === 'join', 'an invitation from before is accepted')
    const stranger = invite('stranger', 'eve')
    platform.troubles.answers.push({ path: '/join/', status: 502, body: '<html>' })
    const friend = invite('friend', 'ann')
    await until(() => link.logged().includes('a room could not be joined'), 'the first attempt fails')
    const another = invite('another', 'ann')
    await until(() => friend() === 'join' && another() === 'join', 'both rooms are joined')
    t.equal(stranger(), 'invite')
    t.match(link.logged(), /an invitation is not accepted/)
    t.match(link.logged(), /a room could not be joined/)
  },
)

t.test('an encrypted room receives one notice that it cannot be read', async (t) => {
  const platform = await startMatrix(t)
  const cursor = createCursor()
  const first = await openChannel(t, matrix, platform, { cursor })
  const room_id = platform.world.direct('ann')
  const encrypted = { type: 'm.room.encrypted', content: { algorithm: 'm.megolm.v1.aes-sha2' } }
  await platform.write(room_id, encrypted)
  await platform.write(room_id, encrypted)
  await first.close()
  await openChannel(t, matrix, platform, { cursor })
  await platform.write(room_id, encrypted)
  t.match(
    platform.eventsOf(room_id).map(({ content }) => content),
    [{ msgtype: 'm.notice', body: /^This room is encrypted/ }],
  )
  t.same(first.received, [])
})

t.test('a room that is replaced is followed, if it says so itself', async (t) => {
  const { platform, states } = await openMatrix(t)
  const { world, joinable } = platform
  const replace = (room_id: string) => {
    world.createRoom(room_id, ['ann'])
    const content = { predecessor: { room_id: GROUP } }
    world.add(room_id, { type: 'm.room.create', sender: 'ann', state_key: '', content })
  }
  replace('!thief:fake.test')
  world.setMember('!thief:fake.test', BOT, 'invite', 'ann')
  replace('!next:fake.test')
  joinable.add('!next:fake.test')
  await until(() => world.rooms.get('!thief:fake.test')!.members.get(BOT) === 'join', 'the bot joins')
  const tombstone = {
    type: 'm.room.tombstone',
    state_key: '',
    content: { replacement_room: '!next:fake.test' },
  }
  await platform.write(GROUP, tombstone)
  await until(() => states.length > 0, 'the conversation moves')
  t.same(states, [`moved: ${GROUP} !next:fake.test`])
})

t.test('refusals have their reasons', async (t) => {
  const { platform, connection } = await openMatrix(t)
  const room_id = platform.world.direct('ann')
  const cases: [number, unknown, string][] = [
    [400, { errcode: 'M_BAD_JSON', error: 'bad' }, 'unknown'],
    [403, { errcode: 'M_FORBIDDEN', error: 'You are not in the room' }, 'forbidden'],
    [404, { errcode: 'M_NOT_FOUND' }, 'not_found'],
    [413, { errcode: 'M_TOO_LARGE' }, 'unsupported, the text'],
    [429, { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 1234.5 }, 'rate_limited, 1235'],
    [500, { errcode: 'M_UNKNOWN' }, 'unreachable'],
    [502, '<html>', 'unreachable'],
    [403, '<html>', 'unknown'],
    [200, '<html>', 'unknown'],
  ]
  for (const [status, body, expected] of cases) {
    platform.troubles.answers.push({ path: '/send/', status, body })
    const { reason, retry_after_ms, is_about_text } = await failureOf(
      connection.send({ room_id }, message('x'), never),
    )
    t.equal([reason, retry_after_ms, is_about_text && 'the text'].filter(Boolean).join(', '), expected)
  }
  platform.troubles.answers.push({ path: '/send/', status: 429, body: '', headers: { 'retry-after': '2' } })
  t.match(await failureOf(connection.send({ room_id }, message('x'), never)), { retry_after_ms: 2000 })
  const secret = `syt_${'x'.repeat(80)}`
  platform.troubles.answers.push({
    path: '/send/',
    status: 403,
    body: { errcode: 'M_FORBIDDEN', error: `not with\n${secret}` },
  })
  t.match(await failureOf(connection.send({ room_id }, message('x'), never)), {
    message: /\(not with \*\*\*\)/,
  })
})

t.test('people see that their messages are read', async (t) => {
  const { platform } = await openMatrix(t)
  const id = await platform.say({ text: 'hello' })
  await until(() => platform.receipts.includes(id), 'the receipt is sent')
  t.equal(platform.world.rooms.has(directRoom('ann')), true)
})

testChannelKind({
  kind: matrix,
  startFake: startFakeMatrix,
  lacks: ['buttons', 'shared_direct'],
  ...builtInChannel(t),
})
