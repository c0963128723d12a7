import { createServer } from 'node:http'
import { createServer as createTCPServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import pino from 'pino'
import type { ChannelKind, InboundMessage, JSONValue } from '#plugin-api'
import slack, { createSlackKind } from '../../channels/slack/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import t, { type Test } from '../run/file-test.ts'
import { type FakeSlack, startFakeSlack } from '../support/fake-slack.ts'
import { builtInChannel } from '../support/kit.ts'
import { noCursor, openChannel, settingsFor } from '../support/open-channel.ts'
import { failureOf, never, until } from './channel-calls.ts'

const KEY = '01J00000000000000000000001'
const OTHER_KEY = '01J00000000000000000000002'

async function start(t: Test): Promise<FakeSlack> {
  const platform = await startFakeSlack()
  t.teardown(platform.close)
  return platform
}

/** Waits until something is so. */
const message = (text: string, more: object = {}) => ({ text, key: KEY, ...more })

/** Sends a message as a person and returns the message that the channel received. */
async function hear(
  platform: FakeSlack,
  received: InboundMessage[],
  saying: Parameters<FakeSlack['say']>[0],
): Promise<InboundMessage> {
  const receivedBefore = received.length
  await platform.say(saying)
  return received[receivedBefore]!
}

/** The kind, with a log that shows errors as the server's does. */
function withLog(): { kind: ChannelKind; logged(): string } {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const log = pino({ level: 'trace', serializers: { error: pino.stdSerializers.err } }, { write })
  const kind: ChannelKind = { ...slack, open: (settings, link) => slack.open(settings, { ...link, log }) }
  return { kind, logged: () => lines.join('') }
}

/** Everything that an error shows. */
function showing(error: unknown): string {
  const { name, message, stack, cause, ...fields } = error as Error
  return [name, message, stack, JSON.stringify(fields), cause ? showing(cause) : ''].join('\n')
}

t.test('credentials', async (t) => {
  const platform = await start(t)
  const { bot_token, app_token } = platform.config as Record<string, string>
  const probe = (config: Record<string, unknown>) => slack.probe(settingsFor(slack, platform, config), never)
  const unchecked = (config: Record<string, unknown>) =>
    slack.probe({ ...settingsFor(slack, platform), config }, never)

  await t.resolves(probe(platform.config))
  t.equal(platform.connections(), 0, 'a probe does not connect')
  t.match(await failureOf(probe(platform.wrong_config)), {
    reason: 'invalid_credentials',
    message: /bot_token/,
  })
  t.match(await failureOf(probe({ bot_token, app_token: platform.wrong_config.app_token })), {
    reason: 'invalid_credentials',
    message: /app_token/,
  })
  t.match(await failureOf(openChannel(t, slack, platform, { config: platform.wrong_config })), {
    reason: 'invalid_credentials',
  })
  const onlyBotIsRight = { bot_token, app_token: platform.wrong_config.app_token }
  t.match(await failureOf(openChannel(t, slack, platform, { config: onlyBotIsRight })), {
    reason: 'invalid_credentials',
    message: /app_token/,
  })

  const swapped = { bot_token: app_token, app_token: bot_token }
  t.throws(() => slack.check?.(swapped), { reason: 'invalid_credentials', message: /swapped/ })
  t.throws(() => slack.check?.({ bot_token, app_token: bot_token }), { message: /app_token.*xapp-/ })
  t.doesNotThrow(() => slack.check?.(platform.config))
  t.match(await failureOf(unchecked(swapped)), {
    reason: 'invalid_credentials',
    message: /bot_token.*swapped/,
  })
  t.match(await failureOf(unchecked({ bot_token, app_token: bot_token })), {
    reason: 'invalid_credentials',
    message: /app_token.*swapped/,
  })

  for (const error of ['account_inactive', 'token_revoked', 'not_authed']) {
    platform.refuse('auth.test', { body: { ok: false, error } })
    t.match(await failureOf(probe(platform.config)), { reason: 'invalid_credentials' }, error)
  }
  platform.scopes.splice(0, 1)
  t.match(await failureOf(probe(platform.config)), { reason: 'forbidden', message: /chat:write/ })

  t.equal(slack.identity?.(platform.config), 'A0FAKE')
  const hash = slack.identity?.({ bot_token, app_token: 'odd' })
  t.match(hash, /^[\da-f]{32}$/)
  t.notOk(bot_token?.includes(hash!))
  t.equal(slack.identity?.({}), undefined)
})

t.test('why Slack cannot be used', async (t) => {
  const platform = await start(t)
  const probe = (kind = slack) => kind.probe(settingsFor(kind, platform), never)
  const refusedWith = async (body: Parameters<FakeSlack['refuse']>[1]) => {
    platform.refuse('apps.connections.open', body)
    return failureOf(probe())
  }

  t.match(await refusedWith({ body: { ok: false, error: 'missing_scope', needed: 'connections:write' } }), {
    reason: 'forbidden',
    message: /connections:write/,
  })
  t.match(await refusedWith({ status: 429, retryAfter: 7, body: '' }), {
    reason: 'rate_limited',
    retry_after_ms: 7000,
  })
  t.match(await refusedWith({ retryAfter: 3, body: { ok: false, error: 'ratelimited' } }), {
    reason: 'rate_limited',
    retry_after_ms: 3000,
  })
  t.match(await refusedWith({ status: 429, body: '' }), { reason: 'rate_limited', retry_after_ms: undefined })
  t.match(await refusedWith({ status: 502, body: 'bad gateway' }), { reason: 'unreachable' })
  t.match(await refusedWith({ body: { ok: false, error: 'internal_error' } }), { reason: 'unreachable' })
  t.match(await refusedWith({ body: { ok: false, error: 'team_is_on_the_moon' } }), {
    reason: 'unknown',
    message: /team_is_on_the_moon/,
  })
  const page = await refusedWith({ body: '<html>a proxy</html>' })
  t.equal(page.reason, 'unknown')
  t.notMatch(page.message, /proxy/)

  const quick = createSlackKind({ requestMs: 200 })
  platform.mute('socket')
  t.match(await failureOf(openChannel(t, quick, platform)), { reason: 'timeout' }, 'no hello')
  platform.mute('api')
  t.match(await failureOf(probe(quick)), { reason: 'timeout' })
  t.match(await failureOf(openChannel(t, quick, platform)), { reason: 'timeout' })

  await platform.close()
  t.match(await failureOf(probe()), { reason: 'unreachable', message: /ECONNREFUSED/ })
  t.match(await failureOf(openChannel(t, slack, platform)), { reason: 'unreachable' })
  const abort = AbortSignal.abort(new Error('enough'))
  t.match(await failureOf(slack.probe(settingsFor(slack, platform), abort)), { message: 'enough' })
})

t.test('a private address is not connected to, whatever Slack says', async (t) => {
  const platform = await start(t)
  const stranger = createServer()
  let connections = 0
  stranger.on('connection', () => connections++)
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.2', resolve))
  t.teardown(() => void stranger.close())
  const { port } = stranger.address() as { port: number }
  platform.refuse('apps.connections.open', {
    body: { ok: true, url: `ws://127.0.0.2:${port}/link` } as never,
  })
  await failureOf(openChannel(t, slack, platform))
  t.equal(connections, 0)
})

t.test('what people write', async (t) => {
  const platform = await start(t)
  const { received } = await openChannel(t, slack, platform)
  t.equal(platform.connections(), 1)

  const direct = await hear(platform, received, {
    text: 'a < b & "c"',
    sent_at: 1_700_000_000_123,
    quote: 'said before',
  })
  t.match(direct, {
    id: /^D0DIRECT:1700000000\.123\d{3}$/,
    conversation: { id: 'D0DIRECT', type: 'direct' },
    sender: { id: 'ann', name: 'ann' },
    text: 'a < b & "c"',
    mentioned: true,
    sent_at: 1_700_000_000_123,
    quote: { text: 'said before', sender: 'bob' },
    target: { channel: 'D0DIRECT' },
  })
  t.notOk('thread_ts' in (direct.target as object), 'a direct message is answered beside it')

  const receivedBefore = received.length
  const id = await platform.say({ text: 'hello', place: 'group', sender: 'ben' })
  const [first, second] = received.slice(receivedBefore)
  t.match(first, {
    id: `C0GROUP:${id}`,
    conversation: { id: 'C0GROUP', type: 'group' },
    sender: { id: 'ben' },
    text: 'hello',
    mentioned: true,
    target: { channel: 'C0GROUP', conversation: 'C0GROUP' },
  })
  t.notOk(
    'thread_ts' in (first!.target as object),
    'a message outside of threads is answered outside of them',
  )
  t.equal(second?.id, first?.id, 'both events of a mention are one message')
  t.equal(second?.mentioned, true)
  t.equal(second?.text, 'hello')

  const unasked = await hear(platform, received, { text: 'lunch?', place: 'group', mention: false })
  t.match(unasked, { text: 'lunch?', mentioned: false, conversation: { id: 'C0GROUP' } })

  const again = received.length
  await platform.redeliver(id)
  t.equal(received[again]?.id, first?.id)
  t.same(platform.violations, [])
})

t.test('events that Slack words otherwise', async (t) => {
  const platform = await start(t)
  const { received } = await openChannel(t, slack, platform)
  const tell = async (changes: Record<string, unknown>) => {
    const receivedBefore = received.length
    const event = { type: 'message', channel: 'C0GROUP', user: 'ann', text: 'hi', ts: '1700000001.000200' }
    await platform.deliver('events_api', { event: { ...event, ...changes } })
    return received[receivedBefore]
  }
  const textOf = async (text: string) => (await tell({ text }))?.text

  t.match(await tell({ thread_ts: '1700000000.000100' }), {
    conversation: { id: 'C0GROUP:1700000000.000100', type: 'group' },
    target: { channel: 'C0GROUP', thread_ts: '1700000000.000100' },
  })
  t.match(await tell({ thread_ts: '1700000001.000200' }), { conversation: { id: 'C0GROUP' } })
  t.match(await tell({ subtype: 'thread_broadcast', thread_ts: '1700000000.000100' }), {
    conversation: { id: 'C0GROUP:1700000000.000100' },
  })
  t.match(await tell({ channel: 'D0DIRECT', channel_type: 'im', thread_ts: '1700000000.000100' }), {
    conversation: { id: 'D0DIRECT', type: 'direct' },
    target: { channel: 'D0DIRECT', thread_ts: '1700000000.000100' },
  })
  t.match(await tell({ channel: 'G0MANY', channel_type: 'mpim' }), { conversation: { type: 'group' } })
  t.notOk((await tell({ ts: 'odd' }))?.sent_at)

  for (const ignored of [
    { bot_id: 'B0OTHER' },
    { subtype: 'message_changed' },
    { subtype: 'message_deleted' },
    { subtype: 'channel_join' },
    { user: 'U0BOT' },
    { user: 'USLACKBOT' },
    { user: undefined },
    { ts: undefined },
    { channel: undefined },
    { type: 'reaction_added' },
  ])
    t.notOk(await tell(ignored), `ignored and acknowledged: ${JSON.stringify(ignored)}`)

  t.equal(await textOf('hey <@U0BOT>, are you <@U0BOT|bot> there'), 'hey, are you there')
  t.equal(await textOf('<@U0BOT>: /stop'), '/stop')
  t.equal(await textOf('<@U0BOT>'), '')
  t.equal(await textOf('ask <@U0CAT> and <@U0DOG|dog>'), 'ask <@U0CAT> and @dog')
  t.equal(
    await textOf('see <#C0X|general> <!here> <!subteam^S1|@ops> <!date^1^{date}|today>'),
    'see #general @here @ops today',
  )
  t.equal(await textOf('<https://a.example/?b=1&amp;c=2>'), 'https://a.example/?b=1&c=2')
  t.equal(await textOf('<https://a.example/x|the page>'), '[the page](https://a.example/x)')
  t.equal(await textOf('<http://a.example|a.example> <mailto:a@b.c|a@b.c>'), 'a.example a@b.c')
  t.equal(await textOf('&lt;b&gt; &amp;amp; 1 &lt; 2'), '<b> &amp; 1 < 2')
  t.equal((await tell({ text: '<@ann> here', user_profile: { real_name: 'Ann A.' } }))?.text, '@Ann A. here')

  for (const [command, text, expected] of [
    ['/svc', '/new', '/new'],
    ['/svc', 'what is up', 'what is up'],
    ['/svc', '', '/help'],
    ['/stop', '', '/stop'],
    ['/approve', 'abcd', '/approve abcd'],
  ]) {
    await platform.deliver('slash_commands', {
      command,
      text,
      user_id: 'ann',
      user_name: 'Ann',
      channel_id: 'C0GROUP',
      trigger_id: '1.2.abc',
      response_url: 'https://hooks.slack.com/secret',
    })
    t.match(received.at(-1), {
      id: 'C0GROUP:1.2.abc',
      text: expected,
      mentioned: true,
      sender: { id: 'ann', name: 'Ann' },
      conversation: { id: 'C0GROUP', type: 'group' },
      target: { channel: 'C0GROUP' },
    })
  }
  await platform.deliver('interactive', { type: 'view_submission' })
  await platform.deliver('options', {})
  t.same(platform.violations, [])
})

t.test('a message is acknowledged once it is stored', async (t) => {
  const platform = await start(t)
  let store: (() => void) | undefined
  let isAcknowledged = false
  let attempts = 0
  const { kind, logged } = withLog()
  const { received } = await openChannel(t, kind, platform, {
    async receive() {
      if (++attempts === 1) throw new Error('the database is unavailable')
      await new Promise<void>((resolve) => {
        store = resolve
      })
    },
  })
  const saying = platform.say({ text: 'keep this' }).then(() => {
    isAcknowledged = true
  })
  await until(() => store !== undefined, 'the second attempt')
  t.equal(isAcknowledged, false, 'neither the refused one nor the one that is being stored is acknowledged')
  t.equal(platform.redeliveries(), 1)
  t.match(logged(), /the database is unavailable/)
  store?.()
  await saying
  t.equal(received.length, 1)
})

t.test('what arrives while nobody is there', async (t) => {
  const platform = await start(t)
  const saying = platform.say({ text: 'anybody?' })
  const { received } = await openChannel(t, slack, platform)
  await saying
  t.equal(received[0]?.text, 'anybody?')
})

t.test('files', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, slack, platform)
  const bytes = new Uint8Array([0, 1, 2, 250])
  const file = { filename: 'päge.html', media_type: 'text/html', bytes }
  const { files, target, text } = await hear(platform, received, { text: 'look', file })
  t.equal(text, 'look')
  t.match(files, [{ filename: 'päge.html', media_type: 'text/html', size: 4 }])
  const { reference } = files![0]!
  const get = (reference: JSONValue) =>
    connection.download!(reference, never).then(({ bytes }) => buffer(bytes))

  t.same(new Uint8Array(await get(reference)), bytes, 'a page that is a file is a file')
  t.same(
    new Uint8Array(await get({ id: (reference as { id: string }).id })),
    bytes,
    'the address is asked for',
  )
  t.match(await failureOf(get({ id: 'F0NONE' })), { reason: 'not_found' })

  await connection.sendFile!(target, { ...file, filename: 'out.bin', key: KEY }, never)
  await connection.sendFile!({ channel: 'C0GROUP', conversation: 'C0GROUP' }, { ...file, key: KEY }, never)
  t.match(platform.shown()[0]?.file, { filename: 'out.bin' })
  t.same(platform.shown()[0]?.file?.bytes, bytes)
  t.equal(platform.shown('group').length, 1)
  t.match(await failureOf(connection.sendFile!({ channel: 'X' }, { ...file, key: KEY }, never)), {
    reason: 'not_found',
  })

  platform.scopes.splice(platform.scopes.indexOf('files:read'), 1)
  t.match(await failureOf(get(reference)), { reason: 'forbidden', message: /files:read/ })
  t.same(platform.violations, [])
})

