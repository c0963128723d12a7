import { lookup } from 'mime-types'
import { complaintAboutKeys, complaintAboutText, type FormPart, type Key } from './fake-telegram-rules.ts'

/** The result or refusal of a method. */
export type Answer =
  | { result: unknown }
  | { status: number; description: string; parameters?: Record<string, unknown> }

/** A chat of the bot. */
export interface FakeChat {
  id: number | string
  type: 'private' | 'group' | 'supergroup' | 'channel'
  title?: string
  first_name?: string
  is_forum?: boolean
  /** The supergroup that replaced this group. */
  migrated_to?: number
}

/** The current state of a message of the bot. */
export interface BotMessage {
  message_id: number
  chat: FakeChat
  thread_id?: number
  reply_to?: number
  text: string
  history: string[]
  keys: Key[][]
  /** Buttons that were taken off. */
  former_keys: Key[]
  file?: { filename: string; media_type: string; bytes: Uint8Array; as: 'photo' | 'document' }
}

/** The state that the methods read and change. */
export interface BotState {
  bot: { id: number; username: string }
  chats: Map<string, FakeChat>
  /** Topics of forums, as `<chat id>:<topic>`. */
  topics: Set<string>
  /** The topics that are closed. */
  closedTopics: Set<string>
  messages: BotMessage[]
  files: Map<string, { path: string; size: number }>
  webhook: string
  typings: { chat_id: number | string; thread_id?: number }[]
  /** Presses that nobody has answered, by id. */
  presses: Map<string, (notice: string | undefined) => void>
  nextId(): number
  violations: string[]
}

/** The parameters of a call, from JSON or from a form. */
// biome-ignore lint/suspicious/noExplicitAny: each method has its own parameters, which the client library types
export type Parameters = Record<string, any>

export const bad = (description: string) =>
  ({ status: 400, description: `Bad Request: ${description}` }) satisfies Answer

/** The most that a bot may get, in bytes. */
const MAX_DOWNLOAD = 20 * 1024 * 1024

/** The methods of the Bot API that a channel needs; none of another name is known. */
export const METHODS: Record<string, (state: BotState, parameters: Parameters) => Answer> = {
  getMe: ({ bot }) => ({
    result: {
      id: bot.id,
      is_bot: true,
      first_name: 'Test bot',
      username: bot.username,
      can_join_groups: true,
    },
  }),

  getWebhookInfo: ({ webhook }) => ({ result: { url: webhook, has_custom_certificate: false } }),

  deleteWebhook(state) {
    state.webhook = ''
    return { result: true }
  },

  sendMessage(state, { text, parse_mode, reply_markup, ...where }) {
    const complaint =
      complaintAboutText({ text, parse_mode }) ?? complaintAboutKeys(reply_markup?.inline_keyboard ?? [])
    return complaint
      ? bad(complaint)
      : post(state, where, { text, keys: reply_markup?.inline_keyboard ?? [] })
  },

  editMessageText(state, { chat_id, message_id, text, parse_mode, reply_markup }) {
    const complaint = complaintAboutText({ text, parse_mode }, 'edited message')
    if (complaint) return bad(complaint)
    const refusal = complaintAboutPlace(state, { chat_id })
    if (refusal) return refusal
    const message = state.messages.find(
      (one) => one.message_id === message_id && String(one.chat.id) === String(chat_id),
    )
    if (!message) return bad('message to edit not found')
    const keys: Key[][] = reply_markup?.inline_keyboard ?? []
    if (message.text === text && JSON.stringify(keys) === JSON.stringify(message.keys))
      return bad(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      )
    if (message.text !== text) message.history.push(message.text)
    message.former_keys.push(...message.keys.flat())
    Object.assign(message, { text, keys })
    return { result: described(message) }
  },

  sendDocument: (state, parameters) => sendFile(state, parameters, 'document'),

  sendPhoto(state, parameters) {
    const { bytes } = parameters.photo as FormPart
    // Other beginnings are not images.
    if (!['89504e47', 'ffd8ffe0', '52494646'].includes(bytes.subarray(0, 4).toString('hex')))
      return bad('IMAGE_PROCESS_FAILED')
    return sendFile(state, parameters, 'photo')
  },

  sendChatAction(state, { chat_id, message_thread_id, action }) {
    if (action !== 'typing') return bad('wrong parameter action in request')
    const complaint = complaintAboutPlace(state, { chat_id, message_thread_id })
    if (complaint) return complaint
    state.typings.push({ chat_id, ...(message_thread_id !== undefined && { thread_id: message_thread_id }) })
    return { result: true }
  },

  answerCallbackQuery(state, { callback_query_id, text }) {
    const answer = state.presses.get(callback_query_id)
    if (!answer) return bad('query is too old and response timeout expired or query ID is invalid')
    if (text !== undefined && text.length > 200) return bad('MESSAGE_TOO_LONG')
    state.presses.delete(callback_query_id)
    answer(text)
    return { result: true }
  },

  getFile({ files }, { file_id }) {
    const file = files.get(file_id)
    if (!file) return bad('wrong file_id or the file is temporarily unavailable')
    if (file.size > MAX_DOWNLOAD) return bad('file is too big')
    return { result: { file_id, file_unique_id: `u${file_id}`, file_size: file.size, file_path: file.path } }
  },
}

