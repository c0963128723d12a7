import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { AppError } from '#kernel'
import kind from '../../channels/whatsapp/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import t, { type Test } from '../run/file-test.ts'
import { DISPLAY_NUMBER, startFakeWhatsApp } from '../support/fake-whatsapp.ts'
import { builtInChannel } from '../support/kit.ts'
import { openChannel, settingsFor } from '../support/open-channel.ts'
import { startPlatform } from '../support/platform-channel.ts'

const { signal } = new AbortController()
const KEY = '01JZ0000000000000000000000'

async function open(t: Test) {
  const fake = await startFakeWhatsApp()
  t.teardown(() => fake.close())
  const channel = await openChannel(t, kind, fake)
  let count = 0
  /** Delivers a message of Ann's and returns what it becomes. */
  const receive = async (content: object) => {
    count += 1
    const base = {
      id: `wamid.${count}`,
      from: '15551234',
      timestamp: '1790000000',
      type: Object.keys(content)[0],
    }
    const earlier = channel.received.length
    const { status } = await fake.deliver([{ ...base, ...content }])
    t.equal(status, 200)
    return channel.received[earlier]
  }
  return { ...channel, fake, receive }
}

const failureOf = (act: Promise<unknown>) =>
  act.then(
    () => 'it worked',
    (error) => error,
  )

t.test('the address is confirmed with the verify token alone', async (t) => {
  const { fake } = await open(t)
  const ask = async (query: Record<string, string>) => {
    try {
      const { status, body } = await fake.request({ method: 'GET', query })
      return `${status} ${body}`
    } catch (error) {
      return (error as AppError).code
    }
  }
  const right = {
    'hub.mode': 'subscribe',
    'hub.verify_token': 'a word of ours',
    'hub.challenge': '1158201444',
  }
  t.equal(await ask(right), '200 1158201444')
  t.equal(await ask({ ...right, 'hub.verify_token': 'another' }), 'AUTH_FAILED')
  t.equal(await ask({ ...right, 'hub.challenge': '<script>' }), 'NOT_FOUND')
  t.equal(await ask({ ...right, 'hub.mode': 'x' }), 'NOT_FOUND')
  t.equal(await ask({}), 'NOT_FOUND')
})

t.test('only what WhatsApp has signed is received', async (t) => {
  const { fake, received } = await open(t)
  const answer = async (content: object, changes?: Parameters<typeof fake.post>[1]) => {
    try {
      return (await fake.post(content, changes)).status
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return error.code
    }
  }
  t.equal(await answer({ entry: [] }, { signature: `sha256=${'0'.repeat(64)}` }), 'AUTH_FAILED')
  t.equal(await answer({ entry: [] }, { signature: '' }), 'AUTH_FAILED')
  t.equal(await answer({}, { body: '{"entry":' }), 'BAD_JSON')
  t.equal(await answer({}, { body: '['.repeat(100_000) }), 'VALIDATION_FAILED')
  for (const content of [
    {},
    [],
    { entry: 7 },
    { entry: [null, { changes: [null, { field: 'messages', value: 7 }] }] },
  ])
    t.equal(await answer(content), 200, 'what is no message is confirmed, as it would come again')
  const change = { field: 'account_update', value: { metadata: {}, messages: [{ id: 'x', from: 'y' }] } }
  t.equal(await answer({ entry: [{ changes: [change] }] }), 200)
  await fake.deliver([{ id: 'x', from: '1', type: 'text', text: { body: 'hi' } }], { phone_number_id: '99' })
  t.same(received, [], 'messages of other numbers of the app are not those of this channel')
})