t.test('the token goes to nobody but Slack', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, slack, platform)
  const seen: unknown[] = []
  const stranger = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.end('gotcha')
  })
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void stranger.close())
  const { port } = stranger.address() as { port: number }
  const get = (url: string) => failureOf(connection.download!({ id: 'F1', url }, never))

  t.match(await get(`http://127.0.0.1:${port}/f`), { reason: 'forbidden' })
  t.match(await get('http://files.slack.com/f'), { reason: 'forbidden' }, 'not without encryption')
  t.match(await get('https://slack.com.evil.example/f'), { reason: 'forbidden' })
  platform.misdirect(`http://127.0.0.1:${port}/f`)
  t.match(await get(`${platform.endpoints.api!.replace('/api', '')}/files-pri/F1`), { reason: 'forbidden' })
  platform.misdirect('/files-pri/F1')
  t.match(await get(`${platform.endpoints.api!.replace('/api', '')}/files-pri/F1`), { message: /too often/ })
  t.same(seen, [])
})

t.test('answers', async (t) => {
  const platform = await start(t)
  const { connection, received } = await openChannel(t, slack, platform)
  const direct = await hear(platform, received, { text: 'hello' })
  const group = await hear(platform, received, { text: 'hello', place: 'group' })
  const thread_ts = group.id.split(':')[1]!
  const inThread = { ...(group.target as object), thread_ts }

  t.same(await connection.send(direct.target, message('**hi** <b>'), never), {
    channel: 'D0DIRECT',
    ts: platform.shown()[0]?.id,
  })
  t.match(platform.shown(), [{ text: '**hi** <b>', buttons: [], history: [] }])
  const sent = await connection.send(inThread, message('in the thread', { key: OTHER_KEY }), never)
  t.same(await connection.send(inThread, message('in the thread', { key: OTHER_KEY }), never), sent)
  t.equal(platform.shown('group').length, 1, 'the same message is there once')
  const posted = platform.calls.filter(({ method }) => method === 'chat.postMessage')
  t.equal(posted[0]?.fields.thread_ts, undefined)
  t.equal(posted[1]?.fields.thread_ts, thread_ts)

  await connection.send(direct.target, message('hear, <!channel> and <!here>', { key: '3' }), never)
  t.notMatch(platform.shown().at(-1)?.text, /<!(channel|here)/)

  const half = await connection.send(direct.target, message('half \ud83d', { key: '6' }), never)
  t.equal(platform.shown().at(-1)?.text, 'half \ufffd', 'half a character, as while a text is written')
  await connection.settle?.(direct.target, half, 'whole \ud83d\ude00', never)
  t.equal(platform.shown().at(-1)?.text, 'whole \ud83d\ude00')

  await connection.typing?.(inThread, never)
  await connection.typing?.(direct.target, never)
  t.equal(platform.typings(), 1, 'shown in threads only')
  t.same(platform.violations, [])
})

