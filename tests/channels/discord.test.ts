import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { InboundMessage, JSONValue } from '#plugin-api'
import discord from '../../channels/discord/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import type { FakePlatform } from '../../plugin-api/testing/fake-platform.ts'
import t, { type Test } from '../run/file-test.ts'
import { startFakeDiscord } from '../support/fake-discord.ts'
import {
  ARCHIVED_THREAD,
  BLOCKED_WORD,
  BOT,
  BOT_ROLE,
  CHANNELS,
  CLOSED_CHANNEL,
  GUILD_ID,
  LOCKED_THREAD,
  OTHER_ROLE,
  person,
} from '../support/fake-discord-world.ts'
import { builtInChannel } from '../support/kit.ts'
import { openChannel, settingsFor } from '../support/open-channel.ts'
import { createIdleLink, findClosedPort, until } from './channel-calls.ts'

const DIRECT = { channel_id: CHANNELS.direct }
const GROUP = { channel_id: CHANNELS.group }
const KEY = '01JZ0000000000000000000000'
const soon = () => AbortSignal.timeout(40_000)

async function start(t: Test) {
  const platform = await startFakeDiscord()
  t.teardown(async () => {
    await platform.close()
    if (platform.violations.length > 0) throw new Error(platform.violations.join(', '))
  })
  return platform
}

const failure = (reason: string, more: object = {}) => ({ name: 'ChannelFailure', reason, ...more })

// All at once, because some wait for what takes its time on Discord.
t.jobs = 8

let keys = 0
const message = (text: string, more: object = {}) => ({
  text,
  key: String(++keys).padStart(26, '0'),
  ...more,
})

t.test('has the form of a channel kind, and finds the account in the token', async (t) => {
  const { config } = await start(t)
  // The checks that the gateway's registry makes for the kind of a plugin.
  const { assertChannelKind } = await import('../../plugins/reach/channels/config/kinds.ts')
  t.equal(assertChannelKind(discord).kind, 'discord')
  t.equal(discord.identity?.(config), BOT.id)
  t.equal(discord.identity?.({}), undefined)
  t.equal(discord.identity?.({ bot_token: 'something else' }), undefined)
  t.throws(() => discord.check?.({ bot_token: 'a token\nwith a line' }), failure('invalid_credentials'))
})

t.test('probe tells what is wrong', async (t) => {
  const platform = await start(t)
  const probe = (config = platform.config, signal = soon()) =>
    discord.probe(settingsFor(discord, platform, config), signal)
  await probe()
  t.equal(platform.gateway.counts.identified, 0, 'without a session')
  await t.rejects(probe(platform.wrong_config), failure('invalid_credentials'))

  platform.troubles.flags = 0
  await t.rejects(probe(), failure('forbidden', { message: /Message Content intent/ }))

  platform.silence(true)
  await t.rejects(probe(platform.config, AbortSignal.timeout(100)), failure('timeout'))
  const abort = new AbortController()
  const probing = probe(platform.config, abort.signal)
  abort.abort(new Error('not wanted any more'))
  await t.rejects(probing, { message: 'not wanted any more' })

  const settings = settingsFor(discord, platform)
  const endpoints = { api: `http://127.0.0.1:${await findClosedPort()}/api` }
  await t.rejects(
    discord.probe({ ...settings, endpoints }, soon()),
    failure('unreachable', { message: 'Discord cannot be reached (ECONNREFUSED).' }),
  )
})

t.test('a request ends by itself where Discord does not answer', async (t) => {
  const platform = await start(t)
  const { createApi } = await import('../../channels/discord/api.ts')
  const api = await createApi(
    { ...settingsFor(discord, platform), config: { bot_token: String(platform.config.bot_token) } },
    undefined,
    50,
  )
  t.teardown(api.close)
  platform.silence(true)
  await t.rejects(api.call({ method: 'get', path: '/users/@me' }), failure('timeout'))
})

t.test('open tells what is wrong', async (t) => {
  const platform = await start(t)
  const open = (config = platform.config) => openChannel(t, discord, platform, { config })
  await t.rejects(open(platform.wrong_config), failure('invalid_credentials'))

  platform.troubles.sessionsLeft = 0
  await t.rejects(open(), failure('rate_limited', { retry_after_ms: 3_600_000 }))
  platform.troubles.sessionsLeft = 1000

  platform.troubles.gatewayUrl = `ws://127.0.0.1:${await findClosedPort()}/gateway`
  await t.rejects(open(), failure('unreachable', { message: /ECONNREFUSED/ }))
  platform.troubles.gatewayUrl = 'ws://10.0.0.1/gateway'
  await t.rejects(open(), { code: 'ADDRESS_NOT_ALLOWED' })
  delete platform.troubles.gatewayUrl

  platform.gateway.forbidContent()
  await t.rejects(open(), failure('forbidden', { message: /Message Content intent/ }))
  t.equal(platform.connections(), 0)
})

