import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FakePlatform, Saying, SentFile } from '../../plugin-api/testing/fake-platform.ts'
import { createFakeApi, type FaultSwitches, type FeishuCall } from './fake-feishu-api.ts'
import { createFakeCards, readCard } from './fake-feishu-cards.ts'
import { createFakeEvents, type FakeEvents } from './fake-feishu-events.ts'
import { CHATS, createFakeMessages, type Uploads } from './fake-feishu-messages.ts'
import { createFakeRegistration, type ScanOutcome } from './fake-feishu-registration.ts'

/** Actions of people that only this platform has. */
export interface FeishuSaying extends Saying {
  /** The thread of a topic group. */
  thread?: string
  /** A message of another type, with its content; a string is no JSON. */
  raw?: { type: string; content: unknown }
  /** The id of a stored message that this one replies to. */
  parent?: string
  /** The message that the thread began with. */
  root?: string
  /** Further people that the text mentions by `@_user_2` and so on. */
  mentions?: { open_id: string; name: string }[]
}

/** A message that somebody else wrote earlier, and that no event tells of. */
export interface EarlierMessage {
  id: string
  type: string
  content?: unknown
  by?: string
  is_from_app?: boolean
  /** The forwarded message that it is part of. */
  upper?: string
  thread_id?: string
  created_at?: number
  mentions?: { open_id: string; name: string }[]
  file?: SentFile
}

/** A fake of Feishu, and what a test may do to it. */
export interface FakeFeishu extends FakePlatform {
  say(saying: FeishuSaying): Promise<string>
  expireTokens(): void
  scan(outcome: ScanOutcome): void
  bot: string
  calls: FeishuCall[]
  faults: FaultSwitches
  events: FakeEvents
  /** All tokens, tickets and codes that were given out. */
  secrets: string[]
  /** Refuses the next calls whose method and path hold this; leaves them unanswered with status 0. */
  refuse(
    of: string,
    code: number,
    options?: { status?: number; times?: number; location?: string; words?: string },
  ): void
  /** Cards of others as they were sent, by the ids of their messages. */
  whole: Map<string, unknown>
  /** Stores a message. */
  write(message: EarlierMessage): void
  /** Takes a message back. */
  withdraw(id: string): void
  /** Ends the streaming of all cards. */
  stopStreams(): void
  /** Which message one of the bot's answers. */
  answered(id: string): string | undefined
}

const APP = { app_id: 'cli_a1b2c3d4e5f60718', app_secret: 'Xf3kPq9vRt7LmN2sWz8yBc4d' }
const BOT = 'ou_bot'