t.test('a text that Slack refuses is sent without markup', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, slack, platform)
  const target = { channel: 'D0DIRECT', conversation: 'D0DIRECT' }
  const refusal = { body: { ok: false as const, error: 'invalid_blocks' } }

  platform.refuse('chat.postMessage', refusal)
  const sent = await connection.send(target, message('a < *b*'), never)
  t.equal(platform.shown()[0]?.text, 'a &lt; *b*')

  platform.refuse('chat.update', refusal)
  await connection.settle?.(target, sent, 'c'.repeat(7000), never)
  t.equal(platform.shown()[0]?.text, 'c'.repeat(7000))

  platform.refuse('chat.postMessage', refusal)
  const buttons = [{ label: 'Yes', value: 'y', style: 'primary' as const }]
  await connection.send(target, message('again', { key: OTHER_KEY, buttons }), never)
  t.match(platform.shown()[1], { text: 'again', buttons: ['Yes'] })

  platform.refuse('chat.postMessage', refusal, 2)
  t.match(await failureOf(connection.send(target, message('no', { key: '3' }), never)), {
    reason: 'unsupported',
    is_about_text: true,
  })
  t.equal(platform.calls.filter(({ fields }) => fields.client_msg_id).length > 0, true)
  await connection.send(target, message('x'.repeat(12_000), { key: '4' }), never)
  t.match(await failureOf(connection.send(target, message('x'.repeat(12_001), { key: '5' }), never)), {
    message: /msg_too_long/,
  })
  t.same(platform.violations, [])
})