t.test('a message to the bot alone, with everything in it', async (t) => {
  const platform = await start(t)
  const { received } = await openChannel(t, discord, platform)
  const bytes = new TextEncoder().encode('a,b\n')
  const file = { filename: 'table ä.csv', media_type: 'text/csv', bytes }
  const id = await platform.say({
    text: ' Look  at this\n',
    sent_at: 1_753_000_000_123,
    file,
    quote: 'Which?',
  })
  const [inbound] = received
  t.match(inbound, {
    id,
    conversation: { id: CHANNELS.direct, type: 'direct' },
    sender: { id: 'ann', name: 'ann' },
    text: 'Look  at this',
    mentioned: true,
    sent_at: 1_753_000_000_123,
    quote: { text: 'Which?', sender: 'ben' },
    files: [{ filename: 'table ä.csv', media_type: 'text/csv', size: 4 }],
    target: DIRECT,
  })
  t.equal(inbound!.files!.length, 1)

  await platform.redeliver(id)
  t.equal(received.length, 2)
  t.same(received[1], inbound, 'the same when it is delivered again')
})

t.test('a message in a group', async (t) => {
  const platform = await start(t)
  const { received } = await openChannel(t, discord, platform)
  const hear = async (fields: object) => {
    await platform.write({ ...GROUP, ...fields })
    return received.pop()
  }
  await platform.say({ text: 'what is new?', place: 'group', sender: 'ben' })
  t.match(received.pop(), {
    conversation: { id: CHANNELS.group, type: 'group' },
    sender: { id: 'ben', name: 'ben' },
    text: 'what is new?',
    mentioned: true,
    target: GROUP,
  })
  await platform.say({ text: 'among ourselves', place: 'group', mention: false })
  t.match(received.pop(), { text: 'among ourselves', mentioned: false })

  const mentions = [BOT, { ...person('ben'), member: { nick: 'Benny' } }, person('cleo')]
  const content = `Hey <@!${BOT.id}>, ask <@ben> or <@!cleo> or <@nobody> <@${BOT.id}>`
  t.match(await hear({ content, mentions }), {
    text: 'Hey , ask @Benny or @cleo or <@nobody>',
    mentioned: true,
  })

  const role = { content: `<@&${BOT_ROLE}> all of you`, mention_roles: [BOT_ROLE] }
  t.match(await hear(role), { text: 'all of you', mentioned: true }, 'by the role of the bot')
  const other = { content: `<@&${OTHER_ROLE}> all of you`, mention_roles: [OTHER_ROLE] }
  t.match(await hear(other), { text: '@cooks all of you', mentioned: false }, 'by another role')
  platform.gateway.dispatch('GUILD_MEMBER_UPDATE', {
    guild_id: GUILD_ID,
    user: BOT,
    roles: [OTHER_ROLE],
  })
  t.match(await hear(other), { text: '@cooks all of you', mentioned: true }, 'which it is given later')

  const referenced_message = { author: BOT, content: 'It is done.', mentions: [] }
  const reply = await hear({ type: 19, content: 'Thanks', referenced_message } as object)
  t.match(reply, { mentioned: true, quote: { text: 'It is done.', sender: 'helper' } })

  t.match(await hear({ content: 'x', member: { nick: 'Annie' } }), { sender: { id: 'ann', name: 'Annie' } })
})

t.test('only the mention of the bot is removed, and other marks become what people see', async (t) => {
  const platform = await start(t)
  const { received } = await openChannel(t, discord, platform)
  const textOf = async (content: string, mentions: unknown[] = [BOT]) => {
    await platform.write({ ...GROUP, content, mentions, mention_roles: [] })
    return received.pop()?.text
  }
  t.equal(await textOf(`<@${BOT.id}> @Override means what?`), '@Override means what?')
  t.equal(await textOf(`<@${BOT.id}>@types/node`), '@types/node')
  t.equal(await textOf(`@helper, <@!${BOT.id}>`), '@helper,')
  t.equal(await textOf(`<@&${OTHER_ROLE}> <@&17> <#${CHANNELS.group}> <#17>`), '@cooks <@&17> #kitchen <#17>')
  t.equal(
    await textOf('</ask:17> <:wave:17><a:party:18> <t:1700000000:R>'),
    '/ask :wave::party: 2023-11-14T22:13:20.000Z',
  )
  platform.gateway.dispatch('GUILD_ROLE_UPDATE', {
    guild_id: GUILD_ID,
    role: { id: OTHER_ROLE, name: 'chefs' },
  })
  platform.gateway.dispatch('THREAD_CREATE', { guild_id: GUILD_ID, id: '17', name: 'soups' })
  t.equal(await textOf(`<@&${OTHER_ROLE}> <#17>`), '@chefs #soups')

  await platform.write({ ...GROUP, content: `<@${BOT.id}>`, mentions: [BOT] })
  const [alone] = received
  t.match(alone, { text: '', mentioned: true })
  t.notOk(alone!.unreadable, 'a mention alone is understood')
})

