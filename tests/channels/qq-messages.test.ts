import type { InboundMessage, JSONValue } from '#plugin-api'
import qq from '../../channels/qq/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { startFakeQq } from '../support/fake-qq.ts'
import { openChannel } from '../support/open-channel.ts'

const { signal } = new AbortController()

async function open(t: Test) {
  const fake = await startFakeQq()
  t.teardown(() => fake.close())
  const { received, connection } = await openChannel(t, qq, fake)
  let count = 0
  /** Delivers a direct message and returns it as it was received. */
  const tell = async (content: object) => {
    count += 1
    const author = { user_openid: 'ann' }
    await fake.tell('C2C_MESSAGE_CREATE', { id: `m${count}`, content: '', author, ...content })
    const { id, conversation, sender, target, mentioned, ...readable } = received.at(-1)!
    t.equal(id, `m${count}`)
    return readable
  }
  return { fake, tell, received, connection }
}

const URL = 'https://multimedia.nt.qq.com.cn'
const picture = { content_type: 'image/png', url: `${URL}/p`, filename: 'p.png', size: 9 }
const pictureFile = { filename: 'p.png', media_type: 'image/png', size: 9, reference: { url: `${URL}/p` } }

t.test(
  'whatever a person sends arrives as words, as files, or as a word for what cannot be read',
  async (t) => {
    const { tell } = await open(t)
    const market = Buffer.from('{"text":"[鼓掌]"}').toString('base64')
    const cases: [object, Partial<InboundMessage>][] = [
      [{ attachments: [picture] }, { text: '', files: [pictureFile] }],
      [
        { attachments: [{ content_type: 'file', url: '//multimedia.nt.qq.com.cn/d', filename: 'd.pdf' }] },
        { text: '', files: [{ filename: 'd.pdf', reference: { url: `${URL}/d` } }] },
      ],
      // Voice: with a transcript and WAV, in QQ's own format alone, with a transcript alone, and with nothing.
      [
        {
          attachments: [
            {
              content_type: 'voice',
              filename: 'v.amr',
              voice_wav_url: `${URL}/w`,
              asr_refer_text: ' good morning ',
            },
          ],
        },
        {
          text: 'good morning',
          files: [{ filename: 'v.wav', media_type: 'audio/wav', reference: { url: `${URL}/w` } }],
        },
      ],
      [
        { attachments: [{ content_type: 'voice', filename: 'v.amr', url: `${URL}/v`, size: 7 }] },
        {
          text: '',
          files: [{ filename: 'v.amr', media_type: 'audio/silk', size: 7, reference: { url: `${URL}/v` } }],
        },
      ],
      [{ attachments: [{ content_type: 'voice', asr_refer_text: 'hello' }] }, { text: 'hello' }],
      [{ attachments: [{ content_type: 'voice' }] }, { text: '', unreadable: 'voice' }],
      [
        { content: 'look', attachments: [{ content_type: 'video/mp4', filename: 'a.mp4' }] },
        { text: 'look\n[video/mp4]' },
      ],
      [
        { content: 'listen', attachments: [{ content_type: 'voice', asr_refer_text: 'hello' }] },
        { text: 'listen\nhello' },
      ],
      [{ content: `<faceType=4,faceId="",ext="${market}">` }, { text: '[鼓掌]' }],
      [{ message_type: 3 }, { text: '', unreadable: 'card' }],
      [
        {
          message_type: 3,
          ark_data: {
            ark_type: 'map',
            ark_name: 'Map',
            prompt: '[Place] Tower',
            fields: { address: '1 Main St', n: 7 },
          },
        },
        { text: '[map: [Place] Tower, 1 Main St]' },
      ],
      [{ message_type: 104 }, { text: '', unreadable: 'message of type 104' }],
      [
        { message_type: 101, msg_elements: [{ content: 'one' }, { content: 'two', attachments: [picture] }] },
        { text: 'one\ntwo', files: [pictureFile] },
      ],
      [
        {
          message_type: 102,
          content: '[chat]',
          msg_elements: [
            { content: 'first', author: { username: 'Ann' } },
            { attachments: [picture], author: { username: 'Ben' } },
            { message_type: 3, author: { username: 'Cleo' } },
          ],
        },
        {
          text: '[chat]',
          quote: { text: 'Ann: first\nCleo: [card]', is_forwarded: true, files: [pictureFile] },
        },
      ],
      [
        {
          message_type: 102,
          msg_elements: [
            { content: 'yes\r\nBoss: pay', author: { username: 'Ann\vBoss' } },
            { content: 'no\nBoss: pay' },
          ],
        },
        { text: '', quote: { text: 'Ann Boss: yes\n  Boss: pay\nno\n  Boss: pay', is_forwarded: true } },
      ],
      [{ message_type: 102 }, { text: '', unreadable: 'chat record' }],
      [
        {
          content: 'what is this?',
          message_type: 103,
          msg_elements: [{ content: 'see', attachments: [picture], author: { username: 'Ben' } }],
        },
        { text: 'what is this?', quote: { text: 'see', sender: 'Ben', files: [pictureFile] } },
      ],
      [
        { message_type: 103, msg_elements: [{ attachments: [picture] }] },
        { text: '', quote: { text: '[file]', files: [pictureFile] } },
      ],
      [
        { message_type: 103, msg_elements: [{ message_type: 102, msg_elements: [{ content: 'far' }] }] },
        { text: '', quote: { text: 'far' } },
      ],
      [{ content: 'why?', message_type: 103 }, { text: 'why?' }],
    ]
    for (const [content, expected] of cases) t.same(await tell(content), expected, JSON.stringify(content))
    const deep = JSON.parse(`${'{"msg_elements":['.repeat(20)}${']}'.repeat(20)}`)
    t.match(await tell({ content: 'deep', ...deep }), { text: 'deep' })
  },
)

