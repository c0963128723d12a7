import kind from '../../channels/telegram/index.ts'
import { classifyRefusal, readPause } from '../../channels/telegram/refusals.ts'
import t from '../run/file-test.ts'
import {
  failureOf,
  message,
  never,
  openWith,
  testTelegram as test,
} from '../support/fake-telegram-channel.ts'
import { GROUP } from '../support/fake-telegram-people.ts'
import { openChannel } from '../support/open-channel.ts'

t.jobs = 6

const BASIC_GROUP = -4001
const SUPERGROUP = -1009876543210

t.test('refusals are classified by the words of Telegram', async (t) => {
  const classes: Record<string, [code: number, descriptions: string[]]> = {
    text: [
      400,
      [
        'MESSAGE_TOO_LONG',
        'message is too long',
        'message caption is too long',
        'MEDIA_CAPTION_TOO_LONG',
        'message text is empty',
        'text must be non-empty',
        'message must be non-empty',
        'MESSAGE_EMPTY',
        "can't parse entities: Unclosed start tag at byte offset 3",
        "can't parse message text: Can't find end tag corresponding to start tag b",
        'ENTITY_BOUNDS_INVALID',
        'ENTITIES_TOO_LONG',
        'strings must be encoded in UTF-8',
        'text must be encoded in UTF-8',
      ],
    ],
    forbidden: [
      400,
      [
        'need administrator rights in the channel chat',
        'not enough rights to send text messages to the chat',
        'have no rights to send a message',
        'CHAT_WRITE_FORBIDDEN',
        'CHAT_SEND_PLAIN_FORBIDDEN',
        'CHAT_SEND_MEDIA_FORBIDDEN',
        'VOICE_MESSAGES_FORBIDDEN',
        'CHAT_ADMIN_REQUIRED',
        'CHAT_RESTRICTED',
        'CHANNEL_PRIVATE',
        'TOPIC_CLOSED',
        'USER_IS_BLOCKED',
        'USER_BANNED_IN_CHANNEL',
        'user is deactivated',
        'group chat was deactivated',
        "bot can't initiate conversation with a user",
        'PRIVACY_PREMIUM_REQUIRED',
      ],
    ],
    not_found: [
      400,
      [
        'chat not found',
        'message thread not found',
        'TOPIC_DELETED',
        'TOPIC_ID_INVALID',
        'message to edit not found',
        'replied message not found',
        'message to be replied not found',
        'MESSAGE_ID_INVALID',
        'PEER_ID_INVALID',
        'wrong file identifier/HTTP URL specified',
        'group chat was upgraded to a supergroup chat',
        'query is too old and response timeout expired or query ID is invalid',
      ],
    ],
    unsupported: [
      400,
      [
        "message can't be edited",
        'MESSAGE_EDIT_TIME_EXPIRED',
        'file is too big',
        'file must be non-empty',
        'PHOTO_INVALID_DIMENSIONS',
        'IMAGE_PROCESS_FAILED',
        'MEDIA_EMPTY',
        'BUTTON_DATA_INVALID',
        "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
      ],
    ],
    rate_limited: [400, ['SLOWMODE_WAIT_30', 'FLOOD_WAIT_7']],
    invalid_credentials: [400, ['Logged out']],
    unknown: [400, ['WEBPAGE_CURL_FAILED', 'something new']],
  }
  for (const [name, [code, descriptions]] of Object.entries(classes))
    for (const words of descriptions) {
      const { reason, is_about_text } = classifyRefusal(code, `Bad Request: ${words}`)
      t.equal(is_about_text ? 'text' : reason, name, words)
      if (is_about_text) t.equal(reason, 'unsupported')
    }
  const codes = { 401: 'invalid_credentials', 403: 'forbidden', 406: 'unknown', 409: 'already_connected' }
  const others = { 413: 'unsupported', 418: 'unknown', 420: 'rate_limited', 429: 'rate_limited' }
  for (const [code, reason] of Object.entries({
    ...codes,
    ...others,
    500: 'unreachable',
    504: 'unreachable',
  }))
    t.match(classifyRefusal(Number(code), 'text is empty'.slice(0, code === '406' ? 0 : 4)), { reason }, code)
  t.equal(readPause(7, ''), 7000)
  t.equal(readPause(undefined, 'Too Many Requests: retry after 12'), 12_000)
  t.equal(readPause(undefined, 'SLOWMODE_WAIT_30'), 30_000)
  t.equal(readPause(undefined, 'Too Many Requests'), undefined)
})