t.test('what is not text is described', async (t) => {
  const platform = await start(t)
  const { received } = await openChannel(t, discord, platform)
  const hear = async (fields: object) => {
    await platform.write(fields)
    return received.pop()!
  }
  t.equal(
    (await hear({ sticker_items: [{ id: '1', name: 'Wave', format_type: 1 }] })).text,
    '[sticker: Wave]',
  )
  const poll = {
    question: { text: 'Lunch?' },
    answers: [{ poll_media: { text: 'Soup' } }, { poll_media: { emoji: { name: '🍕' } } }],
  }
  t.equal((await hear({ poll })).text, '[poll: Lunch? Soup / 🍕]')
  const embeds = [
    {
      author: { name: 'Monitor' },
      title: 'Down',
      url: 'https://a.example/1',
      description: 'The site is down.',
      fields: [{ name: 'Since', value: 'noon' }],
      footer: { text: 'v2' },
    },
  ]
  const described = 'Monitor\n[Down](https://a.example/1)\nThe site is down.\nSince: noon\nv2'
  t.equal((await hear({ embeds })).text, described)
  t.equal((await hear({ content: 'see https://a.example/1', embeds })).text, 'see https://a.example/1')
  const components = [
    {
      type: 17,
      components: [
        { type: 10, content: '# Report' },
        { type: 9, components: [{ type: 10, content: 'fine' }] },
      ],
    },
    { type: 1, components: [{ type: 2, label: 'Open', style: 5 }] },
  ]
  t.equal((await hear({ components })).text, '# Report\nfine\n[Open]')
  t.match(await hear({ activity: { type: 3 } }), { text: '[invitation to an activity]' })
  t.match(await hear({}), { text: '', unreadable: 'message' })
})

t.test('the files and the content of quoted and forwarded messages come along', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, discord, platform)
  const hear = async (fields: object) => {
    await platform.write(fields)
    return received.pop()!
  }
  const bytes = new TextEncoder().encode('all of it')
  const attachment = platform.host({ filename: 'plan.txt', media_type: 'text/plain', bytes })
  const load = async (reference: JSONValue) => {
    const content = await connection.download!(reference, soon())
    return (await buffer(content.bytes)).toString()
  }

  const id = await platform.write({ content: '', attachments: [attachment], author: person('ben') })
  const referenced_message = { ...platform.messageOf(id), content: '' }
  const reply = await hear({ type: 19, content: 'what is in it?', referenced_message })
  t.match(reply, {
    text: 'what is in it?',
    quote: { text: '', sender: 'ben', files: [{ filename: 'plan.txt' }] },
  })
  t.equal(reply.quote!.files!.length, 1)
  t.equal(await load(reply.quote!.files![0]!.reference), 'all of it')

  const copy = { content: 'look', attachments: [attachment], embeds: [], mentions: [], sticker_items: [] }
  const forward = await hear({ message_snapshots: [{ message: copy }] })
  t.match(forward, {
    text: '',
    quote: { text: 'look', is_forwarded: true, files: [{ filename: 'plan.txt' }] },
  })
  t.notOk(forward.unreadable)
  platform.expireFiles()
  t.equal(await load(forward.quote!.files![0]!.reference), 'all of it', 'also when the address has expired')
  const picture = await hear({ message_snapshots: [{ message: { ...copy, content: '' } }] })
  t.match(picture.quote, { text: '', files: [{ filename: 'plan.txt' }] })
  const sticker = { ...copy, content: '', attachments: [], sticker_items: [{ name: 'Wave' }] }
  t.equal((await hear({ message_snapshots: [{ message: sticker }] })).quote?.text, '[sticker: Wave]')

  const forwarded = platform.messageOf(forward.id)
  t.match(await hear({ type: 19, content: 'and this?', referenced_message: forwarded }), {
    quote: { text: 'look', sender: 'ann', files: [{ filename: 'plan.txt' }] },
  })
  t.notOk((await hear({ type: 19, content: 'gone?', referenced_message: null })).quote)

  const mention = await hear({
    ...GROUP,
    type: 19,
    content: `<@${BOT.id}>`,
    mentions: [BOT],
    referenced_message: { ...platform.messageOf(id), content: 'How deep is it?' },
  })
  t.match(mention, { text: '', mentioned: true, quote: { text: 'How deep is it?' } })
  t.match(await hear({ ...GROUP, attachments: [attachment] }), { mentioned: false, files: [{}] })
})

t.test('the message from which a thread was begun is known in the thread', async (t) => {
  const platform = await start(t)
  const { received } = await openChannel(t, discord, platform)
  const starter = { ...person('ben'), id: 'ben' }
  const begin = async (referenced_message: object) => {
    await platform.write({ ...GROUP, type: 21, content: '', referenced_message } as object)
    return received.pop()
  }
  const written = {
    id: '1',
    ...GROUP,
    author: starter,
    content: 'Where is it?',
    mentions: [],
    attachments: [],
  }
  t.match(await begin(written), { text: 'Where is it?', sender: { id: 'ben' }, mentioned: false })
  t.equal(await begin({ ...written, author: BOT }), undefined, 'unless a bot wrote it')
  t.equal(await begin({ ...written, content: '' }), undefined)
})

