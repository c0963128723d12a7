import { setTimeout as wait } from 'node:timers/promises'
import type { ChannelKind, InboundMessage } from '#plugin-api'
import dingtalk from '../../channels/dingtalk/index.ts'
import feishu from '../../channels/feishu/index.ts'
import qq from '../../channels/qq/index.ts'
import wecom from '../../channels/wecom/index.ts'
import whatsapp from '../../channels/whatsapp/index.ts'
import type { FakePlatform } from '../../plugin-api/testing/fake-platform.ts'
import t from '../run/file-test.ts'
import { amount, chooseSeed } from '../run/tier.ts'
import { startFakeDingtalk } from '../support/fake-dingtalk.ts'
import { startFakeFeishu } from '../support/fake-feishu.ts'
import { startFakeQq } from '../support/fake-qq.ts'
import { startFakeWeCom } from '../support/fake-wecom.ts'
import { startFakeWhatsApp } from '../support/fake-whatsapp.ts'
import { openChannel } from '../support/open-channel.ts'
import { createRandom } from '../support/random.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Fields = { [name: string]: Json }

/** Content of direct messages as the platforms deliver it. */
interface Family {
  kind: ChannelKind
  start(): Promise<{ platform: FakePlatform; deliver(content: Fields, id: string): Promise<void> }>
  samples: Fields[]
}

const file = { url: 'https://files.example.com/a', aeskey: 'a2V5' }
const words = (content: string) => ({ msgtype: 'text', text: { content } })

const families: Record<string, Family> = {
  wecom: {
    kind: wecom,
    async start() {
      const platform = await startFakeWeCom()
      return { platform, deliver: (content, id) => platform.tell(content, { id }) }
    },
    samples: [
      { ...words('hi'), quote: words('said') },
      { msgtype: 'image', image: file },
      { msgtype: 'file', file, create_time: 1_700_000_000 },
      { msgtype: 'mixed', mixed: { msg_item: [words('look'), { msgtype: 'image', image: file }] } },
      {
        msgtype: 'chatrecord',
        chatrecord: {
          title: 'T',
          item: [{ type: 'ChatRecordText', content: '{"content":"a"}', sender: 'x' }],
        },
      },
      { msgtype: 'location', location: { latitude: 1, longitude: 2, name: 'here' } },
      { msgtype: 'location', location: { latitude: { toString: 1 }, longitude: 2, name: 'here' } },
    ],
  },
  qq: {
    kind: qq,
    async start() {
      const platform = await startFakeQq()
      const author = { id: 'ann', user_openid: 'ann' }
      return {
        platform,
        deliver: (content, id) => platform.tell('C2C_MESSAGE_CREATE', { ...content, id, author }),
      }
    },
    samples: [
      { content: 'hi <@B0> there', mentions: [{ id: 'B0', is_you: true, username: 'Bot' }] },
      { content: '', attachments: [{ content_type: 'voice', url: '//a/b', asr_refer_text: 'x', size: 3 }] },
      { content: 'r', message_type: 103, msg_elements: [{ content: 'q', author: { username: 'Z' } }] },
      { message_type: 102, msg_elements: [{ content: 'a', author: { username: 'Y' } }] },
      { message_type: 3, ark_data: { prompt: 'p', fields: { a: 'b' } } },
      {
        content: '<faceType=1,faceId="277",ext="eyJ0ZXh0Ijoi5rGq5rGqIn0=">',
        timestamp: '2026-05-15T12:01:45Z',
      },
    ],
  },
  dingtalk: {
    kind: dingtalk,
    async start() {
      const platform = await startFakeDingtalk()
      return { platform, deliver: (content, msgId) => platform.deliver({ ...content, msgId }) }
    },
    samples: [
      {
        msgtype: 'text',
        text: { content: 'hi', isReplyMsg: true, repliedMsg: { msgType: 'text', content: { text: 'q' } } },
      },
      { msgtype: 'richText', content: { richText: [{ text: 'a' }, { type: 'picture', downloadCode: 'x' }] } },
      { msgtype: 'audio', content: { recognition: 'r', downloadCode: 'a' } },
      {
        msgtype: 'chatRecord',
        content: { title: 'T', summary: '["a: b"]', chatRecord: '[{"content":"x"}]' },
      },
      { msgtype: 'interactiveCard', content: { cardContent: [{ value: 'a', children: [{ value: 'b' }] }] } },
      { msgtype: 'location', content: { address: 'x', latitude: 1, longitude: 2 } },
    ],
  },
  feishu: {
    kind: feishu,
    async start() {
      const platform = await startFakeFeishu()
      const sender = { sender_id: { open_id: 'ann' }, sender_type: 'user' }
      const chat = { chat_id: 'oc_direct', chat_type: 'p2p' }
      return {
        platform,
        // The content is JSON within the event.
        deliver: ({ content, ...fields }, message_id) =>
          platform.events.deliver({
            schema: '2.0',
            header: { event_type: 'im.message.receive_v1' },
            event: {
              sender,
              message: { ...fields, content: JSON.stringify(content), message_id, ...chat },
            },
          }),
      }
    },
    samples: [
      { message_type: 'text', content: { text: '@_user_1 hi' }, mentions: [{ key: '@_user_1', name: 'B' }] },
      { message_type: 'post', content: { title: 't', content: [[{ tag: 'at', user_id: 'all' }]] } },
      { message_type: 'file', content: { file_key: 'k', file_name: 'n' }, create_time: '1700000000000' },
      { message_type: 'todo', content: { summary: { title: 't' }, due_time: '1700000000000' } },
      { message_type: 'vote', content: { topic: 't', options: ['a', 'b'] } },
      { message_type: 'interactive', content: { header: { title: { content: 'x' } }, elements: [] } },
      { message_type: 'system', content: { template: '{from_user} x', from_user: ['a'] } },
    ],
  },
  whatsapp: {
    kind: whatsapp,
    async start() {
      const platform = await startFakeWhatsApp()
      const deliver = async (content: Fields, id: string) => {
        await platform.deliver([{ ...content, id, from: 'ann' }])
      }
      return { platform, deliver }
    },
    samples: [
      { type: 'text', text: { body: 'hi' }, timestamp: '1700000000', context: { forwarded: true } },
      { type: 'image', image: { id: 'm1', mime_type: 'image/jpeg', caption: 'look' } },
      { type: 'document', document: { id: 'm1', filename: 'n', mime_type: 'text/plain; charset=x' } },
      { type: 'location', location: { latitude: 1, longitude: 2, name: 'here', address: 'x' } },
      { type: 'contacts', contacts: [{ name: { formatted_name: 'B' }, phones: [{ phone: '+1' }] }] },
      { type: 'interactive', interactive: { list_reply: { id: 'a', title: 'First' } } },
      { type: 'order', order: { product_items: [{ product_retailer_id: 'p', quantity: 2 }], text: 't' } },
    ],
  },
}

