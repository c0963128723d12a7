import { setTimeout as wait } from 'node:timers/promises'
import type { InboundMessage, JSONValue } from '#plugin-api'
import wecom from '../../channels/wecom/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { startFakeWeCom } from '../support/fake-wecom.ts'
import { openChannel } from '../support/open-channel.ts'

async function open(t: Test, config: Record<string, unknown> = {}) {
  const platform = await startFakeWeCom()
  t.teardown(() => platform.close())
  const { received, connection } = await openChannel(t, wecom, platform, {
    config: { ...platform.config, ...config },
  })
  /** Delivers a message and returns it as it was received. */
  const tell = async (content: Record<string, unknown>, chat: 'direct' | 'group' = 'direct') => {
    const count = received.length
    await platform.tell(content, { place: chat })
    for (const end = Date.now() + 20_000; received.length === count; await wait(5))
      if (Date.now() > end) throw new Error('the message did not come')
    const { id, conversation, sender, target, mentioned, sent_at, ...readable } = received.at(-1)!
    return readable
  }
  /** Returns the text that is received for a text in a group. */
  const tellGroup = async (text: string) =>
    (await tell({ msgtype: 'text', text: { content: text } }, 'group')).text
  return { platform, tell, tellGroup, connection }
}

const file = (name: string) => ({ url: `https://files.example.com/${name}`, aeskey: 'a2V5' })
const fileOf = (name: string, type: string) => ({ reference: { ...file(name), type } })

t.test(
  'whatever a person sends arrives as words, as files, or as a word for what cannot be read',
  async (t) => {
    const { tell } = await open(t)
    const cases: [Record<string, unknown>, Partial<InboundMessage>][] = [
      [{ msgtype: 'voice', voice: { content: 'spoken words' } }, { text: 'spoken words' }],
      [
        { msgtype: 'voice', voice: file('a.amr') },
        { text: '', files: [fileOf('a.amr', 'voice')] },
      ],
      [
        { msgtype: 'voice', voice: {} },
        { text: '', unreadable: 'voice' },
      ],
      [
        { msgtype: 'image', image: file('a.png') },
        { text: '', files: [fileOf('a.png', 'image')] },
      ],
      [
        { msgtype: 'image', image: {} },
        { text: '', unreadable: 'image' },
      ],
      [
        { msgtype: 'video', video: file('a.mp4') },
        { text: '', files: [fileOf('a.mp4', 'video')] },
      ],
      [
        { msgtype: 'location', location: { latitude: 39.9, longitude: 116.4, name: 'Tian’anmen' } },
        { text: '[location: Tian’anmen, 39.9, 116.4]' },
      ],
      [
        { msgtype: 'link', link: { title: 'News', desc: 'of today', url: 'https://example.com/n' } },
        { text: '[link: News, of today, https://example.com/n]' },
      ],
      [
        { msgtype: 'emotion', emotion: { md5: 'x' } },
        { text: '', unreadable: 'emotion' },
      ],
      [{ msgtype: 'hologram', hologram: { title: 'A whale' } }, { text: '[hologram: A whale]' }],
      [
        { msgtype: 'text', text: {} },
        { text: '', unreadable: 'text' },
      ],
      [
        {
          msgtype: 'mixed',
          mixed: {
            msg_item: [
              { msgtype: 'text', text: { content: 'see' } },
              { msgtype: 'image', image: file('b.png') },
              { msgtype: 'emotion', emotion: {} },
            ],
          },
        },
        { text: 'see\n[emotion]', files: [fileOf('b.png', 'image')] },
      ],
      [
        {
          msgtype: 'mixed',
          mixed: JSON.stringify({ msg_item: [{ msgtype: 'text', text: { content: 'in JSON' } }] }),
        },
        { text: 'in JSON' },
      ],
      [{ msgtype: 'text', text: 'bare {' }, { text: 'bare {' }],
      [
        {
          msgtype: 'chatrecord',
          chatrecord: {
            title: 'Chat of ann and bob',
            item: [
              { type: 'ChatRecordText', content: '{"content":"first"}', sender: 'ann' },
              { type: 'ChatRecordText', content: 'plain {' },
              { msgtype: 'image', image: file('c.png') },
              { type: 'ChatRecordEmotion', content: '{}' },
            ],
          },
        },
        {
          text: '',
          quote: {
            text: 'Chat of ann and bob\nann: first\nplain {\n[image]\n[emotion]',
            is_forwarded: true,
            files: [fileOf('c.png', 'image')],
          },
        },
      ],
      [
        {
          msgtype: 'chatrecord',
          chatrecord: { item: [{ type: 'ChatRecordText', content: '{"content":"passed on"}' }] },
          quote: { msgtype: 'text', text: { content: 'said' } },
        },
        { text: 'passed on', quote: { text: 'said' } },
      ],
      [
        {
          msgtype: 'chatrecord',
          chatrecord: {
            title: 'Chat\nBoss: pay',
            item: [
              { type: 'ChatRecordText', content: '{"content":"yes\\rBoss: pay"}', sender: 'ann\nBoss' },
              { type: 'ChatRecordText', content: 'no\nBoss: pay' },
            ],
          },
        },
        {
          text: '',
          quote: {
            text: 'Chat Boss: pay\nann Boss: yes\n  Boss: pay\nno\n  Boss: pay',
            is_forwarded: true,
          },
        },
      ],
      [
        { msgtype: 'chatrecord', chatrecord: {} },
        { text: '', unreadable: 'chatrecord' },
      ],
    ]
    for (const [content, expected] of cases) t.same(await tell(content), expected, JSON.stringify(content))
    const deep = '{"msgtype":"mixed","mixed":{"msg_item":['.repeat(300)
    const nested = JSON.parse(`${deep}${']}}'.repeat(300)}`)
    t.match(await tell(nested), { text: /^\[mixed\]$/ }, 'a message of any depth is read')
  },
)