t.test('what no person says is not received', async (t) => {
  const platform = await start(t)
  const { received } = await openChannel(t, discord, platform)
  await platform.write({ content: 'I am one too', author: { ...person('robot'), bot: true } })
  await platform.write({ content: 'I am Discord', author: { ...person('discord'), system: true } as never })
  await platform.write({ content: 'I am a hook', webhook_id: '17' })
  await platform.write({ content: 'Ann has joined', type: 7 })
  await platform.write({ content: 'but this' })
  t.same(
    received.map(({ text }) => text),
    ['but this'],
  )
})

t.test('files come and go', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, discord, platform)
  const bytes = new Uint8Array(200_000).map((_, index) => index % 251)
  await platform.say({ text: '', file: { filename: 'photo.jpg', media_type: 'image/jpeg', bytes } })
  const { reference } = received[0]!.files![0]!
  const content = await connection.download!(reference, soon())
  t.equal(content.media_type, 'image/jpeg')
  t.ok(Buffer.from(bytes).equals(await buffer(content.bytes)))

  platform.expireFiles()
  const again = await connection.download!(reference, soon())
  t.ok(Buffer.from(bytes).equals(await buffer(again.bytes)), 'also when the address has expired')
  const gone = {
    ...(reference as object),
    attachment_id: '1',
    url: `${platform.endpoints.api}/attachments/0/x`,
  }
  await t.rejects(connection.download!(gone, soon()), failure('not_found'))

  const file = {
    filename: 'report ü.txt',
    media_type: 'text/plain',
    bytes: Buffer.from('all well'),
    key: KEY,
  }
  await connection.sendFile!(DIRECT, file, soon())
  await connection.sendFile!(DIRECT, file, soon())
  const [shown, ...more] = platform.shown('direct')
  t.equal(more.length, 0, 'once with one key')
  t.match(shown!.file, { filename: 'report ü.txt', media_type: 'text/plain' })
  t.equal(Buffer.from(shown!.file!.bytes).toString(), 'all well')
})

t.test('messages are sent, once with one key', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, discord, platform)
  const said = message('**Done**, @everyone')
  const sent = await connection.send(GROUP, said, soon())
  t.same(await connection.send(GROUP, said, soon()), sent)
  t.match(platform.shown('group'), [{ text: '**Done**, @everyone', buttons: [] }])
  t.equal(platform.shown().length, 1)

  await connection.send(DIRECT, message('x'.repeat(2_000)), soon())
  await connection.typing!(DIRECT, soon())
  t.equal(platform.typings(), 1)
})

t.test('failures of sending have their reasons', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, discord, platform)
  const send = (target: JSONValue, text = 'hello') => connection.send(target, message(text), soon())
  await t.rejects(send({ channel_id: CLOSED_CHANNEL }), failure('forbidden'))
  await t.rejects(send({ channel_id: '1299999999999999999' }), failure('not_found'))
  const lost = { ...DIRECT, message_id: '1' }
  await t.rejects(connection.settle!(DIRECT, lost, 'over', soon()), failure('not_found'))

  platform.limitRate(1, 0.3)
  await t.rejects(send(DIRECT), failure('rate_limited', { retry_after_ms: 300 }))
  t.equal(platform.shown().length, 0)
  await send(DIRECT)
  Object.assign(platform.troubles.limited, { calls: 1, seconds: 0.2, isGlobal: true })
  await t.rejects(send(DIRECT), failure('rate_limited', { retry_after_ms: 200 }))
  await delay(250)

  platform.fail(2)
  const said = message('whether it arrived?')
  await t.rejects(connection.send(DIRECT, said, soon()), failure('unreachable', { message: /503/ }))
  await t.rejects(connection.send(DIRECT, said, soon()), failure('unreachable'))
  await connection.send(DIRECT, said, soon())
  t.equal(platform.shown().filter(({ text }) => text === said.text).length, 1)

  const abort = new AbortController()
  platform.silence(true)
  const sending = connection.send(DIRECT, message('never mind'), abort.signal)
  abort.abort(new Error('stopped'))
  await t.rejects(sending, { message: 'stopped' })
  platform.silence(false)

  platform.revoke()
  await t.rejects(send(DIRECT), failure('invalid_credentials'))
  await t.rejects(send(DIRECT), failure('invalid_credentials'), 'each time')
})