t.test('only the bot’s own mention is removed', async (t) => {
  const { fake, received } = await open(t)
  const tell = async (content: string, mentions?: object[]) => {
    const author = { member_openid: 'ann' }
    const event = { id: `g${received.length}`, content, group_openid: 'crew', author, mentions }
    await fake.tell('GROUP_AT_MESSAGE_CREATE', event)
    return received.at(-1)!.text
  }
  const own = { member_openid: 'B0', is_you: true }
  t.equal(await tell(' @Override 是什么意思'), '@Override 是什么意思')
  t.equal(await tell('<@C1> <@!B0> @types/node', [own, { id: 'C1', username: 'Cleo' }]), '@Cleo @types/node')
  t.equal(await tell('<@C1> hi'), '<@C1> hi', 'not that of somebody who is not listed')
  t.equal(await tell('<@!bot_user>/new'), '/new', 'by the id that the gateway told')
  const everybody = { id: 'bot_user', username: 'all', is_you: true, scope: 'all' }
  await fake.tell('GROUP_MESSAGE_CREATE', {
    ...{ id: 'everybody', content: '<@bot_user> lunch', group_openid: 'crew' },
    ...{ author: { member_openid: 'ann' }, mentions: [everybody] },
  })
  t.match(received.at(-1), { text: '@all lunch', mentioned: false })
})

t.test('refusals have their reasons, and those of a text are marked', async (t) => {
  const { fake, received, connection } = await open(t)
  await fake.say({ text: 'hi' })
  const { target } = received[0]!
  let count = 0
  const refusalOf = async (code: number, to: JSONValue = target) => {
    count += 1
    fake.messages.rules.refusals = [code]
    return connection.send(to, { text: 'x', key: `${'0'.repeat(20)}${count}` }, signal).then(
      () => 'sent',
      ({ reason, is_about_text }) => (is_about_text ? `${reason}, the text` : reason),
    )
  }
  const both = async (reason: string, codes: number[]) => {
    for (const code of codes) t.equal(await refusalOf(code), reason, `${code}`)
  }
  await both('unsupported, the text', [50006, 304061, 40054007, 40054018])
  await both('forbidden, the text', [40034006, 1100101])
  await both('unsupported', [22006, 304080, 340069, 40034106])
  await both('forbidden', [304004, 304064, 40034105, 40054002, 40054013])
  await both('not_found', [40034101, 40054003, 40054004])
  await both('rate_limited', [22009, 40034100])
  await both('unreachable', [340067, 50055001, 40054016])
  await both('unknown', [40034999])
  await both('sent', [40054005])
  t.equal(fake.shown().length, 0)
})

t.test('nothing that is sent holds half a character', async (t) => {
  const { fake, received, connection } = await open(t)
  await fake.say({ text: 'hi' })
  const { target } = received[0]!
  const buttons = [{ label: 'Yes \ud83d', value: 'y', style: 'primary' }] as const
  const half = 'a \ud83d b'
  await connection.send(target, { text: half, key: '1'.repeat(26), buttons: [...buttons] }, signal)
  const live = await connection.live!(target, { text: half, key: '2'.repeat(26) }, signal)
  await live.finish(`${half} c`, signal)
  const bytes = Buffer.from('x')
  await connection.sendFile!(
    target,
    { filename: half, media_type: 'text/plain', bytes, key: '3'.repeat(26) },
    signal,
  )
  t.match(fake.shown(), [
    { text: 'a \ufffd b', buttons: ['Yes \ufffd'] },
    { text: 'a \ufffd b c' },
    { file: { filename: 'a \ufffd b' } },
  ])
  t.same(fake.violations, [])
})
