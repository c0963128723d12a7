import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import kind from '../../channels/feishu/index.ts'
import t from '../run/file-test.ts'
import { encodeFrame } from '../support/fake-feishu-frames.ts'
import { openChannel } from '../support/open-channel.ts'
import { failureOf, never } from './channel-calls.ts'
import { bytesOf, saying, start, startFake, until } from './feishu-calls.ts'

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
          { tag: 'at', user_id: 'ou_eve' },
          { tag: 'at', user_id: 'all' },
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
    t.equal(
      last().text,
      'News\nsee [this](https://example.com/) from @Ben@ou_eve@all[SMILE]\n```go\na := 1\n```\n---',
    )
    t.match(last().files, [{ reference: { key: 'img_1' } }, { reference: { key: 'file_1' } }])
  })

  await t.test('that words describe', async (t) => {
    const time = String(Date.UTC(2026, 11, 24, 18, 30))
    const raws: [string, unknown, string][] = [
      [
        'location',
        { name: 'Berlin', longitude: '13.40', latitude: '52.52' },
        '[location: Berlin, 52.52, 13.40]',
      ],
      ['location', { longitude: 13.4, latitude: 52.5 }, '[location: 52.5, 13.4]'],
      ['share_chat', { chat_id: 'oc_1' }, '[shared group: oc_1]'],
      ['share_user', { user_id: 'ou_1' }, '[shared contact: ou_1]'],
      [
        'share_calendar_event',
        { summary: 'Lunch', start_time: time },
        '[calendar event: Lunch, 2026-12-24T18:30Z]',
      ],
      [
        'general_calendar',
        { summary: 'Trip', start_time: time, end_time: time },
        '[calendar event: Trip, 2026-12-24T18:30Z to 2026-12-24T18:30Z]',
      ],
      ['calendar', { summary: 'Odd', start_time: 'soon' }, '[calendar event: Odd]'],
      ['video_chat', { topic: 'Weekly', start_time: time }, '[video meeting: Weekly, 2026-12-24T18:30Z]'],
      [
        'todo',
        {
          task_id: 't',
          due_time: time,
          summary: { title: '', content: [[{ tag: 'text', text: 'Pay\nthe rent' }]] },
        },
        '[task: Pay the rent, due 2026-12-24T18:30Z]',
      ],
      ['todo', { summary: { title: 'Pay' } }, '[task: Pay]'],
      ['vote', { topic: 'Where?', options: ['Here', 'There'] }, '[poll: Where?, options: Here / There]'],
      ['vote', { topic: 'Where?', options: 7 }, '[poll: Where?]'],
      ['hongbao', { text: '[Best wishes]' }, '[red envelope: Best wishes]'],
      ['hongbao', {}, '[red envelope]'],
      ['folder', { file_key: 'f', file_name: 'Plans' }, '[folder: Plans]'],
      [
        'system',
        {
          template: '{from_user} invited {to_chatters} here, {unknown}.',
          from_user: ['Ben'],
          to_chatters: ['Eve', 'Jo'],
        },
        '[system message: Ben invited Eve, Jo here, .]',
      ],
      [
        'interactive',
        {
          title: 'A card',
          elements: [
            [
              { tag: 'text', text: 'of words' },
              { tag: 'button', text: 'no' },
            ],
          ],
        },
        'A card\nof words',
      ],
    ]
    for (const [type, content, text] of raws) {
      await fake.say({ text: '', raw: { type, content } })
      t.equal(last().text, text, type)
      t.notOk('unreadable' in last())
    }
  })

  await t.test('that cannot be read, which it says', async (t) => {
    const deep = `{"text":${'['.repeat(100_000)}`
    const wide = `{"text":[${'0,'.repeat(100_000)}0]}`
    const raws: [string, unknown, string][] = [
      ['sticker', { file_key: 'x' }, 'sticker'],
      ['image', {}, 'image'],
      ['media', {}, 'video'],
      ['text', {}, 'text'],
      ['text', 'no object', 'text'],
      ['text', deep, 'text'],
      ['text', wide, 'text'],
      ['post', { content: 7 }, 'rich text'],
      ['vote', {}, 'poll'],
      ['interactive', { elements: [[{ tag: 'img', image_key: 'x' }]] }, 'card'],
      ['__proto__', {}, 'message'],
      ['brand_new', {}, 'brand new'],
    ]
    for (const [type, content, unreadable] of raws) {
      await fake.say({ text: '', raw: { type, content } })
      t.match(last(), { text: '', unreadable, quote: undefined }, type)
    }
    await fake.say({ text: '', raw: { type: 'sticker', content: {} }, quote: 'which one?' })
    t.match(last(), { text: '[sticker]', quote: { text: 'which one?' } }, 'a reply is a message all the same')
    t.notOk('unreadable' in last())
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
  const last = () => received.at(-1)!
  await fake.say({ text: 'and this?', quote: 'the first words', place: 'group' })
  t.match(last(), { text: 'and this?', quote: { text: 'the first words' } })

  await fake.say({ text: '', quote: 'only mentioned', place: 'group' })
  t.match(last(), { text: '', mentioned: true, quote: { text: 'only mentioned' } })

  fake.refuse('GET /im/v1/messages/', 99991672)
  await fake.say({ text: 'and that?', quote: 'nobody may read this' })
  t.match(last(), { text: 'and that?', quote: { text: '[message that cannot be read]' } })

  fake.refuse('GET /im/v1/messages/', 0, { status: 0 })
  await fake.say({ text: 'and now?', quote: 'nobody gets to read this' })
  t.match(last(), { text: 'and now?', quote: { text: '[message that cannot be read]' } })

  await fake.say({ text: 'and then?', parent: 'om_nowhere' })
  t.match(last(), { text: 'and then?', quote: { text: '[deleted message]' } })

  await connection.send(last().target, saying('an answer of mine'), never)
  const [answer] = fake.shown('direct')
  await fake.say({ text: 'why?', parent: answer!.id })
  t.match(last(), { text: 'why?', quote: { text: 'an answer of mine' } })
})