t.test('messages of all types are received', async (t) => {
  const { receive } = await open(t)
  t.match(await receive({ text: { body: 'hello' } }), {
    id: 'wamid.1',
    conversation: { id: '15551234', type: 'direct' },
    sender: { id: '15551234', name: '15551234' },
    text: 'hello',
    mentioned: true,
    sent_at: 1_790_000_000_000,
    target: { to: '15551234', is_group: false, message_id: 'wamid.1' },
  })
  const texts: [object, string][] = [
    [{ location: { latitude: 52.52, longitude: 13.4, name: 'A\nB' } }, '[location: 52.52, 13.4, A B]'],
    [{ contacts: [{ name: { formatted_name: 'Bob' }, phones: [{ phone: '+1' }] }] }, '[contact: Bob, +1]'],
    [{ button: { text: 'Yes', payload: 'y' } }, 'Yes'],
    [{ interactive: { type: 'list_reply', list_reply: { id: 'a', title: 'First' } } }, 'First'],
    [
      { order: { product_items: [{ product_retailer_id: 'p1', quantity: 2 }], text: 'soon' } },
      '[order: 2 × p1]\nsoon',
    ],
  ]
  for (const [content, text] of texts) t.equal((await receive(content))?.text, text)
  t.equal(await receive({ reaction: { message_id: 'wamid.1', emoji: '👍' } }), undefined)
  t.equal(await receive({ system: { body: 'changed' } }), undefined)
  t.match(await receive({ unsupported: {}, errors: [{ code: 131051 }] }), { text: '', unreadable: 'message' })
  t.match(await receive({ poll: {} }), { unreadable: 'poll' })
  t.match(await receive({ image: { id: 'm1', mime_type: 'image/jpeg', caption: 'look' } }), {
    text: 'look',
    files: [{ filename: 'image.jpg', media_type: 'image/jpeg', reference: { id: 'm1' } }],
  })
  t.match(await receive({ audio: { id: 'm2', mime_type: 'audio/ogg; codecs=opus', voice: true } }), {
    text: '',
    files: [{ filename: 'audio.ogg', media_type: 'audio/ogg' }],
  })
  t.match(await receive({ text: { body: 'news' }, context: { forwarded: true } }), {
    text: '',
    quote: { text: 'news', is_forwarded: true },
  })
  const group_id = 'g1'
  const number = DISPLAY_NUMBER.replaceAll(/\D/g, '')
  t.match(await receive({ text: { body: 'hi' }, group_id }), {
    mentioned: false,
    conversation: { id: 'g1', type: 'group' },
  })
  t.match(await receive({ text: { body: `hi @${number}` }, group_id }), { mentioned: true, text: 'hi' })
  t.match(await receive({ text: { body: `hi @${number}9` }, group_id }), { mentioned: false })
  t.match(await receive({ text: { body: 'hi' }, group_id, context: { from: number, id: 'x' } }), {
    mentioned: true,
  })
})

t.test('files come and go', async (t) => {
  const { fake, connection, receive } = await open(t)
  fake.addMedia('m1', { media_type: 'text/plain', bytes: Buffer.from('a note') })
  const { bytes } = await connection.download!({ id: 'm1' }, signal)
  t.equal(await readText(Readable.from(bytes)), 'a note')
  fake.addMedia('m2', {
    media_type: 'text/plain',
    bytes: Buffer.from('x'),
    url: 'https://elsewhere.example/x',
  })
  t.match(await failureOf(connection.download!({ id: 'm2' }, signal)), {
    reason: 'forbidden',
    message: /server of WhatsApp/,
  })
  t.match(await failureOf(connection.download!({ id: 'gone' }, signal)), { reason: 'not_found' })
  const { target } = (await receive({ text: { body: 'x' } }))!
  const send = (media_type: string, size = 4) =>
    connection.sendFile!(
      target,
      { filename: 'ä.bin', media_type, bytes: new Uint8Array(size).fill(1), key: KEY },
      signal,
    )
  const types: [string, number | undefined, string][] = [
    ['image/png', undefined, 'image'],
    ['image/png', 6 * 1024 * 1024, 'document'],
    ['image/gif', undefined, 'document'],
    ['video/mp4', undefined, 'video'],
    ['audio/ogg', undefined, 'audio'],
    ['text/csv', undefined, 'document'],
  ]
  for (const [media_type, size, type] of types) {
    await send(media_type, size)
    t.match(fake.calls.at(-1)!.content, { type, [type]: { id: /^media/ } }, media_type)
  }
  t.equal(fake.calls.at(-1)!.content.document.filename, 'ä.bin')
  t.match(await failureOf(send('text/csv', 0)), { reason: 'unsupported' })
})

t.test('buttons have short titles, and a long question comes before them', async (t) => {
  const { fake, connection, presses, receive } = await open(t)
  const { target } = (await receive({ text: { body: 'x' } }))!
  const buttons = [
    { label: 'Approve', value: 'approve:abc234', style: 'primary' as const },
    { label: 'Always in this conversation', value: 'always:abc234', style: 'default' as const },
    { label: 'Reject', value: 'reject:abc234', style: 'danger' as const },
  ]
  await connection.send(target, { key: KEY, text: `${'line\n'.repeat(300)}Decide now.`, buttons }, signal)
  const [head, question] = fake.shown()
  t.same(head!.buttons, [])
  t.same(question!.buttons, ['Approve', 'Always in this conv…', 'Reject'])
  t.ok(question!.text.length <= 1024 && question!.text.endsWith('Decide now.'))
  t.equal(`${head!.text}\n${question!.text}`, `${'line\n'.repeat(300)}Decide now.`, 'nothing is lost')
  t.equal(await fake.press(question!.id, 'Approve', '15551234'), 'noted', 'the notice is sent as a message')
  t.same(presses, [
    { value: 'approve:abc234', sender: { id: '15551234', name: '15551234' }, conversation_id: '15551234' },
  ])
  await fake.redeliver(fake.lastId())
  t.equal(presses.length, 1, 'a press that comes again counts once')
})