function sendFile(state: BotState, parameters: Parameters, as: 'photo' | 'document'): Answer {
  const { caption = '', reply_markup: _, [as]: part, ...where } = parameters
  const { filename = '', bytes } = part as FormPart
  if (bytes.length === 0) return bad('file must be non-empty')
  const complaint = complaintAboutText({ text: caption }, 'caption')
  if (complaint) return bad(complaint)
  return post(state, where, {
    text: caption,
    keys: [],
    file: { filename, media_type: lookup(filename) || 'application/octet-stream', bytes, as },
  })
}

function post(
  state: BotState,
  { chat_id, message_thread_id, reply_parameters, ...unknown }: Parameters,
  content: Pick<BotMessage, 'text' | 'keys' | 'file'>,
): Answer {
  for (const name of Object.keys(unknown)) state.violations.push(`sends with an unknown parameter ${name}`)
  const complaint = complaintAboutPlace(state, { chat_id, message_thread_id })
  if (complaint) return complaint
  const message: BotMessage = {
    message_id: state.nextId(),
    chat: state.chats.get(String(chat_id))!,
    ...(message_thread_id !== undefined && { thread_id: Number(message_thread_id) }),
    ...(reply_parameters !== undefined && { reply_to: reply_parameters.message_id }),
    history: [],
    former_keys: [],
    ...content,
  }
  state.messages.push(message)
  return { result: described(message) }
}

function complaintAboutPlace(
  { chats, topics, closedTopics }: BotState,
  { chat_id, message_thread_id }: Parameters,
): Answer | undefined {
  const chat = chats.get(String(chat_id))
  if (!chat) return bad('chat not found')
  if (chat.title === 'banned')
    return { status: 403, description: 'Forbidden: bot was kicked from the supergroup chat' }
  if (chat.migrated_to !== undefined)
    return {
      ...bad('group chat was upgraded to a supergroup chat'),
      parameters: { migrate_to_chat_id: chat.migrated_to },
    }
  if (message_thread_id === undefined) return
  if (!topics.has(`${chat_id}:${message_thread_id}`)) return bad('message thread not found')
  if (closedTopics.has(`${chat_id}:${message_thread_id}`)) return bad('TOPIC_CLOSED')
}

/** Returns a message of the bot in the form of the API. */
export const described = ({ message_id, chat, thread_id, text, keys }: BotMessage) => ({
  message_id,
  date: Math.floor(Date.now() / 1000),
  chat,
  text,
  ...(thread_id !== undefined && { message_thread_id: thread_id, is_topic_message: true }),
  ...(keys.length > 0 && { reply_markup: { inline_keyboard: keys } }),
})