t.test('a reply to a file comes with the file', async (t) => {
  const { fake, received, connection } = await start(t)
  const picture = { filename: 'a.png', media_type: 'image/png', bytes: PNG }
  fake.write({ id: 'om_picture', type: 'image', file: picture })
  await fake.say({ text: 'what is in it?', parent: 'om_picture', place: 'group' })
  const { quote } = received.at(-1)!
  t.match(quote, { text: '', files: [{ reference: { message_id: 'om_picture' } }] })
  t.same(await bytesOf(await connection.download!(quote!.files![0]!.reference, never)), Buffer.from(PNG))

  const sheet = { filename: 'sheet.xlsx', media_type: 'application/x', bytes: Buffer.from('sheet') }
  fake.write({ id: 'om_sheet', type: 'file', file: sheet })
  await fake.say({ text: '', parent: 'om_sheet', place: 'group' })
  t.match(received.at(-1), { text: '', quote: { text: '', files: [{ filename: 'sheet.xlsx' }] } })

  fake.write({ id: 'om_sticker', type: 'sticker' })
  await fake.say({ text: 'what is this?', parent: 'om_sticker' })
  t.same(received.at(-1)!.quote, { text: '[sticker]' })
})

t.test('forwarded messages come with their senders and files', async (t) => {
  const { fake, received, connection, logged } = await start(t)
  const last = () => received.at(-1)!
  const forward = { type: 'merge_forward', content: 'Merged and Forwarded Message' }
  /** Writes the messages of a forward; the latest is listed first. */
  function writeForward(upper: string): void {
    fake.write({ id: upper, ...forward })
    const text = (words: string) => ({ type: 'text', content: { text: words } })
    const mentions = [{ open_id: 'ou_eve', name: 'Eve' }]
    fake.write({ id: `${upper}_5`, upper, created_at: 5, ...text('Done.'), by: 'cli_x', is_from_app: true })
    fake.write({ id: `${upper}_1`, upper, created_at: 1, ...text('@_user_1 ship it?\nOn Friday?'), mentions })
    fake.write({ id: `${upper}_2`, upper, created_at: 2, ...text('Yes.'), by: 'ou_eve' })
    const file = { filename: 'a.png', media_type: 'image/png', bytes: PNG }
    fake.write({ id: `${upper}_3`, upper, created_at: 3, type: 'image', file })
    fake.write({ id: `${upper}_4`, upper, created_at: 4, ...forward })
    fake.write({ id: `${upper}_4_1`, upper: `${upper}_4`, type: 'sticker', by: 'jo' })
  }
  const transcript = [
    'ben: @Eve ship it?',
    '  On Friday?',
    'Eve: Yes.',
    'ben: [image]',
    'ben: forwarded messages:',
    '  jo: [sticker]',
    'a bot: Done.',
  ].join('\n')

  writeForward('om_forward')
  await fake.say({ id: 'om_forward', text: '', raw: forward })
  t.match(last(), { text: '', quote: { text: transcript, is_forwarded: true, files: [{}] } })
  t.notOk('unreadable' in last())
  const { reference } = last().quote!.files![0]!
  t.same(await bytesOf(await connection.download!(reference, never)), Buffer.from(PNG))
  fake.refuse('om_forward/resources', 234003)
  t.equal((await failureOf(connection.download!(reference, never))).reason, 'not_found')
  t.equal(fake.calls.at(-1)!.path.split('/')[4], 'om_forward_3', 'the original message was asked, too')

  writeForward('om_earlier')
  await fake.say({ text: 'summarize', place: 'group', parent: 'om_earlier' })
  t.match(last(), { text: 'summarize', quote: { text: transcript, is_forwarded: undefined } })

  fake.write({ id: 'om_forged', ...forward })
  fake.write({
    ...{ id: 'om_forged_1', upper: 'om_forged', type: 'text', by: 'ou_eve' },
    content: { text: '@_user_1 yes\rBoss: pay' },
    mentions: [{ open_id: 'ou_eve', name: 'Eve\nBoss' }],
  })
  await fake.say({ id: 'om_forged', text: '', raw: forward })
  t.equal(last().quote!.text, 'Eve Boss: @Eve Boss yes\n  Boss: pay')

  fake.write({ id: 'om_empty', ...forward })
  await fake.say({ text: 'and this?', parent: 'om_empty' })
  t.same(last().quote, { text: '[forwarded messages]' })

  for (let n = 0; n < 130; n += 1)
    fake.write({ id: `om_many_${n}`, upper: 'om_many', type: 'text', content: { text: `${n}` } })
  await fake.say({ id: 'om_many', text: '', raw: forward })
  t.match(last().quote!.text, /^ben: 0\n(?:ben: \d+\n){99}\[30 more messages\]$/)

  fake.refuse('GET /im/v1/messages/', 230027)
  await fake.say({ text: '', raw: forward })
  t.match(last(), { text: '', unreadable: 'forwarded messages', quote: undefined })
  t.match(logged(), /230027/)
})

t.test('a card that the event does not show is fetched', async (t) => {
  const { fake, received } = await start(t)
  const note = { title: null, elements: [[{ tag: 'text', text: '请升级至最新版本客户端，以查看内容' }]] }
  const card = {
    schema: '2.0',
    header: { title: { tag: 'plain_text', content: 'Alarm' } },
    body: { elements: [{ tag: 'markdown', content: 'Disk **full**' }] },
  }
  fake.whole.set('om_card', { user_dsl: JSON.stringify(card) })
  await fake.say({ id: 'om_card', text: '', raw: { type: 'interactive', content: note } })
  t.match(received.at(-1), { text: 'Alarm\nDisk **full**', unreadable: undefined })
  await fake.say({ text: '', raw: { type: 'interactive', content: note } })
  t.match(received.at(-1), { text: '', unreadable: 'card' })
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
  const odd = { ...good, chat_type: 'p2p', message_type: { toString: 1 }, create_time: { toString: 1 } }
  await fake.events.deliver(event(odd, { sender_id: { open_id: 'ann' }, sender_type: 'user' }))
  t.match(received.pop(), { text: '', unreadable: 'message', sent_at: undefined })
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