t.test('a refusal says if it passes, and if it is about the text', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, discord, platform)
  const send = (text = 'hello') => connection.send(DIRECT, message(text), soon())
  const refuse = (status: number, code: number, words: string, more: object = {}) =>
    platform.troubles.answers.push({ status, body: { code, message: words, ...more } })

  const isAboutText = { is_about_text: true }
  await t.rejects(send('x'.repeat(2_001)), failure('unsupported', { message: /50035/, ...isAboutText }))
  await t.rejects(send(' \n'), failure('unsupported', { message: /empty message, 50006/, ...isAboutText }))
  refuse(400, 50109, 'The request body contains invalid JSON.')
  await t.rejects(send(), failure('unsupported', isAboutText))
  refuse(400, 50035, 'Invalid Form Body', { errors: { components: { 0: { _errors: [{ code: 'X' }] } } } })
  await t.rejects(send(), failure('unknown', { is_about_text: false }))
  await t.rejects(send(`a ${BLOCKED_WORD}`), failure('unsupported', { message: /AutoMod/, code: 200000 }))

  for (const [status, code, words, reason] of [
    [400, 240000, 'Message blocked by harmful links filter', 'unsupported'],
    [403, 50007, 'Cannot send messages to this user', 'forbidden'],
    [403, 50278, 'Cannot send messages to this user due to having no mutual guilds', 'forbidden'],
    [403, 50001, 'Missing Access', 'forbidden'],
    [403, 160005, 'Thread is locked', 'forbidden'],
    [404, 10004, 'Unknown Guild', 'not_found'],
    [404, 10062, 'Unknown interaction', 'not_found'],
    [400, 40060, 'Interaction has already been acknowledged', 'not_found'],
    [401, 50027, 'Invalid Webhook Token', 'not_found'],
    [401, 50014, 'Invalid authentication token', 'invalid_credentials'],
    [401, 40001, 'Unauthorized', 'invalid_credentials'],
    [400, 30046, 'Maximum number of edits to messages older than 1 hour reached.', 'forbidden'],
    [400, 50008, 'Cannot send messages in a non-text channel', 'unsupported'],
    [413, 40005, 'Request entity too large', 'unsupported'],
    [400, 40004, 'Send messages has been temporarily disabled', 'unreachable'],
    [400, 130000, 'API resource is currently overloaded. Try again a little later', 'unreachable'],
    [400, 40062, 'Service resource is being rate limited', 'rate_limited'],
    [400, 99999, 'Something that nobody has heard of', 'unknown'],
    [403, 99999, 'Something that nobody has heard of', 'forbidden'],
    [404, 99999, 'Something that nobody has heard of', 'not_found'],
    [451, 0, 'Unavailable', 'unknown'],
  ] as const) {
    refuse(status, code, words)
    await t.rejects(send(), failure(reason, { is_about_text: false }), words)
  }
  refuse(400, 99999, 'Something that nobody has heard of')
  await t.rejects(send(), { message: /heard of, 99999/ }, 'in the words of Discord')
  refuse(400, 99999, `Something with ${'x'.repeat(40)}`)
  await t.rejects(send(), { message: /^Discord refused a request \(99999\)\.$/ }, 'if they are words')
})

t.test('a rate limit has its duration, wherever it is written', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, discord, platform)
  const { answers } = platform.troubles
  const send = () => connection.send(DIRECT, message('hello'), soon())
  answers.push({ status: 429, body: { code: 20028, message: 'The write action …', retry_after: 0.25 } })
  await t.rejects(send(), failure('rate_limited', { retry_after_ms: 250 }))
  answers.push({ status: 429, body: { message: 'You are being blocked', global: true } })
  await t.rejects(send(), failure('rate_limited', { retry_after_ms: undefined }))
  answers.push({ status: 429 })
  await t.rejects(send(), failure('rate_limited', { retry_after_ms: undefined }))
  const banned = '<html><title>Access denied</title>error code: 1015</html>'
  answers.push({ status: 429, body: banned, headers: { 'retry-after': '600' } })
  await t.rejects(send(), failure('rate_limited', { retry_after_ms: 600_000 }))
  answers.push({ status: 429, body: banned })
  await t.rejects(send(), failure('rate_limited', { retry_after_ms: undefined }))
  await send()
})

t.test('an answer of another server is not taken for one of Discord', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, discord, platform)
  const send = () => connection.send(DIRECT, message('hello'), soon())
  for (const [status, reason] of [
    [200, 'unknown'],
    [403, 'unknown'],
    [404, 'unknown'],
    [413, 'unsupported'],
    [502, 'unreachable'],
    [504, 'timeout'],
  ] as const) {
    platform.troubles.answers.push({ status, body: '<h1>A page</h1>' })
    await t.rejects(send(), failure(reason), String(status))
  }
  platform.troubles.answers.push({
    status: 200,
    body: '{"id":',
    headers: { 'content-type': 'application/json' },
  })
  await t.rejects(send(), failure('unknown', { message: /could not be read/ }))
  t.equal(((await send()) as { message_id: string }).message_id, platform.shown()[0]!.id)
})