t.test('a refusal has its reason, in words', async (t) => {
  const { fake, connection, receive } = await open(t)
  const { target } = (await receive({ text: { body: 'x' } }))!
  const send = () => failureOf(connection.send(target, { key: KEY, text: 'x' }, signal))
  const cases: [number, object, object][] = [
    [
      401,
      { code: 190, error_subcode: 463, message: 'Session has expired' },
      { reason: 'invalid_credentials', message: /system user/ },
    ],
    [
      400,
      {
        code: 131047,
        error_data: { details: 'Message failed to send because more than 24 hours have passed' },
      },
      { reason: 'forbidden', message: /last 24 hours/ },
    ],
    [429, { code: 130429 }, { reason: 'rate_limited' }],
    [400, { code: 131056, message: 'pair rate' }, { reason: 'rate_limited', retry_after_ms: 6000 }],
    [400, { code: 80007 }, { reason: 'rate_limited' }],
    [403, { code: 10 }, { reason: 'forbidden', message: /whatsapp_business_messaging/ }],
    [403, { code: 200, message: 'Permissions error' }, { reason: 'forbidden' }],
    [400, { code: 131026 }, { reason: 'not_found' }],
    [400, { code: 131030 }, { reason: 'forbidden', message: /test numbers/ }],
    [400, { code: 131042 }, { reason: 'forbidden', message: /payment/ }],
    [500, { code: 131000 }, { reason: 'unreachable' }],
    [503, { code: 2 }, { reason: 'unreachable' }],
    [
      400,
      { code: 100, message: "(#100) Param text['body'] must be at most 4096 characters long" },
      { reason: 'unsupported', is_about_text: true },
    ],
    [
      400,
      { code: 131009, message: 'Parameter value is not valid' },
      { reason: 'unsupported', is_about_text: false },
    ],
    [400, { code: 199_999, message: 'a brand new refusal' }, { reason: 'unknown', message: /brand new/ }],
    [500, { message: 'no code' }, { reason: 'unreachable' }],
  ]
  for (const [status, error, expected] of cases) {
    fake.refuseNext(status, error)
    t.match(await send(), expected, JSON.stringify(error))
  }
  fake.refuseNext(400, { code: 199_999, message: `EAA${'x'.repeat(100)}` })
  t.notMatch((await send()).message, 'xxxxx', 'nothing that may be a token is quoted')
  t.equal(await send(), 'it worked')
})

t.test('credentials are tested with the app secret', async (t) => {
  const fake = await startFakeWhatsApp()
  t.teardown(() => fake.close())
  const probe = (changes: object) =>
    failureOf(kind.probe(settingsFor(kind, fake, { ...fake.config, ...changes }), signal))
  t.equal(await probe({}), 'it worked')
  t.match(await probe({ app_secret: 'f'.repeat(32) }), {
    reason: 'invalid_credentials',
    message: /app secret/,
  })
  t.match(await probe({ phone_number_id: '12345678' }), { reason: 'not_found', message: /phone number ID/ })
  t.match(await probe({ access_token: 'wrong' }), { reason: 'invalid_credentials' })
})

t.test(
  'on a server the address is confirmed, buttons decide, and lost messages are shown at the channel',
  async (t) => {
    const start = await startPlatform(t, { kind: 'whatsapp', startFake: startFakeWhatsApp })
    const channel = await start({ allow_from: ['ann'] })
    const { server, channel_id, fake, seeMessage, channels, agent_id } = channel
    const platform = channel.platform as Awaited<ReturnType<typeof startFakeWhatsApp>>
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': 'a word of ours',
      'hub.challenge': '77',
    })
    const confirmed = await fetch(`${server.url}/api/hooks/${channel_id}?${query}`)
    t.equal(`${confirmed.status} ${await confirmed.text()}`, '200 77')
    query.set('hub.verify_token', 'wrong')
    t.equal((await fetch(`${server.url}/api/hooks/${channel_id}?${query}`)).status, 401)

    await server.request('PATCH', `/agents/${agent_id}`, {
      body: { config: { tools_with_approval: ['ls'] } },
    })
    fake.next(
      { toolCalls: [{ name: 'ls', arguments: {} }] },
      { text: '**listed**, see [x](https://x.example)' },
    )
    await platform.say({ text: 'list it' })
    const asking = await seeMessage(/approve\W+[a-z2-9]{6}/)
    t.equal(asking.buttons.length, 3)
    t.match(await platform.press(asking.id, 'Approve', 'bob'), /not allowed/)
    t.match(await platform.press(asking.id, 'Approve', 'ann'), /Approved/)
    t.equal((await seeMessage('listed')).text, '*listed*, see x (https://x.example)')

    const errors = [{ code: 131047, title: 'Re-engagement message', error_data: { details: '24 hours' } }]
    await platform.deliver([], {
      statuses: [
        { id: 'wamid.out1', status: 'delivered' },
        { id: 'wamid.out1', status: 'failed', errors },
      ],
    })
    const { body } = await channels('GET', `/${channel_id}`)
    t.match(body.runtime.last_refusal, { reason: 'forbidden', detail: /last 24 hours/ })
    t.same(platform.violations, [])
  },
)

testChannelKind({
  kind,
  startFake: startFakeWhatsApp,
  lacks: ['live', 'buttons', 'settle', 'shared_direct'],
  ...builtInChannel(t),
})
