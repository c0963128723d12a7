import type { FakePlatform, Saying, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'
import { type BotMessage, type BotState, described } from './fake-telegram-methods.ts'
import { attachment, DIRECT, GROUP, person, written } from './fake-telegram-people.ts'
import { createUpdateQueue, type Happening } from './fake-telegram-queue.ts'
import { startBotApi, type Troubles } from './fake-telegram-server.ts'

/** A fake of Telegram, and what its bots meet besides what every platform has. */
export interface FakeTelegram extends FakePlatform, Omit<Troubles, keyof FakePlatform> {
  /** Adds an update of any form; resolves when the bot has acknowledged it. */
  deliver(happening: Happening): Promise<void>
  /** The bot's messages as Telegram keeps them. */
  messages: BotMessage[]
  /** Where `typing` was shown. */
  typingsIn: BotState['typings']
  /** Opens a topic of the group, to which messages can be sent from now on. */
  openTopic(topic: number): void
  /** Deletes a topic, or closes it to everybody but administrators. */
  deleteTopic(topic: number): void
  closeTopic(topic: number): void
  /** Replaces a basic group, which is made for it, by a supergroup. */
  migrate(from: number, to: number): void
  /** Makes a file known under an id; without bytes it cannot be got. */
  knowFile(file_id: string, file: { path: string; size: number; bytes?: Uint8Array }): void
  /** Serves bytes at a path that `getFile` may not name. */
  serveFile(path: string, bytes: Uint8Array): void
  /** Throws the bot out of the group. */
  kick(): void
  /** The methods that were called so far, `file` for files. */
  calls: string[]
  /** Number of updates without an acknowledgement. */
  backlog(): number
}

/** A press is answered within this time. */
const PATIENCE_MS = 40_000
const TOKEN = '7012345678:AAH-fake_telegram-token_kept-secret'

/** Starts a fake of Telegram's Bot API with one bot. */
export async function startFakeTelegram(): Promise<FakeTelegram> {
  const violations: string[] = []
  const calls: string[] = []
  const queue = createUpdateQueue(violations)
  const bytesOf = new Map<string, Uint8Array>()
  const said = new Map<string, object>()
  const numbers = new Map<string, number>()
  const patience = new Set<NodeJS.Timeout>()
  let lastId = 100
  const nextId = () => {
    lastId += 1
    return lastId
  }
  const state: BotState = {
    bot: { id: Number(TOKEN.split(':')[0]), username: 'svc_test_bot' },
    chats: new Map([DIRECT, GROUP].map((chat) => [String(chat.id), { ...chat }])),
    topics: new Set(),
    closedTopics: new Set(),
    messages: [],
    files: new Map(),
    webhook: '',
    typings: [],
    presses: new Map(),
    nextId,
    violations,
  }
  const { url, troubles, close } = await startBotApi({ token: TOKEN, state, queue, bytesOf, calls })

  function numberOf(id: string | undefined): number {
    if (id === undefined) return nextId()
    if (/^\d{1,15}$/.test(id)) return Number(id)
    const number = numbers.get(id) ?? nextId()
    numbers.set(id, number)
    return number
  }

  function keepFile(file: NonNullable<Saying['file']>): string {
    const file_id = `file-${nextId()}`
    const path = `documents/${file_id}`
    state.files.set(file_id, { path, size: file.bytes.length })
    bytesOf.set(path, file.bytes)
    return file_id
  }

  function compose({ text, place = 'direct', sender = 'ann', mention = true, id, ...more }: Saying) {
    const { sent_at = Date.now(), file, quote } = more
    const chat = state.chats.get(String((place === 'group' ? GROUP : DIRECT).id))!
    const mentioned = place === 'group' && mention ? state.bot.username : undefined
    const { text: body, entities } = written(text, mentioned)
    const message_id = numberOf(id)
    const marks = entities.length > 0 ? entities : undefined
    return {
      message_id,
      from: person(sender),
      chat,
      date: Math.floor(sent_at / 1000),
      ...(file
        ? { ...attachment(file, keepFile(file)), ...(body && { caption: body, caption_entities: marks }) }
        : { text: body, entities: marks }),
      ...(quote !== undefined && {
        reply_to_message: { message_id: 99, from: person('ben'), chat, date: 1, text: quote },
      }),
    }
  }

  return {
    ...troubles,
    endpoints: { api: url },
    config: { bot_token: TOKEN },
    wrong_config: { bot_token: '7012345678:AAH-another_token_that-is-wrong' },
    violations,
    calls,
    messages: state.messages,
    typingsIn: state.typings,

    async say(saying) {
      const message = compose(saying)
      const id = saying.id ?? String(message.message_id)
      said.set(id, message)
      await queue.push({ message })
      return id
    },

    async sayUnheard(saying) {
      const message = compose(saying)
      const id = String(message.message_id)
      said.set(id, message)
      queue.push({ message }).catch((error) => violations.push(String(error)))
      return id
    },

    async redeliver(id) {
      const message = said.get(id)
      if (!message) throw new Error(`nobody said ${id}`)
      await queue.push({ message })
    },

    deliver: (happening) => queue.push(happening),

    shown(place) {
      return state.messages
        .map((message) => shownOf(message))
        .filter((message) => place === undefined || message.place === place)
    },

    async press(message_id, label, sender = 'ann') {
      const message = state.messages.find((one) => String(one.message_id) === message_id)
      // Somebody may press what their device shows no more than a moment longer.
      const key = [...(message?.keys.flat() ?? []), ...(message?.former_keys ?? [])].find(
        ({ text }) => text === label,
      )
      if (!message || !key) throw new Error(`there is no button ${label}`)
      const id = String(nextId())
      const notice = new Promise<string | undefined>((resolve, reject) => {
        const timer = setTimeout(() => {
          violations.push('left a press without an answer')
          reject(new Error('the press of the button was not answered'))
        }, PATIENCE_MS)
        patience.add(timer)
        state.presses.set(id, (notice) => {
          clearTimeout(timer)
          resolve(notice)
        })
      })
      const callback_query = {
        id,
        from: person(sender),
        message: described(message),
        chat_instance: '1',
        data: key.callback_data,
      }
      const [said] = await Promise.all([notice, queue.push({ callback_query })])
      return said
    },

    connections: () => (queue.alive() ? 1 : 0),
    typings: () => state.typings.length,
    openTopic(topic) {
      state.chats.get(String(GROUP.id))!.is_forum = true
      state.topics.add(`${GROUP.id}:${topic}`)
    },
    deleteTopic: (topic) => void state.topics.delete(`${GROUP.id}:${topic}`),
    closeTopic: (topic) => void state.closedTopics.add(`${GROUP.id}:${topic}`),
    migrate(from, to) {
      state.chats.set(String(from), { id: from, type: 'group', title: 'The old group', migrated_to: to })
      state.chats.set(String(to), { id: to, type: 'supergroup', title: 'The new group' })
    },
    knowFile(file_id, { path, size, bytes }) {
      state.files.set(file_id, { path, size })
      if (bytes) bytesOf.set(path, bytes)
    },
    serveFile: (path, bytes) => void bytesOf.set(path, bytes),
    kick() {
      state.chats.get(String(GROUP.id))!.title = 'banned'
    },
    backlog: () => queue.size(),

    async close() {
      for (const timer of patience) clearTimeout(timer)
      queue.close()
      await close()
    },
  }
}

function shownOf({ message_id, chat, text, history, keys, file }: BotMessage): ShownMessage {
  return {
    id: String(message_id),
    place: chat.type === 'private' ? 'direct' : 'group',
    text,
    history: [...history],
    is_live: false,
    buttons: keys.flat().map((key) => key.text),
    ...(file && { file: { filename: file.filename, media_type: file.media_type, bytes: file.bytes } }),
  }
}