t.test('an archived thread is opened for an answer, unless it is locked', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, discord, platform)
  const thread = { channel_id: ARCHIVED_THREAD }
  const sent = await connection.send(thread, message('in the thread'), soon())
  platform.archive(ARCHIVED_THREAD)
  await connection.settle!(thread, sent, 'changed in the thread', soon())
  t.match(platform.shown(), [{ text: 'changed in the thread', history: ['in the thread'] }])
  await t.rejects(
    connection.send({ channel_id: LOCKED_THREAD }, message('hello'), soon()),
    failure('forbidden', { code: 50083 }),
  )
})

t.test('half a character does not keep a text from being sent', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, discord, platform)
  const buttons = [{ label: `${'x'.repeat(79)}😀`, value: 'yes', style: 'primary' as const }]
  const sent = await connection.send(DIRECT, message('half \ud83d', { buttons }), soon())
  t.match(platform.shown(), [{ text: 'half \ufffd', buttons: [`${'x'.repeat(79)}\ufffd`] }])
  await connection.settle!(DIRECT, sent, 'still half \ud83d', soon())
  const live = await connection.live!(DIRECT, message('grows \ud83d'), soon())
  await live.finish('grows 😀', soon())
  t.match(platform.shown(), [{ text: 'still half \ufffd' }, { text: 'grows 😀', history: ['grows \ufffd'] }])
})

t.test('a live message grows, and goes on in another process', async (t) => {
  const platform = await start(t)
  const first = await openChannel(t, discord, platform)
  const begin = message('One')
  const live = await first.connection.live!(DIRECT, begin, soon())
  await live.update('One', soon())
  await live.update('One, two', soon())
  const reference = JSON.parse(JSON.stringify(live.reference))
  await first.close()

  const second = await openChannel(t, discord, platform)
  t.same((await second.connection.live!(DIRECT, begin, soon())).reference, reference, 'not begun twice')
  const resumed = await second.connection.live!(DIRECT, message('One'), soon(), reference)
  await resumed.finish('One, two, three', soon())
  await resumed.finish('One, two, three', soon())
  t.match(platform.shown(), [{ text: 'One, two, three', history: ['One', 'One, two'] }])
  t.equal(platform.shown().length, 1)
})

t.test('buttons', async (t) => {
  const platform = await start(t)
  let isBroken = false
  const { connection, presses, logged } = await openChannel(t, discord, platform, {
    outcomeOf: ({ value }) => {
      if (isBroken) throw new Error('no')
      return value === 'yes:1'
        ? { notice: 'approved', text: '~~May I?~~ Approved.' }
        : { notice: 'not yours' }
    },
  })
  const buttons = [
    { label: 'Approve', value: 'yes:1', style: 'primary' as const },
    { label: 'Reject', value: 'no:1', style: 'danger' as const },
    { label: 'Explain', value: 'why:1', style: 'default' as const },
  ]
  const sent = (await connection.send(GROUP, message('May I?', { buttons }), soon())) as {
    message_id: string
  }
  t.match(platform.shown('group'), [{ buttons: ['Approve', 'Reject', 'Explain'] }])
  t.equal(await platform.press(sent.message_id, 'Reject', 'ben'), 'not yours')
  t.same(presses, [{ value: 'no:1', sender: { id: 'ben', name: 'ben' }, conversation_id: CHANNELS.group }])
  t.match(platform.shown('group'), [{ text: 'May I?', buttons: ['Approve', 'Reject', 'Explain'] }])
  t.equal(await platform.press(sent.message_id, 'Approve'), '~~May I?~~ Approved.')
  t.match(platform.shown('group'), [{ text: '~~May I?~~ Approved.', buttons: [] }])

  const other = (await connection.send(DIRECT, message('And this?', { buttons }), soon())) as {
    message_id: string
  }
  isBroken = true
  void platform.press(other.message_id, 'Explain')
  await until(() => /could not be answered/.test(logged()), 'the press that failed')
  t.match(presses.at(-1), { value: 'why:1', sender: { id: 'ann' }, conversation_id: CHANNELS.direct })
  await connection.settle!(DIRECT, other as JSONValue, 'Expired.', soon())
  t.match(platform.shown('direct'), [{ text: 'Expired.', buttons: [] }])
})

t.test('bad frames do no harm', async (t) => {
  const platform = await start(t)
  const { received, states, logged } = await openChannel(t, discord, platform)
  for (const frame of ['', 'no JSON', '[]', '17', 'null', '{"op":99}', '{"op":0,"t":"READY"}', '{"op":9}'])
    platform.gateway.sendRaw(frame)
  platform.gateway.sendRaw(new Uint8Array([1, 2, 3]))
  platform.gateway.dispatch('MESSAGE_CREATE', { guild_id: '1', mentions: [] })
  platform.gateway.dispatch('GUILD_CREATE', {})
  platform.gateway.dispatch('GUILD_DELETE', {})
  platform.gateway.dispatch('INTERACTION_CREATE', { id: '1', type: 3 })
  platform.gateway.dispatch('NEVER_HEARD_OF', { id: '1' })
  await platform.say({ text: 'still there?' })
  t.same(
    received.map(({ text }) => text),
    ['still there?'],
  )
  t.same(states, [])
  t.match(logged(), /unreadable/)
})

