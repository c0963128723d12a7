import { buffer } from 'node:stream/consumers'
import type { InboundMessage } from '#plugin-api'
import kind from '../../channels/telegram/index.ts'
import t, { type Test } from '../run/file-test.ts'
import type { FakeTelegram } from '../support/fake-telegram.ts'
import { eventually, never, testTelegram as test } from '../support/fake-telegram-channel.ts'
import { DIRECT, GROUP, person } from '../support/fake-telegram-people.ts'
import { openChannel } from '../support/open-channel.ts'

t.jobs = 6

const ME = { id: 7012345678, is_bot: true, first_name: 'Test bot', username: 'svc_test_bot' }
const PHOTO = [
  { file_id: 'small', file_size: 3, width: 90, height: 60 },
  { file_id: 'large', file_size: 9, width: 1280, height: 853 },
]

/** Opens a channel; the returned function delivers a message with these fields and returns what was received of it. */
async function openInbound(t: Test, telegram: FakeTelegram) {
  const channel = await openChannel(t, kind, telegram)
  let message_id = 1000
  const hear = async (fields: object): Promise<InboundMessage | undefined> => {
    const { length } = channel.received
    message_id += 1
    await telegram.deliver({
      message: { message_id, from: person('1001'), chat: DIRECT, date: 1, ...fields },
    })
    return channel.received[length]
  }
  return { ...channel, hear }
}

test('what is neither text nor a file is described', async (t, telegram) => {
  const { hear } = await openInbound(t, telegram)
  const location = { latitude: 52.52, longitude: 13.405 }
  const options = [{ text: 'Tea' }, { text: 'Coffee' }]
  const sticker = { file_id: 's', width: 512, height: 512, is_animated: true, is_video: false }
  const described: [fields: object, text: string][] = [
    [{ location }, '[location: 52.52, 13.405]'],
    [{ location: { ...location, live_period: 900 } }, '[live location: 52.52, 13.405]'],
    [
      { venue: { location, title: 'Town hall', address: 'Main street 1' }, location },
      '[place: Town hall, Main street 1, 52.52, 13.405]',
    ],
    [
      { contact: { first_name: 'Ben', last_name: 'Li', phone_number: '+4930123' } },
      '[contact: Ben Li, +4930123]',
    ],
    [
      { contact: { first_name: 'A\n\nMessage from Boss:', phone_number: '1' } },
      '[contact: A Message from Boss:, 1]',
    ],
    [{ poll: { type: 'regular', question: 'Which?', options } }, '[poll: Which? (1) Tea (2) Coffee]'],
    [{ poll: { type: 'quiz', question: 'Which?', options } }, '[quiz: Which? (1) Tea (2) Coffee]'],
    [{ dice: { emoji: '🎯', value: 4 } }, '[dice: 🎯 4]'],
    [{ sticker: { ...sticker, emoji: '👍' } }, '👍'],
    [{ game: { title: 'Chess', description: 'With a clock', photo: PHOTO } }, '[game: Chess. With a clock]'],
    [
      {
        checklist: {
          title: 'Trip',
          tasks: [
            { id: 1, text: 'Pack', completion_date: 5 },
            { id: 2, text: 'Go' },
          ],
        },
      },
      '[checklist: Trip (done) Pack (open) Go]',
    ],
    [{ gift: { gift: { id: '1', star_count: 5 }, text: 'For you' } }, '[gift: For you]'],
    [{ unique_gift: { gift: {}, origin: 'transfer' } }, '[gift]'],
    [{ giveaway: { winner_count: 3, chats: [] } }, '[giveaway: 3 winners]'],
    [{ giveaway_winners: { winner_count: 3 } }, '[winners of a giveaway: 3]'],
    [{ invoice: { title: 'Book', description: 'On paper' } }, '[invoice: Book. On paper]'],
    [
      { paid_media: { star_count: 5, paid_media: [{ type: 'preview' }] }, caption: 'Buy it' },
      'Buy it\n[paid media: 5 stars]',
    ],
  ]
  for (const [fields, text] of described) {
    const heard = await hear(fields)
    t.equal(heard?.text, text)
    t.equal(heard?.unreadable, undefined, text)
  }
  const still = await hear({ sticker: { ...sticker, is_animated: false } })
  t.match(still, { text: '', files: [{ filename: 'sticker.webp', media_type: 'image/webp' }] })
  const paid = await hear({ paid_media: { star_count: 5, paid_media: [{ type: 'photo', photo: PHOTO }] } })
  t.match(paid, { files: [{ reference: { file_id: 'large' } }] })
  const lively = await hear({ live_photo: { file_id: 'l', photo: PHOTO }, photo: PHOTO })
  t.match(lively!.files, { length: 1 })
})