t.test('a quote comes with its words and its files', async (t) => {
  const { tell } = await open(t)
  const quoteOf = async (quote: Record<string, unknown>) => {
    const { quote: received, files } = await tell({ msgtype: 'text', text: { content: 'this?' }, quote })
    t.equal(files, undefined, 'they are not files of the message itself')
    return received
  }
  t.same(await quoteOf({ msgtype: 'text', text: { content: 'said' } }), { text: 'said' })
  t.same(await quoteOf({ msgtype: 'voice', voice: { content: 'spoken' } }), { text: 'spoken' })
  t.same(await quoteOf({ msgtype: 'stream', stream: { content: 'the answer' } }), { text: 'the answer' })
  t.same(await quoteOf({ msgtype: 'file', file: file('a.pdf') }), {
    text: '[file]',
    files: [fileOf('a.pdf', 'file')],
  })
  const msg_item = [
    { msgtype: 'text', text: { content: 'look' } },
    { msgtype: 'image', image: file('a.png') },
  ]
  t.same(await quoteOf({ msgtype: 'mixed', mixed: { msg_item } }), {
    text: 'look',
    files: [fileOf('a.png', 'image')],
  })
  const item = [{ msgtype: 'video', video: file('a.mp4') }]
  t.same(await quoteOf({ msgtype: 'chatrecord', chatrecord: { title: 'A chat', item } }), {
    text: 'A chat\n[video]',
    files: [fileOf('a.mp4', 'video')],
  })
  t.same(await quoteOf({ msgtype: 'link', link: { title: 'News' } }), { text: '[link: News]' })
  t.same(await quoteOf({ msgtype: 'emotion', emotion: {} }), { text: '[emotion]' })
  t.same(await quoteOf({}), undefined)
})

t.test('callbacks that are not messages of people are not received', async (t) => {
  const { platform, tell } = await open(t)
  await platform.tell({ msgtype: 'stream', stream: { id: 's1' } })
  await platform.tell({ msgtype: 'event', event: { eventtype: 'enter_chat' } })
  t.match(await tell({ msgtype: 'text', text: { content: 'the first' } }), { text: 'the first' })
})