t.test('a message need not wait for the one before', async (t) => {
  const platform = await start(t)
  let store = () => {}
  const stored = new Promise<void>((resolve) => {
    store = resolve
  })
  const { received } = await openChannel(t, discord, platform, {
    receive: ({ text }) => (text === 'slow' ? stored : Promise.resolve()),
  })
  const slow = platform.say({ text: 'slow' })
  platform.writeUnseen({ content: 'quick' })
  await until(() => received.length === 1, 'the second message')
  t.equal(received[0]!.text, 'quick')
  store()
  await slow
  t.equal(received[1]!.text, 'slow')
})

t.test('a message that could not be stored is delivered again, and not acknowledged before', async (t) => {
  const platform = await start(t)
  const tried: InboundMessage[] = []
  let isAcknowledged = false
  const { connection, received, presses, states, logged } = await openChannel(t, discord, platform, {
    async receive(inbound) {
      tried.push(inbound)
      t.equal(isAcknowledged, false)
      if (tried.length < 2) throw new Error('the database is unavailable')
    },
  })
  const buttons = [{ label: 'Go', value: 'go', style: 'primary' as const }]
  const sent = (await connection.send(DIRECT, message('Go?', { buttons }), soon())) as {
    message_id: string
  }
  const said = platform.say({ text: 'hold this' }).then((id) => {
    isAcknowledged = true
    return id
  })
  await until(() => tried.length === 1, 'the first delivery')
  await platform.press(sent.message_id, 'Go')
  const id = await said
  t.equal(presses.length, 1, 'a press that is delivered twice counts once')
  t.same(
    tried.map((one) => one.id),
    [id, id],
  )
  t.same(
    received.map((one) => one.id),
    [id],
  )
  t.same(states, ['connecting', 'connected'])
  t.equal(platform.gateway.counts.resumed, 1)
  t.match(logged(), /requested again/)
})

t.test('a button is answered in time where the decision takes longer', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, slowly(), platform)
  const buttons = [
    { label: 'Approve', value: 'yes', style: 'primary' as const },
    { label: 'Reject', value: 'no', style: 'danger' as const },
  ]
  const sent = (await connection.send(DIRECT, message('May I?', { buttons }), soon())) as {
    message_id: string
  }
  const [, notice] = await Promise.all([
    platform.press(sent.message_id, 'Approve'),
    platform.press(sent.message_id, 'Reject'),
  ])
  t.equal(notice, 'too late')
  t.match(platform.shown(), [{ text: 'Approved.', buttons: [] }])
})

t.test('a cut connection comes back and brings what was missed', async (t) => {
  const platform = await start(t)
  const { received, states, connection } = await openChannel(t, discord, platform)
  await platform.say({ text: 'before' })
  platform.drop()
  platform.writeUnseen({ content: 'while away' })
  await platform.say({ text: 'after' })
  t.same(
    received.map(({ text }) => text),
    ['before', 'while away', 'after'],
  )
  t.same(states, ['connecting', 'connected'])

  platform.gateway.sendRaw(JSON.stringify({ op: 7, d: null }))
  await until(() => states.length === 4, 'the bot reconnects on request')
  t.same(states.slice(2), ['connecting', 'connected'])
  platform.gateway.closeWith(4000)
  await until(() => states.length === 6, 'the bot reconnects after an error of the gateway')
  t.same(platform.gateway.counts, { identified: 1, resumed: 3 })
  t.equal(platform.connections(), 1)
  await connection.send(DIRECT, message('still here'), soon())
})

t.test(
  'a connection is replaced whose session is refused or whose heartbeats are not answered',
  async (t) => {
    const platform = await start(t)
    const { states } = await openChannel(t, discord, platform)
    const { gateway } = platform
    gateway.sendRaw(JSON.stringify({ op: 9, d: true }))
    await until(() => states.length === 2, 'the same session')
    t.same(gateway.counts, { identified: 1, resumed: 1 })
    gateway.ignoreHeartbeats(true)
    gateway.sendRaw(JSON.stringify({ op: 7, d: null }))
    await until(() => states.length >= 6, 'a connection after one without an answer')
    gateway.ignoreHeartbeats(false)
    t.equal(gateway.counts.identified, 1)
    gateway.sendRaw(JSON.stringify({ op: 9, d: false }))
    await until(() => gateway.counts.identified === 2, 'another session')
  },
)

t.test(
  'what was written between two sessions is read in the channels where the bot was spoken to',
  async (t) => {
    const platform = await start(t)
    const { received, states } = await openChannel(t, discord, platform)
    await platform.say({ text: 'before', place: 'group' })
    platform.gateway.forget()
    platform.writeUnseen({ ...GROUP, content: 'first', mentions: [BOT] })
    platform.writeUnseen({ ...GROUP, content: 'second' })
    platform.writeUnseen({ content: 'in a channel without earlier messages' })
    platform.drop()
    await until(() => received.length === 3, 'the missed messages')
    t.match(received.slice(1), [
      { text: 'first', mentioned: true, conversation: { id: CHANNELS.group, type: 'group' } },
      { text: 'second', mentioned: false },
    ])
    t.same(states, ['connecting', 'connected'])
    t.equal(platform.gateway.counts.identified, 2)
  },
)