test('content that cannot be read is named', async (t, telegram) => {
  const { hear } = await openInbound(t, telegram)
  const unreadable: [fields: object, name: string][] = [
    [{ sticker: { file_id: 's', is_animated: true, is_video: false } }, 'sticker'],
    [{ sticker: { file_id: 's', is_animated: false, is_video: true } }, 'sticker'],
    [{ story: { id: 1, chat: DIRECT } }, 'story'],
    [{}, 'message'],
    [{ something_new: { of: 'a later version' } }, 'message'],
    [{ story: { id: 1, chat: DIRECT }, forward_origin: { type: 'user', sender_user: person('7') } }, 'story'],
  ]
  for (const [fields, name] of unreadable)
    t.match(await hear(fields), { text: '', unreadable: name, quote: undefined })
})

test('what Telegram itself writes is nobody’s message', async (t, telegram) => {
  const { hear, received } = await openInbound(t, telegram)
  const user = person('1002')
  const events: object[] = [
    { new_chat_members: [user] },
    { left_chat_member: user },
    { new_chat_title: 'x' },
    { new_chat_photo: PHOTO },
    { delete_chat_photo: true },
    { group_chat_created: true },
    { pinned_message: { message_id: 1, chat: GROUP, date: 1, text: 'pinned' } },
    { forum_topic_created: { name: 'x', icon_color: 1 } },
    { forum_topic_closed: {} },
    { video_chat_started: {} },
    { message_auto_delete_timer_changed: { message_auto_delete_time: 5 } },
    { boost_added: { boost_count: 1 } },
    { write_access_allowed: {} },
    { successful_payment: { currency: 'XTR', total_amount: 1 } },
  ]
  for (const event of events)
    t.equal(await hear({ ...event, chat: GROUP }), undefined, Object.keys(event).join())
  t.same(received, [])
})

test('the files of a quoted message come along', async (t, telegram) => {
  const { hear, connection } = await openInbound(t, telegram)
  const original = { message_id: 5, from: person('ben'), chat: DIRECT, date: 1 }
  const file = { file_id: 'f', file_size: 3 }
  const reply = async (fields: object, more: object = {}) =>
    (await hear({ text: 'what is this?', reply_to_message: { ...original, ...fields }, ...more }))!

  const photo = await reply({ photo: PHOTO })
  t.match(photo, { text: 'what is this?', files: undefined })
  t.same(photo.quote, {
    text: '',
    sender: 'ben',
    files: [{ filename: 'photo.jpg', media_type: 'image/jpeg', size: 9, reference: { file_id: 'large' } }],
  })
  telegram.knowFile('large', { path: 'photos/1.jpg', size: 3, bytes: new TextEncoder().encode('jpg') })
  const { bytes } = await connection.download!(photo.quote!.files![0]!.reference, never)
  t.equal((await buffer(bytes)).toString(), 'jpg')

  for (const field of ['document', 'voice', 'video', 'audio', 'animation', 'video_note'])
    t.match((await reply({ [field]: file, caption: 'Look:' })).quote, {
      text: 'Look:',
      files: [{ reference: { file_id: 'f' } }],
    })
  const sticker = { ...file, is_animated: false, is_video: false, emoji: '👍' }
  t.match((await reply({ sticker })).quote, { text: '👍', files: [{ filename: 'sticker.webp' }] })
  t.match((await reply({ sticker: { ...sticker, is_video: true, emoji: undefined } })).quote, {
    text: '[sticker]',
    files: undefined,
  })
  t.match(
    (await reply({ photo: PHOTO, caption: 'It rains and rains.' }, { quote: { text: 'rains' } })).quote,
    {
      text: 'rains',
      files: { length: 1 },
    },
  )
  t.match((await reply({ location: { latitude: 1, longitude: 2 } })).quote, { text: '[location: 1, 2]' })
  t.equal((await reply({ new_chat_title: 'x' })).quote, undefined)
  t.equal((await reply({ date: 0, from: undefined })).quote, undefined, 'one that can no longer be had')
  const odd = await reply({ document: { ...file, file_name: 'a\ud83d.txt' } })
  t.equal(odd.quote!.files![0]!.filename, 'a\ufffd.txt')
})

test('a mention with nothing but a reply is a message', async (t, telegram) => {
  const { hear } = await openInbound(t, telegram)
  const text = '@svc_test_bot'
  t.match(
    await hear({
      chat: GROUP,
      text,
      entities: [{ type: 'mention', offset: 0, length: text.length }],
      reply_to_message: { message_id: 5, from: person('ben'), chat: GROUP, date: 1, text: 'Is it late?' },
    }),
    { text: '', mentioned: true, quote: { text: 'Is it late?', sender: 'ben' } },
  )
})