t.test('a refusal says if it passes, and if it is about the text', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, slack, platform)
  const target = { channel: 'D0DIRECT', conversation: 'D0DIRECT' }
  const refusalOf = (error: string, more: object = {}) => {
    // Twice, because another try is made without markup.
    const body = { ok: false as const, error, ...more }
    platform.refuse('chat.postMessage', { body }, /blocks/.test(error) ? 2 : 1)
    return failureOf(connection.send(target, message('hello'), never))
  }
  for (const code of [
    'msg_too_long',
    'msg_blocks_too_long',
    'invalid_blocks',
    'invalid_blocks_format',
    'no_text',
  ])
    t.match(await refusalOf(code), { reason: 'unsupported', is_about_text: true, code }, code)
  for (const [code, reason] of [
    ['restricted_action_thread_locked', 'forbidden'],
    ['thread_locked', 'forbidden'],
    ['restricted_action_read_only_channel', 'forbidden'],
    ['is_archived', 'forbidden'],
    ['ekm_access_denied', 'forbidden'],
    ['team_access_not_granted', 'forbidden'],
    ['slack_connect_file_upload_sharing_blocked', 'forbidden'],
    ['cannot_reply_to_message', 'forbidden'],
    ['account_inactive', 'invalid_credentials'],
    ['token_revoked', 'invalid_credentials'],
    ['channel_not_found', 'not_found'],
    ['team_not_found', 'not_found'],
    ['message_limit_exceeded', 'rate_limited'],
    ['fatal_error', 'unreachable'],
    ['service_unavailable', 'unreachable'],
    ['request_timeout', 'timeout'],
    ['method_not_supported_for_channel_type', 'unsupported'],
    ['a_code_of_tomorrow', 'unknown'],
  ] as const)
    t.match(await refusalOf(code), { reason, is_about_text: false }, code)
  const messages = ['[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text]']
  t.match(await refusalOf('invalid_blocks', { response_metadata: { messages } }), {
    message: /less than 3001/,
  })
  const { bot_token, app_token } = platform.config as Record<string, string>
  for (const token of [bot_token, app_token, `xoxe.${bot_token}`]) {
    const echo = [`[ERROR] the token ${token} may not do this`]
    const { message } = await refusalOf('a_code_of_tomorrow', {
      response_metadata: { messages: echo },
    })
    t.match(message, /the token .*\*\*\* may not do this/)
    t.notMatch(message, token!.slice(5))
    t.notMatch((await refusalOf('missing_scope', { needed: token })).message, token!.slice(5))
  }

  const tell = async (text: string) => await failureOf(connection.send(target, message(text), never))
  t.match(await tell(' \n'), { code: 'no_text', is_about_text: true })
  t.equal(platform.shown().length, 0)
})

