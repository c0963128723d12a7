import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import kind from '../../channels/feishu/index.ts'
import t from '../run/file-test.ts'
import { encodeFrame } from '../support/fake-feishu-frames.ts'
import { openChannel } from '../support/open-channel.ts'
import { bytesOf, failureOf, never, saying, start, startFake, until } from './feishu-calls.ts'

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3)

t.test('a message arrives', async (t) => {
  const channel = await start(t)
  const { fake, received } = channel
  const last = () => received.at(-1)!

  await t.test('from somebody alone', async (t) => {
    const id = await fake.say({ text: 'hello **you**', sent_at: 1_700_000_000_123 })
    t.match(last(), {
      id,
      conversation: { id: 'oc_direct', type: 'direct' },
      sender: { id: 'ann' },
      text: 'hello **you**',
      mentioned: true,
      sent_at: 1_700_000_000_123,
      files: undefined,
      quote: undefined,
    })
  })

  await t.test('from a group, with the bot mentioned', async (t) => {
    await fake.say({ text: 'what is this?', place: 'group', sender: 'ben' })
    t.match(last(), {
      conversation: { id: 'oc_group', type: 'group' },
      sender: { id: 'ben' },
      text: 'what is this?',
      mentioned: true,
    })
  })

  await t.test('from a group, to nobody', async (t) => {
    await fake.say({ text: 'lunch?', place: 'group', mention: false })
    t.match(last(), { text: 'lunch?', mentioned: false })
  })

  await t.test('with others mentioned', async (t) => {
    await fake.say({
      text: 'ask @_user_2 and @_user_3 @_all about a@b.c',
      place: 'group',
      mentions: [
        { open_id: 'ben', name: 'Ben' },
        { open_id: 'eve', name: '' },
      ],
    })
    t.equal(last().text, 'ask @Ben and @_user_3 @all about a@b.c')
    await fake.say({ text: 'hey @_all', place: 'group', mention: false })
    t.equal(last().mentioned, false)
  })

  await t.test('that is long, in several frames', async (t) => {
    const text = 'long '.repeat(2000).trim()
    await fake.say({ text })
    t.equal(last().text, text)
  })

  await t.test('in a thread, which is a conversation of its own', async (t) => {
    await fake.say({ text: 'in a topic', place: 'group', thread: 'omt_1' })
    t.same(last().conversation, { id: 'oc_group:omt_1', type: 'group' })
    const { message_id } = (await channel.connection.send(last().target, saying('answered'), never)) as {
      message_id: string
    }
    t.equal(fake.answered(message_id), last().id)
    t.equal(fake.calls.at(-1)?.body.reply_in_thread, true)
  })

  await t.test('again, with the same id', async (t) => {
    const id = await fake.say({ text: 'once' })
    await fake.redeliver(id)
    t.same(
      received.slice(-2).map((message) => [message.id, message.text]),
      [
        [id, 'once'],
        [id, 'once'],
      ],
    )
  })

  await t.test('as a rich text', async (t) => {
    const content = {
      title: 'News',
      content: [
        [
          { tag: 'text', text: 'see ' },
          { tag: 'a', text: 'this', href: 'https://example.com/' },
          { tag: 'text', text: ' from ' },
          { tag: 'at', user_id: '@_user_2', user_name: 'Ben' },
          { tag: 'emotion', emoji_type: 'SMILE' },
        ],
        [{ tag: 'img', image_key: 'img_1' }],
        [{ tag: 'code_block', language: 'GO', text: 'a := 1\n' }],
        [{ tag: 'hr' }],
        [{ tag: 'media', file_key: 'file_1', image_key: 'img_2' }],
      ],
    }
    const mentions = [{ open_id: 'ben', name: 'Ben' }]
    await fake.say({ text: '', raw: { type: 'post', content: { zh_cn: content } }, mentions })
    t.equal(last().text, 'News\nsee [this](https://example.com/) from @Ben[SMILE]\n```go\na := 1\n```\n---')
    t.match(last().files, [{ reference: { key: 'img_1' } }, { reference: { key: 'file_1' } }])
  })

  await t.test('of a sort that cannot be read', async (t) => {
    const raws = [
      [{ type: 'sticker', content: { file_key: 'x' } }, '[sticker]'],
      [{ type: 'image', content: {} }, '[image]'],
      [{ type: 'text', content: {} }, ''],
      [{ type: 'text', content: 'no object' }, ''],
      [{ type: 'post', content: { content: 7 } }, '[post]'],
      [
        { type: 'location', content: { name: 'Berlin', longitude: '1', latitude: '2' } },
        '[location: Berlin]',
      ],
      [{ type: 'interactive', content: { elements: [[{ tag: 'text', text: 'a card' }]] } }, 'a card'],
    ] as const
    for (const [raw, text] of raws) {
      await fake.say({ text: '', raw })
      t.equal(last().text, text, raw.type)
    }
  })

  await t.test('with files', async (t) => {
    const image = { filename: 'a.png', media_type: 'image/png', bytes: PNG }
    await fake.say({ text: '', file: image })
    t.equal(last().text, '')
    t.equal(last().files?.length, 1)
    const shown = await channel.connection.download!(last().files![0]!.reference, never)
    t.equal(shown.media_type, 'image/png')
    t.same(await bytesOf(shown), Buffer.from(PNG))

    const report = { filename: 'report.pdf', media_type: 'application/pdf', bytes: Buffer.alloc(300_000, 7) }
    await fake.say({ text: '', file: report, place: 'group', mention: false })
    t.match(last().files, [{ filename: 'report.pdf' }])
    fake.expireTokens()
    t.same(
      await bytesOf(await channel.connection.download!(last().files![0]!.reference, never)),
      report.bytes,
    )

    await fake.say({ text: 'what is this?', file: image })
    t.equal(last().text, 'what is this?')
    t.equal(last().files?.length, 1)
  })

  await t.test('with a file that nobody reads to its end', async (t) => {
    const bytes = Buffer.alloc(8_000_000, 7)
    await fake.say({ text: '', file: { filename: 'a.bin', media_type: 'application/zip', bytes } })
    const abort = new AbortController()
    const content = await channel.connection.download!(last().files![0]!.reference, abort.signal)
    const reason = new Error('enough')
    const reading = (async () => {
      for await (const _ of content.bytes) abort.abort(reason)
    })()
    t.equal(await failureOf(reading), reason)
  })

  await t.test('with a file that is gone', async (t) => {
    fake.refuse('/resources/', 230110)
    const reference = { message_id: 'om_1', key: 'file_9', type: 'file' }
    t.equal((await failureOf(channel.connection.download!(reference, never))).reason, 'not_found')
  })
})