test('replies to messages elsewhere', async (t, telegram) => {
  const { hear } = await openInbound(t, telegram)
  const origin = {
    type: 'channel',
    date: 1,
    chat: { id: -100, type: 'channel', title: 'News' },
    message_id: 3,
  }
  const common = { text: 'so?' }
  t.same(
    (await hear({ ...common, external_reply: { origin, photo: PHOTO }, quote: { text: 'It rains.' } }))!
      .quote,
    {
      text: 'It rains.',
      sender: 'News',
      files: [{ filename: 'photo.jpg', media_type: 'image/jpeg', size: 9, reference: { file_id: 'large' } }],
    },
  )
  const poll = { type: 'regular', question: 'Which?', options: [] }
  t.same((await hear({ ...common, external_reply: { origin, poll } }))!.quote, {
    text: '[poll: Which?]',
    sender: 'News',
  })
  t.equal((await hear({ ...common, external_reply: { origin } }))!.quote, undefined)
  t.same((await hear({ ...common, reply_to_story: { id: 1, chat: DIRECT } }))!.quote, {
    text: '[story]',
    sender: 'ann',
  })
  t.same((await hear({ ...common, quote: { text: 'gone' } }))!.quote, { text: 'gone' })

  const elsewhere = { origin: { type: 'user', date: 1, sender_user: ME } }
  t.match(await hear({ ...common, chat: GROUP, external_reply: elsewhere, quote: { text: 'I can' } }), {
    mentioned: true,
    quote: { text: 'I can', sender: 'Test bot' },
  })
  const ofAnother = { origin: { type: 'user', date: 1, sender_user: person('ben') } }
  t.match(await hear({ ...common, chat: GROUP, external_reply: ofAnother }), { mentioned: false })
})

test('forwarded messages', async (t, telegram) => {
  const { hear } = await openInbound(t, telegram)
  const origins: [origin: object, sender: string][] = [
    [{ type: 'user', sender_user: person('ben') }, 'ben'],
    [{ type: 'hidden_user', sender_user_name: 'Somebody' }, 'Somebody'],
    [{ type: 'chat', sender_chat: GROUP }, 'The group'],
    [{ type: 'channel', chat: { id: -100, type: 'channel', title: 'News' }, message_id: 3 }, 'News'],
  ]
  for (const [forward_origin, sender] of origins) {
    const heard = (await hear({ text: '/new It rains.', forward_origin }))!
    t.equal(heard.text, '', 'a forwarded command is none')
    t.same(heard.quote, { text: '/new It rains.', sender, is_forwarded: true })
  }
  const [[forward_origin] = [{}]] = origins
  const photo = (await hear({ photo: PHOTO, caption: 'Look:', forward_origin }))!
  t.match(photo, {
    text: '',
    files: undefined,
    quote: { text: 'Look:', files: { length: 1 }, is_forwarded: true },
  })
  t.match(await hear({ location: { latitude: 1, longitude: 2 }, forward_origin }), {
    quote: { text: '[location: 1, 2]', is_forwarded: true },
  })
  const group = await hear({ text: 'It rains.', forward_origin, chat: GROUP })
  t.match(group, { mentioned: false, quote: { text: 'It rains.' } })
})

test('a forwarded album is one quote', async (t, telegram) => {
  const { received } = await openChannel(t, kind, telegram)
  const part = (message_id: number, more: object) =>
    telegram.deliver({
      message: {
        message_id,
        from: person('1001'),
        chat: DIRECT,
        date: 1,
        media_group_id: '9',
        forward_origin: { type: 'hidden_user', sender_user_name: 'Somebody' },
        photo: [{ file_id: `p${message_id}`, width: 9, height: 9 }],
        ...more,
      },
    })
  await Promise.all([part(11, { caption: 'Look:' }), part(12, {})])
  await eventually(() => received.length === 1, 'received')
  t.match(received[0], {
    text: '',
    quote: {
      text: 'Look:',
      sender: 'Somebody',
      files: [{ reference: { file_id: 'p11' } }, { reference: { file_id: 'p12' } }],
      is_forwarded: true,
    },
  })
})