test('a refusal says whether another form of the text can help', async (t, telegram) => {
  const { connection, target } = await openWith(t, telegram)
  const send = (text: string) => failureOf(connection.send(target, message(text), never))
  t.match(await send('x'.repeat(4097)), { reason: 'unsupported', is_about_text: true, message: /too long/ })
  const sent = await connection.send(target, message('x'.repeat(4096)), never)
  t.match(await failureOf(connection.settle!(target, sent, '😀'.repeat(2049), never)), {
    reason: 'unsupported',
    is_about_text: true,
    message: /MESSAGE_TOO_LONG/,
  })
  telegram.refuse(1, { status: 400, description: 'Bad Request: something new' })
  t.match(await send('hi'), { reason: 'unknown', is_about_text: false })
  telegram.refuse(1, { status: 429, description: 'Too Many Requests: retry after 9' })
  t.match(await send('hi'), { reason: 'rate_limited', retry_after_ms: 9000 })
  t.equal(telegram.shown().length, 1)
})

test('answers that are not Telegram’s own', async (t, telegram) => {
  const { connection, target } = await openWith(t, telegram)
  for (const [status, reason] of [
    [408, 'unreachable'],
    [413, 'unsupported'],
    [429, 'rate_limited'],
    [403, 'unknown'],
    [503, 'unreachable'],
    [530, 'unreachable'],
  ] as const) {
    for (const [type, body] of [
      ['text/html', '<html><h1>nginx</h1></html>'],
      ['application/json', '{"error":"upstream connect error"}'],
      ['application/json', '{"error":'],
      ['application/json', 'null'],
    ] as const) {
      telegram.answerWith(1, status, type, body)
      t.match(await failureOf(connection.send(target, message('hi'), never)), { reason }, `${status} ${body}`)
    }
  }
})

test('half a character is replaced wherever text goes out', async (t, telegram) => {
  const { connection, target, close } = await openWith(t, telegram, 'direct', {
    outcomeOf: () => ({ notice: `${'x'.repeat(199)}😀` }),
  })
  const buttons = [{ label: 'Yes \ud83d', value: 'yes', style: 'primary' as const }]
  const sent = await connection.send(target, message('May I? \ud83d', { buttons }), never)
  await connection.send(target, message('<h1>\ude00</h1> &#xd83d;'), never)
  const live = await connection.live!(target, message('a\ud83d'), never)
  await live.finish('b\ud83d', never)
  const file = { media_type: 'text/plain', bytes: new TextEncoder().encode('a'), key: 'K' }
  await connection.sendFile!(target, { ...file, filename: 'a\ud83d.txt' }, never)
  t.match(telegram.shown(), [
    { text: 'May I? \ufffd', buttons: ['Yes \ufffd'] },
    { text: '\ufffd \ufffd' },
    { text: 'b\ufffd', history: ['a\ufffd'] },
    { file: { filename: 'a\ufffd.txt' } },
  ])
  t.equal(await telegram.press(telegram.shown()[0]!.id, 'Yes \ufffd'), `${'x'.repeat(199)}\ufffd`)
  await connection.settle!(target, sent, 'Done \ud83d', never)
  t.equal(telegram.shown()[0]!.text, 'Done \ufffd')
  await close()
})

test('a text without anything visible is replaced', async (t, telegram) => {
  const { connection, target } = await openWith(t, telegram)
  const texts = [
    '',
    ' \n ',
    '\u200b',
    '<b>\u2060\ufeff</b>',
    '&#8203;&#x200D;',
    '<pre><code></code></pre>',
    '\u2800\u3164',
  ]
  for (const text of texts) await connection.send(target, message(text), never)
  t.same(
    telegram.shown().map(({ text }) => text),
    texts.map(() => '…'),
  )
})

test('a group that became a supergroup is answered there', async (t, telegram) => {
  const { connection, states } = await openChannel(t, kind, telegram)
  const target = { chat_id: BASIC_GROUP, reply_to: 41 }
  telegram.migrate(BASIC_GROUP, SUPERGROUP)
  const file = { filename: 'a.txt', media_type: 'text/plain', bytes: new TextEncoder().encode('a'), key: 'K' }
  const moved = `moved: ${BASIC_GROUP} ${SUPERGROUP}`

  const sent = await connection.send(target, message('One'), never)
  t.match(sent, { chat_id: SUPERGROUP })
  t.same(states, [moved])
  await connection.typing!(target, never)
  await connection.sendFile!(target, file, never)
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47])
  await connection.sendFile!(target, { ...file, media_type: 'image/png', bytes: png }, never)
  const live = await connection.live!(target, message('Two'), never)
  await live.finish('Two and three', never)
  t.match(live.reference, { chat_id: SUPERGROUP })
  t.match(
    telegram.messages.map(({ chat, text, reply_to, file }) => [chat.id, text, reply_to, file?.as]),
    [
      [SUPERGROUP, 'One', undefined, undefined],
      [SUPERGROUP, '', undefined, 'document'],
      [SUPERGROUP, '', undefined, 'photo'],
      [SUPERGROUP, 'Two and three', undefined, undefined],
    ],
    'not as a reply: a supergroup numbers its messages anew',
  )
  t.same(telegram.typingsIn, [{ chat_id: SUPERGROUP }])
  t.same(new Set(states), new Set([moved]))
})