t.test('an answer to a lost thread is sent beside it', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, slack, platform)
  const thread = { channel: 'C0GROUP', conversation: 'C0GROUP:1.000001', thread_ts: '1.000001' }
  await connection.send(thread, message('the thread was deleted'), never)
  t.match(platform.shown('group'), [{ text: 'the thread was deleted' }])
  for (const error of [
    'cannot_reply_to_message',
    'invalid_thread_ts',
    'restricted_action_non_threadable_channel',
  ]) {
    platform.refuse('chat.postMessage', { body: { ok: false, error } })
    await connection.send(thread, message(error, { key: error }), never)
    t.match(platform.shown('group').at(-1), { text: error })
  }
  const bytes = new Uint8Array([1, 2])
  const file = { filename: 'a.bin', media_type: 'application/octet-stream', bytes, key: '7' }
  await connection.sendFile!(thread, file, never)
  t.match(platform.shown('group').at(-1), { file: { filename: 'a.bin' } })
  platform.refuse('chat.postMessage', { body: { ok: false, error: 'restricted_action_thread_locked' } })
  t.match(await failureOf(connection.send(thread, message('no'), never)), { reason: 'forbidden' })
})

t.test('half a character in a label does not keep a question from being asked', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, slack, platform)
  const buttons = [{ label: `${'x'.repeat(74)}😀`, value: 'y', style: 'primary' as const }]
  const target = { channel: 'D0DIRECT', conversation: 'D0DIRECT' }
  await connection.send(target, message('May I? \ud83d', { buttons }), never)
  t.match(platform.shown(), [{ text: 'May I? \ufffd', buttons: [`${'x'.repeat(74)}\ufffd`] }])
})