/** As deep as readers look; JSON of more than 64 levels is not read at all. */
const deep = (wrap: (inner: Json) => Json) => Array.from({ length: 8 }).reduce<Json>(wrap, 'x')
const ODD: readonly Json[] = [
  ...[null, 0, -1, 1e300, true, '', ' ', [], {}, [null], [[]], ['a', 1, {}], { content: null }],
  ...[{ toString: 1 }, { length: 5 }, 'a\ud83d', '\u0000', 'x'.repeat(30_000), '{"a":', '[]', 'null'],
  ...['__proto__', 'constructor', 'toString', '1e999', '../../etc/passwd'],
  deep((inner) => [inner]),
  deep((inner) => ({ msgtype: 'mixed', mixed: { msg_item: [inner] } })),
  deep((inner) => ({ message_type: 102, msg_elements: [inner] })),
  deep((inner) => ({ children: [inner] })),
  deep((inner) => ({ content: [inner] })),
]

type Holder = Record<string, Json>

/** Lists all places of values in a value. */
function listPlaces(value: Json): [Holder, string][] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Holder
  return Object.keys(holder).flatMap((name) => [
    [holder, name] as [Holder, string],
    ...listPlaces(holder[name]!),
  ])
}

/** True if a message has the form that the gateway reads. */
function isWhole({ id, conversation, sender, text, quote, unreadable, files = [] }: InboundMessage): boolean {
  const strings = [id, conversation.id, sender.id, text, quote?.text ?? '', unreadable ?? '']
  const everyFile = [...files, ...(quote?.files ?? [])]
  return (
    conversation.type === 'direct' &&
    strings.every((part) => typeof part === 'string') &&
    everyFile.every(({ filename = '', size = 0 }) => typeof filename === 'string' && typeof size === 'number')
  )
}

for (const [name, { kind, start, samples }] of Object.entries(families)) {
  const seed = chooseSeed(7)
  t.test(`${name} loses no direct message, whatever is in it (seed ${seed})`, async (t) => {
    const random = createRandom(seed)
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!
    const { platform, deliver } = await start()
    t.teardown(() => platform.close())
    const { received, states } = await openChannel(t, kind, platform)
    for (let round = 0; round < amount({ short: 150, long: 3000 }); round += 1) {
      const content = structuredClone(pick(samples))
      for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes -= 1) {
        const [holder, field] = pick(listPlaces(content))
        // A message without a type is dropped by WeCom's library.
        if (field === 'msgtype' && holder === content) continue
        if (random() < 0.25 && !Array.isArray(holder)) delete holder[field]
        else holder[field] = structuredClone(pick(ODD))
        if (listPlaces(content).length === 0) break
      }
      const id = `m${round}`
      await deliver(content, id)
      for (const end = Date.now() + 20_000; received.at(-1)?.id !== id; await wait(2))
        if (Date.now() > end) throw new Error(`lost: ${JSON.stringify(content).slice(0, 2000)}`)
      if (!isWhole(received.at(-1)!)) t.fail(JSON.stringify(content).slice(0, 2000))
    }
    t.same(states, [], 'the connection stays')
  })
}