t.test('a message that replies to another says to what', async (t) => {
  const channel = await start(t)
  const { fake, received, connection } = channel
  await fake.say({ text: 'and this?', quote: 'the first words', place: 'group' })
  t.match(received.at(-1), { text: 'and this?', quote: { text: 'the first words' } })

  fake.refuse('GET /im/v1/messages/', 99991672)
  await fake.say({ text: 'and that?', quote: 'nobody may read this' })
  t.match(received.at(-1), { text: 'and that?', quote: undefined })

  fake.refuse('GET /im/v1/messages/', 0, { status: 0 })
  await fake.say({ text: 'and now?', quote: 'nobody gets to read this' })
  t.match(received.at(-1), { text: 'and now?', quote: undefined })

  await connection.send(received.at(-1)!.target, saying('an answer of mine'), never)
  const [answer] = fake.shown('direct')
  const parent_id = answer!.id
  await fake.events.deliver({
    schema: '2.0',
    header: { event_type: 'im.message.receive_v1' },
    event: {
      sender: { sender_id: { open_id: 'ann' }, sender_type: 'user' },
      message: {
        message_id: 'om_reply',
        parent_id,
        chat_id: 'oc_direct',
        chat_type: 'p2p',
        message_type: 'text',
        content: '{"text":"why?"}',
      },
    },
  })
  await until(() => received.at(-1)?.id === 'om_reply')
  t.match(received.at(-1), { text: 'why?', quote: { text: 'an answer of mine' } })
})