t.test('sending fails', async (t) => {
  const platform = await start(t)
  const { connection } = await openChannel(t, slack, platform)
  const target = { channel: 'D0DIRECT', conversation: 'D0DIRECT' }
  const send = (signal = never) => connection.send(target, message('hi'), signal)

  platform.limitRate(1, 30)
  t.match(await failureOf(send()), { reason: 'rate_limited', retry_after_ms: 30_000 })
  t.equal(platform.shown().length, 0, 'it is tried once')
  platform.fail(1)
  t.match(await failureOf(send()), { reason: 'unreachable' })
  t.match(await failureOf(connection.send({ channel: 'X0' }, message('hi'), never)), { reason: 'not_found' })
  platform.refuse('chat.postMessage', { body: { ok: false, error: 'not_in_channel' } })
  t.match(await failureOf(send()), { reason: 'forbidden' })
  platform.refuse('chat.postMessage', { body: { ok: false, error: 'missing_scope', needed: 'chat:write' } })
  t.match(await failureOf(send()), { reason: 'forbidden', message: /chat:write/ })
  t.match(await failureOf(send(AbortSignal.abort(new Error('stopped')))), { message: 'stopped' })
  await send()
  t.equal(platform.shown().length, 1)

  platform.mute('api')
  const abort = new AbortController()
  const hanging = failureOf(send(abort.signal))
  abort.abort(new Error('given up'))
  t.match(await hanging, { message: 'given up' })
})

t.test('a live message', async (t) => {
  const platform = await start(t)
  const first = await openChannel(t, slack, platform)
  const target = { channel: 'D0DIRECT', conversation: 'D0DIRECT' }
  const live = await first.connection.live!(target, message('One'), never)
  await live.update('One, two', never)
  platform.limitRate(1, 2)
  t.match(await failureOf(live.update('One, two, three', never)), { retry_after_ms: 2000 })
  await first.close()

  const second = await openChannel(t, slack, platform)
  const resumed = await second.connection.live!(target, message('One'), never, live.reference)
  await resumed.update('One, two, three', never)
  await resumed.finish('One, two, three, four.', never)
  await resumed.finish('One, two, three, four.', never)
  t.match(platform.shown(), [
    { text: 'One, two, three, four.', history: ['One', 'One, two', 'One, two, three'] },
  ])
  const short = await second.connection.live!(target, message('Done.', { key: OTHER_KEY }), never)
  await short.finish('Done.', never)
  t.same(platform.shown()[1]?.history, [])
  t.same(platform.violations, [])
})

const BUTTONS = [
  { label: 'Approve', value: 'appr:abc:yes', style: 'primary' as const },
  { label: 'Reject', value: 'appr:abc:no', style: 'danger' as const },
  { label: 'Later', value: 'appr:abc:later', style: 'default' as const },
]

t.test('buttons', async (t) => {
  const platform = await start(t)
  const { connection, received, presses } = await openChannel(t, slack, platform, {
    outcomeOf: ({ value }) =>
      value.endsWith('later')
        ? { notice: 'This waits.' }
        : { notice: 'Approved.', text: '**Approved** by Ann' },
  })
  const { target, conversation } = await hear(platform, received, { text: 'do it', place: 'group' })
  const ask = (key: string) =>
    connection.send(target, { text: 'May I *do* it?', key, buttons: BUTTONS, pressers: ['ann'] }, never)
  const sent = await ask(KEY)
  const { id } = platform.shown('group')[0]!
  t.match(platform.shown('group')[0], { text: 'May I *do* it?', buttons: ['Approve', 'Reject', 'Later'] })

  t.equal(await platform.press(id, 'Later', 'ben'), 'This waits.')
  t.match(platform.whispers, [{ user: 'ben', channel: 'C0GROUP' }])
  t.same(presses, [
    { value: 'appr:abc:later', sender: { id: 'ben', name: 'ben' }, conversation_id: conversation.id },
  ])
  await platform.press(id, 'Approve')
  t.match(platform.shown('group')[0], { text: '**Approved** by Ann', buttons: [] })

  t.equal(await platform.press(id, 'Later', 'ben'), 'This waits.', 'a button that somebody still sees')

  await connection.settle!(target, sent, 'Settled.', never)
  t.match(platform.shown('group')[0], { text: 'Settled.', buttons: [] })
  const other = await ask(OTHER_KEY)
  await connection.settle!(target, other, 'Too late.', never)
  t.match(platform.shown('group')[1], { text: 'Too late.', buttons: [] })
  t.same(platform.violations, [])
})