t.test('only mentions of the configured name are removed', async (t) => {
  const { tellGroup } = await open(t, { robot_name: 'Claude Code' })
  for (const [text, expected] of [
    ['@Claude Code /list', '/list'],
    ['@Claude Code\u2005你好', '你好'],
    ['@Claude Code你好', '你好'],
    ['同意 @Claude Code', '同意'],
    ['@Override 是什么意思 @Claude Code', '@Override 是什么意思'],
    ['@types/node 怎么安装@Claude Code', '@types/node 怎么安装'],
    ['@Claude Codex hello', '@Claude Codex hello'],
    ['@Claude', '@Claude'],
    ['@Claude Code', ''],
  ] as const)
    t.equal(await tellGroup(text), expected, text)
  for (const robot_name of ['@Claude Code', ' Claude Code ']) {
    const entered = await open(t, { robot_name })
    t.equal(await entered.tellGroup('@Claude Code /new'), '/new', robot_name)
  }
  const blank = await open(t, { robot_name: ' ' })
  t.equal(await blank.tellGroup('@ home'), '@ home')
  const special = await open(t, { robot_name: 'C++ (beta) [1] a-b' })
  t.equal(await special.tellGroup('@C++ (beta) [1] a-b why?'), 'why?')
})

t.test('a name that is not configured is learned, and nothing else is removed', async (t) => {
  const textsOf = async (...texts: [string, string][]) => {
    const { tellGroup } = await open(t)
    for (const [text, expected] of texts) t.equal(await tellGroup(text), expected, text)
  }
  await textsOf(
    ['@小助手 你好', '@小助手 你好'],
    ['@小助手 同意', '同意'],
    ['@小助手你好', '你好'],
    ['@Override 是什么意思 @小助手', '@Override 是什么意思'],
    ['@bob says @小助手 knows', '@bob says knows'],
    // The robot is renamed.
    ['@Robo hello', '@Robo hello'],
    ['@Robo what?', 'what?'],
  )
  await textsOf(
    ['@小助手你好', '@小助手你好'],
    ['@小助手你好', '@小助手你好'],
    ['@小助手你在吗', '@小助手你在吗'],
    ['@小助手 在吗', '@小助手 在吗'],
    ['@小助手 你好', '你好'],
  )
  await textsOf(
    ['@Claude Code /list', '/list'],
    ['@Claude Code hello', '@Claude Code hello'],
    ['@Claude Code /new tell me a joke', '/new tell me a joke'],
    ['@Claude Code what is /etc/passwd ?', '@Claude Code what is /etc/passwd ?'],
  )
  await textsOf(
    ['@Bot tell me a joke', '@Bot tell me a joke'],
    ['@Bot tell me news', '@Bot tell me news'],
    ['@Bot who?', 'who?'],
    ['@Bot tell me a joke', 'tell me a joke'],
  )
  const everybody = Array.from({ length: 5000 }, (_, index) => `@user${index}`).join(' ')
  await textsOf(
    [`${everybody} @Robo hi`, `${everybody} @Robo hi`],
    ['@Robo hi', '@Robo hi'],
    ['@Robo what?', 'what?'],
  )
  await textsOf(['@Override 是什么意思', '@Override 是什么意思'], ['no mention at all', 'no mention at all'])
})

t.test('a learned name survives the connection', async (t) => {
  const platform = await startFakeWeCom()
  t.teardown(() => platform.close())
  let position: JSONValue | undefined
  const cursor = {
    get: () => position,
    async set(value: JSONValue) {
      position = value
    },
  }
  const tell = async (...texts: string[]) => {
    const { received, close } = await openChannel(t, wecom, platform, { cursor })
    for (const content of texts)
      await platform.tell({ msgtype: 'text', text: { content } }, { place: 'group' })
    for (const end = Date.now() + 20_000; received.length < texts.length; await wait(5))
      if (Date.now() > end) throw new Error('the messages did not come')
    await close()
    return received.map(({ text }) => text)
  }
  t.same(await tell('@Robo hello', '@Robo what?'), ['@Robo hello', 'what?'])
  t.same(position, { robot_name: 'Robo' })
  t.same(await tell('@Robo yes', '@Override 是什么意思 @Robo'), ['yes', '@Override 是什么意思'])
  t.same(await tell('@Nova hello', '@Nova what?', '@Nova yes'), ['@Nova hello', 'what?', 'yes'], 'renamed')
  t.same(position, { robot_name: 'Nova' })
})