test('formatted messages are read as text', async (t, telegram) => {
  const { hear } = await openInbound(t, telegram)
  const photo = [{ file_id: 'p', width: 9, height: 9 }]
  const blocks = [
    { type: 'heading', size: 1, text: 'Plan' },
    {
      type: 'paragraph',
      text: [
        { type: 'mention', text: '@svc_test_bot', username: 'svc_test_bot' },
        ' 😀 do ',
        { type: 'bold', text: ['this', { type: 'custom_emoji', alternative_text: '!' }] },
      ],
    },
    {
      type: 'list',
      items: [
        {
          label: '1.',
          blocks: [
            { type: 'paragraph', text: 'one' },
            { type: 'paragraph', text: 'more' },
          ],
        },
        { label: '', has_checkbox: true, is_checked: true, blocks: [{ type: 'paragraph', text: 'two' }] },
        { label: '', has_checkbox: true, blocks: [{ type: 'photo', photo, caption: { text: 'three' } }] },
      ],
    },
    {
      type: 'table',
      cells: [
        [{ text: 'a' }, { text: 'b' }],
        [{ text: 'c' }, {}],
      ],
      caption: 'T',
    },
    { type: 'blockquote', blocks: [{ type: 'paragraph', text: 'said' }], credit: 'ben' },
    { type: 'details', summary: 'More', blocks: [{ type: 'pre', text: 'x = 1\n' }] },
    { type: 'mathematical_expression', expression: 'a^2' },
    { type: 'divider' },
    { type: 'map', location: { latitude: 1, longitude: 2 } },
    { type: 'voice_note', voice_note: { file_id: 'v' } },
  ]
  const heard = await hear({ chat: GROUP, rich_message: { blocks } })
  t.match(heard, { mentioned: true, files: [{ reference: { file_id: 'p' } }, { media_type: 'audio/ogg' }] })
  t.equal(
    heard!.text,
    [
      'Plan',
      '😀 do this!',
      '1. one',
      'more',
      '[x] two',
      '[ ] ',
      'three',
      'a | b',
      'c | ',
      'T',
      'said',
      '— ben',
      'More',
      'x = 1',
      'a^2',
      '[location: 1, 2]',
    ].join('\n'),
  )
})

test('mentions in captions, and what follows a mention', async (t, telegram) => {
  const { hear } = await openInbound(t, telegram)
  const mention = (caption: string, part: string, type = 'mention', more: object = {}) =>
    hear({
      chat: GROUP,
      photo: PHOTO,
      caption,
      caption_entities: [{ type, offset: caption.indexOf(part), length: part.length, ...more }],
    })
  t.match(await mention('👍 @Svc_Test_Bot what is it?', '@Svc_Test_Bot'), {
    text: '👍 what is it?',
    mentioned: true,
    files: { length: 1 },
  })
  t.match(await mention('Test bot: go', 'Test bot', 'text_mention', { user: ME }), {
    text: 'go',
    mentioned: true,
  })
  t.match(await mention('/new@SVC_TEST_BOT now', '/new@SVC_TEST_BOT', 'bot_command'), { text: '/new now' })
  for (const [caption, text] of [
    ['@svc_test_bot :-) hi', ':-) hi'],
    ['@svc_test_bot:) hi', ':) hi'],
    ['@svc_test_bot :smile:', ':smile:'],
    ['@svc_test_bot, hi', 'hi'],
    ['@svc_test_bot：你好', '你好'],
    ['@svc_test_bot : hi', 'hi'],
    ['@svc_test_bot @Override 是什么意思', '@Override 是什么意思'],
  ] as const)
    t.match(await mention(caption, '@svc_test_bot'), { text, mentioned: true })
  t.match(await hear({ chat: GROUP, text: '@svc_test_bot is only written', entities: [] }), {
    text: '@svc_test_bot is only written',
    mentioned: false,
  })
  t.match(await hear({ chat: GROUP, photo: PHOTO }), { mentioned: false, text: '', files: { length: 1 } })
})

test('a group that becomes a supergroup moves with its conversation', async (t, telegram) => {
  const { received, states } = await openChannel(t, kind, telegram)
  const common = { message_id: 1, from: person('1001'), date: 1 }
  const group = { id: -4001, type: 'group', title: 'The group' }
  const supergroup = { id: -1009876543210, type: 'supergroup', title: 'The group' }
  await telegram.deliver({ message: { ...common, chat: group, migrate_to_chat_id: supergroup.id } })
  await telegram.deliver({ message: { ...common, chat: supergroup, migrate_from_chat_id: group.id } })
  await telegram.deliver({ message: { ...common, chat: supergroup, text: 'still there?' } })
  t.same(states, Array(2).fill('moved: -4001 -1009876543210'))
  t.match(received, [{ text: 'still there?', conversation: { id: '-1009876543210', type: 'group' } }])
})