t.test('a press that fails harms nothing', async (t) => {
  const platform = await start(t)
  const { connection, received, logged } = await openChannel(t, slack, platform)
  await connection.send(
    { channel: 'D0DIRECT', conversation: 'D0DIRECT' },
    { text: '?', key: KEY, buttons: BUTTONS },
    never,
  )
  platform.refuse('chat.postEphemeral', { status: 500, body: 'oops' })
  const press = platform.press(platform.shown()[0]!.id, 'Later')
  await until(() => logged().includes('envelope could not be handled'), 'a line in the log')
  await hear(platform, received, { text: 'still there?' })
  t.equal(await platform.press(platform.shown()[0]!.id, 'Approve'), 'noted')
  await press
})

t.test('connections come and go', async (t) => {
  const platform = await start(t)
  const { received, states, connection } = await openChannel(t, slack, platform)
  platform.drop()
  await until(() => states.length === 2, 'the connection is back')
  t.same(states, ['connecting', 'connected'])
  t.equal((await hear(platform, received, { text: 'after a cut' })).text, 'after a cut')

  for (const reason of ['warning', 'refresh_requested']) {
    const statesBefore = states.length
    platform.frame(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'fake' } }))
    await until(() => states.length === statesBefore + 2, reason)
    await until(() => platform.connections() === 1, 'the old connection is closed')
    t.equal((await hear(platform, received, { text: reason })).text, reason)
  }
  t.same(states.slice(2), ['connecting', 'connected', 'connecting', 'connected'])

  platform.refuse('apps.connections.open', { body: { ok: false, error: 'account_inactive' } })
  platform.drop()
  await until(() => states.length === 8, 'the end')
  t.same(states.slice(6), ['connecting', 'lost: invalid_credentials'])
  await connection.close()
  t.equal(platform.connections(), 0)
})

t.test('connections that are lost', async (t) => {
  const platform = await start(t)
  const off = await openChannel(t, slack, platform)
  platform.frame(JSON.stringify({ type: 'disconnect', reason: 'link_disabled' }))
  await until(() => off.states.length > 0, 'the end')
  t.same(off.states, ['lost: forbidden'])
  await off.close()

  const many = await openChannel(t, slack, platform)
  platform.frame(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }))
  await until(() => many.states.length > 0, 'the end')
  t.same(many.states, ['lost: already_connected'])
  await many.close()

  const cut = await openChannel(t, slack, platform)
  await platform.close()
  await until(() => cut.states.length === 2, 'the end')
  t.same(cut.states, ['connecting', 'lost: unreachable'])
})

t.test('frames that are none', async (t) => {
  const platform = await start(t)
  const { received, states } = await openChannel(t, slack, platform)
  for (const frame of [
    '',
    '{',
    'null',
    '[]',
    '7',
    '{}',
    '{"type":7}',
    '{"type":"events_api"}',
    '{"type":"events_api","envelope_id":"e"}',
    '{"type":"events_api","envelope_id":"e","payload":null}',
    '{"type":"events_api","envelope_id":"e","payload":{"event":null}}',
    '{"type":"slash_commands","envelope_id":"e","payload":[]}',
    '{"type":"interactive","envelope_id":"e","payload":{"type":"block_actions","actions":null}}',
    '{"type":"interactive","envelope_id":"e","payload":{"type":"block_actions","actions":[null]}}',
    '{"type":"events_api","envelope_id":"e","payload":{"event":{"type":"message","text":7,"files":{},"ts":1,"user":{}}}}',
    '{"type":"events_api","envelope_id":"e","payload":{"event":{"type":"message","channel":{},"ts":1,"user":"ann"}}}',
    '{"type":"events_api","envelope_id":"e","payload":{"event":{"type":"message","channel":"C1","ts":"1.2","user":"ann","text":7,"files":7}}}',
    '{"type":"events_api","envelope_id":"e","payload":{"event":{"type":"error"}}}',
    '{"type":"events_api","envelope_id":"e","payload":{"event":{"type":"close"}}}',
    '{"type":"close","envelope_id":"e","payload":{}}',
  ])
    platform.frame(frame)
  t.equal((await hear(platform, received, { text: 'fine?' })).text, 'fine?')
  t.same(states, [])
  t.equal(received.length, 1)
})