t.test('a message that cannot be stored is delivered again, and not acknowledged before', async (t) => {
  let refusals = 2
  const { fake, received } = await start(t, {
    async receive() {
      refusals -= 1
      if (refusals >= 0) throw new Error('the database is unavailable')
    },
  })
  await fake.say({ text: 'keep this' })
  t.same(fake.events.acknowledged, [500, 500, 200])
  t.same(
    received.map(({ text }) => text),
    ['keep this'],
  )
})

t.test('an encrypted message is read with the key of the app', async (t) => {
  const fake = await startFake(t)
  const encrypt_key = 'EncryptKey-7c1d'
  const { received } = await openChannel(t, kind, fake, { config: { ...fake.config, encrypt_key } })
  const event = {
    schema: '2.0',
    header: { event_type: 'im.message.receive_v1' },
    event: {
      sender: { sender_id: { open_id: 'ann' }, sender_type: 'user' },
      message: {
        message_id: 'om_hidden',
        chat_id: 'oc_direct',
        chat_type: 'p2p',
        message_type: 'text',
        content: '{"text":"nobody else reads this"}',
      },
    },
  }
  const vector = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(encrypt_key).digest(), vector)
  const hidden = Buffer.concat([vector, cipher.update(JSON.stringify(event)), cipher.final()])
  await fake.events.deliver({ encrypt: hidden.toString('base64') })
  t.match(received, [{ id: 'om_hidden', text: 'nobody else reads this' }])
})

t.test('what no person wrote is let go', async (t) => {
  const { fake, received, states } = await start(t)
  const event = (message: unknown, sender: unknown) => ({
    schema: '2.0',
    header: { event_type: 'im.message.receive_v1' },
    event: { message, sender },
  })
  const good = { message_id: 'om_x', chat_id: 'oc_direct', message_type: 'text', content: '{"text":"x"}' }
  await fake.events.deliver(event(good, { sender_id: { open_id: 'other-bot' }, sender_type: 'app' }))
  await fake.events.deliver(event(good, {}))
  await fake.events.deliver(
    event({ ...good, chat_id: 7 }, { sender_id: { open_id: 'ann' }, sender_type: 'user' }),
  )
  await fake.events.deliver(event(null, null))
  await fake.events.deliver({
    schema: '2.0',
    header: { event_type: 'im.message.message_read_v1' },
    event: {},
  })
  await fake.events.deliver({
    schema: '2.0',
    header: { event_type: 'card.action.trigger' },
    event: { action: 7 },
  })
  await fake.events.deliver({ schema: '2.0' })

  for (const bytes of [Buffer.from('no frame'), Buffer.alloc(0), Buffer.alloc(3000, 0xff)])
    fake.events.sendRaw(bytes)
  const frame = (headers: Record<string, string>, payload: string) =>
    fake.events.sendRaw(encodeFrame({ kind: 'data', headers, payload: Buffer.from(payload) }))
  frame({ type: 'event', message_id: 'a', sum: '-1', seq: '0' }, '{}')
  frame({ type: 'event', message_id: 'b', sum: '1', seq: '0' }, '{broken')
  frame({ type: 'unheard-of', message_id: 'c', sum: '1', seq: '0' }, '{}')
  fake.events.sendRaw(encodeFrame({ kind: 'control', headers: { type: 'pong' }, payload: Buffer.from('}') }))

  await fake.say({ text: 'still there?' })
  t.same(
    received.map(({ text }) => text),
    ['still there?'],
  )
  t.same(states, [])

  await until(() => fake.events.pings() === 2)
  for (let n = 0; n < 30; n += 1) await fake.say({ text: `${n}` })
  t.ok(fake.events.pings() < 10, 'an odd pong makes no storm of pings')
})