test('a message that is being written while its group becomes a supergroup', async (t, telegram) => {
  const { connection, states } = await openChannel(t, kind, telegram)
  const begun = { chat_id: BASIC_GROUP, message_id: 7 }
  telegram.migrate(BASIC_GROUP, SUPERGROUP)
  const live = await connection.live!({ chat_id: BASIC_GROUP }, message('One'), never, begun)
  await live.update('One two', never)
  await live.finish('One two three', never)
  t.match(telegram.messages, [{ chat: { id: SUPERGROUP }, text: 'One two three', history: ['One two'] }])
  await connection.settle!({ chat_id: BASIC_GROUP }, begun, 'Approved.', never)
  t.match(telegram.messages[1], { chat: { id: SUPERGROUP }, text: 'Approved.' })
  t.equal(states[0], `moved: ${BASIC_GROUP} ${SUPERGROUP}`)
})

test('a supergroup that is replaced again and again is not followed without end', async (t, telegram) => {
  const { connection } = await openChannel(t, kind, telegram)
  telegram.migrate(SUPERGROUP, BASIC_GROUP)
  telegram.migrate(BASIC_GROUP, SUPERGROUP)
  telegram.refuse(3, {
    status: 400,
    description: 'Bad Request: group chat was upgraded to a supergroup chat',
    parameters: { migrate_to_chat_id: SUPERGROUP },
  })
  const refused = await failureOf(connection.send({ chat_id: BASIC_GROUP }, message('hi'), never))
  t.equal(refused.reason, 'not_found')
})

test('a topic that was deleted is answered in the group', async (t, telegram) => {
  const { connection } = await openChannel(t, kind, telegram)
  telegram.openTopic(77)
  telegram.deleteTopic(77)
  const target = { chat_id: GROUP.id, thread_id: 77, reply_to: 500 }
  await connection.send(target, message('Here.'), never)
  await connection.typing!(target, never)
  const bytes = new TextEncoder().encode('a')
  await connection.sendFile!(target, { filename: 'a.txt', media_type: 'text/plain', bytes, key: 'K' }, never)
  t.same(
    telegram.messages.map(({ thread_id, reply_to }) => [thread_id, reply_to]),
    [
      [undefined, 500],
      [undefined, 500],
    ],
  )
  t.same(telegram.typingsIn, [{ chat_id: GROUP.id }])

  telegram.openTopic(78)
  telegram.closeTopic(78)
  const closed = await failureOf(connection.send({ chat_id: GROUP.id, thread_id: 78 }, message('hi'), never))
  t.match(closed, { reason: 'forbidden', message: /TOPIC_CLOSED/ })
  t.equal(telegram.messages.length, 2, 'what was closed on purpose is not evaded')
})

test('a message that can no longer be replied to is answered without a reply', async (t, telegram) => {
  const { connection, target } = await openWith(t, telegram, 'group')
  for (const words of [
    'message to be replied not found',
    'replied message not found',
    'REPLY_MESSAGE_ID_INVALID',
  ]) {
    telegram.refuse(1, { status: 400, description: `Bad Request: ${words}` })
    await connection.send(target, message(words), never)
    t.match(telegram.messages.at(-1), { text: words, reply_to: undefined })
  }
})

test('an edit that changes nothing is done', async (t, telegram) => {
  const { connection, target } = await openWith(t, telegram)
  const sent = await connection.send(target, message('One'), never)
  for (const words of ['MESSAGE_NOT_MODIFIED', 'message is not modified: specified new message content']) {
    telegram.refuse(1, { status: 400, description: `Bad Request: ${words}` })
    await connection.settle!(target, sent, 'Two', never)
  }
  for (const [words, reason] of [
    ["message can't be edited", 'unsupported'],
    ['MESSAGE_ID_INVALID', 'not_found'],
  ] as const) {
    telegram.refuse(1, { status: 400, description: `Bad Request: ${words}` })
    t.match(await failureOf(connection.settle!(target, sent, 'Two', never)), { reason, is_about_text: false })
  }
  t.match(telegram.shown(), [{ text: 'One', history: [] }])
})