t.test('closing ends everything', async (t) => {
  const platform = await start(t)
  const abort = new AbortController()
  const opened = await openChannel(t, slack, platform)
  await opened.close()
  await until(() => platform.connections() === 0, 'no connection')
  t.same(opened.states, [])
  t.match(await failureOf(opened.connection.send({ channel: 'D0DIRECT' }, message('hi'), never)), {
    name: 'AbortError',
  })
  await opened.connection.close()

  const settings = settingsFor(slack, platform)
  const link = {
    channel_id: 'chn_test',
    cursor: noCursor,
    signal: abort.signal,
    receive: async () => {},
    moved: async () => {},
    press: async () => ({ notice: '' }),
    connecting: () => t.fail('it is not to come back'),
    connected: () => {},
    lost: () => t.fail('it is not lost'),
  }
  const connection = await slack.open(settings, { ...link, log: {} as never })
  abort.abort()
  await until(() => platform.connections() === 0, 'the signal suffices')
  await connection.close()

  const early = new AbortController()
  platform.mute('socket')
  const opening = failureOf(slack.open(settings, { ...link, signal: early.signal, log: {} as never }))
  await until(() => platform.connections() === 1, 'a connection without a hello')
  early.abort(new Error('never mind'))
  t.match(await opening, { message: 'never mind' })
  await until(() => platform.connections() === 0, 'nothing is left')
})

t.test('a server that takes connections and says nothing', async (t) => {
  const platform = await start(t)
  const sockets = new Set<Socket>()
  const stranger = createTCPServer((socket) => {
    sockets.add(socket)
    socket
      .resume()
      .on('error', () => {})
      .on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void stranger.close())
  const { port } = stranger.address() as { port: number }
  const leadAstray = () =>
    platform.refuse('apps.connections.open', { body: { ok: true, url: `ws://127.0.0.1:${port}/` } as never })

  leadAstray()
  const quick = createSlackKind({ requestMs: 100 })
  t.match(await failureOf(openChannel(t, quick, platform)), { reason: 'timeout' })

  leadAstray()
  const abort = new AbortController()
  const link = { channel_id: 'chn_test', signal: abort.signal } as never
  const opening = failureOf(slack.open(settingsFor(slack, platform), link))
  await until(() => sockets.size === 1, 'a connection')
  abort.abort(new Error('never mind'))
  t.match(await opening, { message: 'never mind' })
  await until(() => sockets.size === 0, 'nothing is left')
})

t.test('secrets are in no log and in no error', async (t) => {
  const platform = await start(t)
  const errors: unknown[] = []
  const { kind, logged } = withLog()
  const opened = await openChannel(t, kind, platform, {
    receive: async () => {
      if (errors.length === 0) throw new Error('not now')
    },
  })
  const { connection } = opened
  const target = { channel: 'D0DIRECT', conversation: 'D0DIRECT' }
  const saying = platform.say({ text: 'hi' })
  await until(() => logged().includes('not now'), 'a line in the log')
  for (const body of [{ ok: false as const, error: 'invalid_auth' }, 'xoxb-1111-2222-secretOfTheBot']) {
    platform.refuse('send', { body })
    errors.push(await failureOf(connection.send(target, message('hi'), never)))
  }
  platform.refuse('send', { status: 500, body: 'xoxb-1111-2222-secretOfTheBot' })
  errors.push(await failureOf(connection.send(target, message('hi'), never)))
  platform.limitRate(1, 1)
  errors.push(await failureOf(connection.send(target, message('hi'), never)))
  errors.push(
    await failureOf(connection.download!({ id: 'F', url: 'https://evil.example/secretOfTheFile' }, never)),
  )
  await saying
  platform.frame('{"type":"events_api","envelope_id":"secretOfTheFrame"}')
  platform.frame('secretOfTheFrame')
  await connection.send(target, { text: '?', key: OTHER_KEY, buttons: BUTTONS }, never)
  platform.refuse('chat.postEphemeral', { status: 500, body: 'secretOfTheBot' })
  void platform.press(platform.shown()[0]!.id, 'Later').catch(() => {})
  await until(() => logged().includes('"interactive"'), 'a line in the log')
  errors.push(
    await failureOf(slack.probe(settingsFor(slack, platform, platform.wrong_config), never)),
    await failureOf(openChannel(t, slack, platform, { config: platform.wrong_config })),
  )
  await platform.close()
  await until(() => opened.states.includes('lost: unreachable'), 'the end')
  errors.push(
    await failureOf(connection.send(target, message('hi'), never)),
    await failureOf(openChannel(t, slack, platform)),
  )

  t.equal(errors.length, 9)
  const all = logged() + errors.map(showing).join('\n')
  t.match(all, /invalid_auth/)
  for (const secret of [...platform.secrets(), ...Object.values(platform.wrong_config)])
    t.notOk(all.includes(String(secret)), String(secret))
})

testChannelKind({ kind: slack, startFake: startFakeSlack, lacks: ['typing'], ...builtInChannel(t) })