/** Starts a fake of Feishu on loopback, both of its API and of its accounts. */
export async function startFakeFeishu(): Promise<FakeFeishu> {
  const violations: string[] = []
  const secrets: string[] = []
  const uploads: Uploads = new Map()
  const resources = new Map<string, { message_id: string; type: string; file: SentFile }>()
  const said = new Map<string, unknown>()
  let count = 0

  const cards = createFakeCards(violations)
  const messages = createFakeMessages({ appId: APP.app_id, cards, uploads, violations })
  const registration = createFakeRegistration(APP, violations, secrets)
  const socketAddress = () => address.replace('http', 'ws')
  const api = createFakeApi({
    app: APP,
    bot: BOT,
    socketAddress,
    cards,
    messages,
    uploads,
    resources,
    registration,
    secrets,
    violations,
  })
  const events = createFakeEvents({ isTicket: api.isTicket, violations })
  const server = createServer(api.serve).on('upgrade', events.upgrade)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const nextId = () => {
    count += 1
    return `om_person_${count}`
  }

  const eventOf = (event_type: string, event: object) => ({
    schema: '2.0',
    header: {
      event_id: `event_${count}_${said.size}`,
      event_type,
      create_time: String(Date.now()),
      token: '',
      app_id: APP.app_id,
      tenant_key: 'tenant',
    },
    event,
  })

  /** Adds a downloadable file to a message and returns its key. */
  function store(message_id: string, file: SentFile) {
    const type = file.media_type.startsWith('image/') ? 'image' : 'file'
    const key = `${type}_v2_${resources.size + 1}`
    resources.set(key, { message_id, type, file })
    return { type, key }
  }

  /** A message with a file: alone, or with words in a rich text. */
  function contentOf(id: string, text: string, file: SentFile | undefined) {
    if (!file) return { type: 'text', content: { text } }
    const { type, key } = store(id, file)
    if (text === '' && type === 'image') return { type, content: { image_key: key } }
    if (text === '') return { type, content: { file_key: key, file_name: file.filename } }
    const shown = type === 'image' ? { tag: 'img', image_key: key } : { tag: 'media', file_key: key }
    return { type: 'post', content: { title: '', content: [[{ tag: 'text', text, style: [] }], [shown]] } }
  }

  /** Returns the outermost forward that a message is part of. */
  function rootOf(upper: string | undefined): string | undefined {
    const above = upper && messages.find(upper).upper
    return above ? rootOf(above) : upper
  }

  function quoted(text: string, chat_id: string) {
    const id = nextId()
    messages.add({
      id,
      chat_id,
      msg_type: 'text',
      content: JSON.stringify({ text }),
      mentions: [],
      by: { id: 'ben', id_type: 'open_id', sender_type: 'user' },
      isGone: false,
    })
    return id
  }

  return {
    endpoints: { domain: address, accounts: address },
    config: { ...APP },
    wrong_config: { ...APP, app_secret: 'WrongSecret00000000000000' },
    bot: BOT,
    violations,
    secrets,
    calls: api.calls,
    faults: api.faults,
    events,

    async say(saying) {
      const { text, place = 'direct', sender = 'ann', mention = true, sent_at = Date.now() } = saying
      const { id = nextId(), file, quote, thread, raw, parent, root, mentions: others = [] } = saying
      const chat_id = CHATS[place]
      const isCalled = place === 'group' && mention
      const { type, content } = raw ?? contentOf(id, isCalled ? `@_user_1 ${text}`.trimEnd() : text, file)
      const mentions = [...(isCalled ? [{ open_id: BOT, name: 'Bot' }] : []), ...others].map(
        ({ open_id, name }, index) => ({
          key: `@_user_${index + 1 + (isCalled ? 0 : 1)}`,
          id: { open_id, union_id: `on_${open_id}`, user_id: null },
          name,
          tenant_key: 'tenant',
        }),
      )
      const parent_id = quote === undefined ? parent : quoted(quote, chat_id)
      const json = typeof content === 'string' ? content : JSON.stringify(content)
      messages.add({
        id,
        chat_id,
        ...(thread && { thread_id: thread }),
        msg_type: type,
        content: json,
        mentions,
        by: { id: sender, id_type: 'open_id', sender_type: 'user' },
        isGone: false,
      })
      const event = eventOf('im.message.receive_v1', {
        sender: {
          sender_id: { open_id: sender, union_id: `on_${sender}`, user_id: null },
          sender_type: 'user',
          tenant_key: 'tenant',
        },
        message: {
          message_id: id,
          ...(parent_id && { root_id: root ?? parent_id, parent_id }),
          ...(thread && { thread_id: thread }),
          create_time: String(sent_at),
          update_time: String(sent_at),
          chat_id,
          chat_type: place === 'group' ? 'group' : 'p2p',
          message_type: type,
          content: json,
          ...(mentions.length > 0 && { mentions }),
        },
      })
      said.set(id, event)
      await events.deliver(event)
      return id
    },

    redeliver: (id) => events.deliver(said.get(id)),
    shown: messages.shown,

    async press(message_id, label, sender = 'ann') {
      const { sent, chat_id } = messages.find(message_id)
      const button = sent?.buttons?.find((candidate) => candidate.label === label)
      if (!button) throw new Error(`There is no button "${label}".`)
      const event = eventOf('card.action.trigger', {
        operator: { tenant_key: 'tenant', open_id: sender, union_id: `on_${sender}`, user_id: null },
        token: 'c-0123456789',
        action: { tag: 'button', value: button.value, timezone: 'Asia/Shanghai' },
        host: 'im_message',
        context: { open_message_id: message_id, open_chat_id: chat_id },
      })
      const { toast, card } = ((await events.ask(event))?.data ?? {}) as {
        toast?: { type: string; content: string }
        card?: { type: string; data: unknown }
      }
      if (toast && !['info', 'success', 'warning', 'error'].includes(toast.type))
        violations.push(`a toast of type ${toast.type}`)
      if (card && card.type !== 'raw') violations.push(`a repainted card of type ${card.type}`)
      if (card) messages.repaint(sent!, readCard(JSON.stringify(card.data), 200673, violations))
      return toast?.content
    },

    connections: events.count,
    drop: events.drop,

    limitRate(calls, retry_after_seconds) {
      api.faults.limited = calls
      api.faults.retryAfter = retry_after_seconds
    },

    fail(calls) {
      api.faults.failing = calls
    },

    refuse(of, code, { status = 400, times = 1, location, words } = {}) {
      api.faults.refusals.push({ of, code, status, times, location, words })
    },

    expireTokens: () => api.tokens.clear(),
    typings: () => 0,
    scan: registration.scan,
    stopStreams: cards.stopStreams,

    whole: messages.whole,

    write({ id, type, content = {}, by = 'ben', is_from_app = false, file, mentions = [], ...more }) {
      // The platform keeps the files of a forward with the whole of it.
      const stored = file && store(rootOf(more.upper) ?? id, file)
      const filled = stored
        ? { ...(content as object), [`${stored.type}_key`]: stored.key, file_name: file.filename }
        : content
      messages.add({
        id,
        chat_id: CHATS.group,
        msg_type: type,
        content: typeof filled === 'string' ? filled : JSON.stringify(filled),
        mentions: mentions.map(({ open_id, name }, index) => ({
          key: `@_user_${index + 1}`,
          id: open_id,
          id_type: 'open_id',
          name,
        })),
        by: is_from_app
          ? { id: by, id_type: 'app_id', sender_type: 'app' }
          : { id: by, id_type: 'open_id', sender_type: 'user' },
        isGone: false,
        ...more,
      })
    },

    withdraw(id) {
      messages.find(id).isGone = true
    },

    answered: (id) => messages.find(id).sent?.answers,

    async close() {
      events.close()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