t.test('a connection that cannot come back is lost, once', async (t) => {
  for (const [code, reason] of [
    [4004, 'invalid_credentials'],
    [4011, 'unsupported'],
    [4012, 'unsupported'],
    [4013, 'forbidden'],
    [4014, 'forbidden'],
  ] as const) {
    const platform = await start(t)
    const { states, close } = await openChannel(t, discord, platform)
    platform.gateway.closeWith(code)
    await until(() => states.length > 0, `the end by ${code}`)
    await close()
    t.same(states, [`lost: ${reason}`])
  }
})

t.test('close ends everything, in whatever state', async (t) => {
  const platform = await start(t)
  const open = await openChannel(t, discord, platform)
  platform.silence(true)
  const sending = open.connection.send(DIRECT, message('never answered'), soon())
  const [, outcome] = await Promise.all([open.close(), sending.catch((error) => error)])
  t.type(outcome, Error)
  platform.silence(false)
  t.equal(platform.connections(), 0)

  const away = await openChannel(t, discord, platform)
  platform.drop()
  await until(() => away.states.length > 0, 'the cut')
  await away.close()

  const connecting = await openChannel(t, discord, platform)
  platform.silence(true)
  platform.drop()
  await until(() => platform.gateway.sockets() === 1, 'a socket on which nothing is said')
  await connecting.close()
  await until(() => platform.gateway.sockets() === 0, 'the end of the socket')

  const abort = new AbortController()
  platform.troubles.isSilent = false
  const opening = openWith(platform, abort.signal)
  await until(() => platform.gateway.sockets() === 1, 'a socket on which nothing is said')
  abort.abort(new Error('no longer wanted'))
  await t.rejects(opening, { message: 'no longer wanted' })
  await until(() => platform.gateway.sockets() === 0, 'the end of the socket')
  platform.silence(false)
  t.equal(platform.gateway.counts.identified, 3)
})

t.test('no secret is logged or thrown', async (t) => {
  const platform = await start(t)
  const thrown: unknown[] = []
  const note = (work: Promise<unknown>) => work.catch((error) => void thrown.push(error))
  await note(discord.probe(settingsFor(discord, platform, platform.wrong_config), soon()))
  await note(openChannel(t, discord, platform, { config: platform.wrong_config }))

  const { connection, logged, states } = await openChannel(t, discord, platform, {
    outcomeOf: () => ({ notice: 'x'.repeat(3_000) }),
    async receive() {
      throw new Error('the database is unavailable')
    },
  })
  const buttons = [{ label: 'Go', value: 'go', style: 'primary' as const }]
  const sent = (await connection.send(DIRECT, message('Go?', { buttons }), soon())) as { message_id: string }
  void platform.press(sent.message_id, 'Go')
  await until(() => /could not be answered/.test(logged()), 'the notice that is too long')
  platform.fail(2)
  await note(connection.send(DIRECT, message('a'), soon()))
  await note(connection.send(DIRECT, message('b'), soon()))
  platform.limitRate(1, 0.01)
  await note(connection.send(DIRECT, message('c'), soon()))
  const reference = { url: `${platform.endpoints.api}/attachments/1?hm=${platform.secrets().at(-1)}` }
  await note(connection.download!({ ...reference, ...DIRECT, message_id: '1', attachment_id: '1' }, soon()))
  platform.gateway.sendRaw('{"op":0,"t":"READY"}')
  platform.writeUnseen({ content: 'for the log' })
  await until(() => /requested again/.test(logged()), 'the message that is not stored')
  platform.revoke()
  await note(connection.send(DIRECT, message('d'), soon()))
  platform.drop()
  await until(() => states.includes('lost: invalid_credentials'), 'the end of the session')
  t.equal(thrown.length, 7)
  const seen = logged() + thrown.map((error) => inspect(error, { depth: 9, showHidden: true })).join('')
  for (const secret of platform.secrets()) t.notOk(seen.includes(secret), 'the secret is nowhere')
})

/** The kind, with a gateway that decides late. */
function slowly(): typeof discord {
  return {
    ...discord,
    open: (settings, link) =>
      discord.open(settings, {
        ...link,
        async press(press) {
          await link.press(press)
          await delay(1_600)
          return press.value === 'yes' ? { notice: 'approved', text: 'Approved.' } : { notice: 'too late' }
        },
      }),
  }
}

const openWith = (platform: FakePlatform, signal: AbortSignal) =>
  discord.open(settingsFor(discord, platform), createIdleLink(signal))

testChannelKind({ kind: discord, startFake: startFakeDiscord, ...builtInChannel(t) })
