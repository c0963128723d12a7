import type { Message } from 'grammy/types'
import type { InboundMessage, JSONValue } from '#plugin-api'

/** The destination of an answer; in a group also the message that it replies to. */
export type Target = { chat_id: number; thread_id?: number; reply_to?: number }

/** A sent message, for changing it. */
export type Sent = { chat_id: number; message_id: number }

type Located = Pick<Message, 'chat' | 'message_thread_id' | 'is_topic_message'>

/** Returns the topic of a forum. Other groups have reply threads, to which nothing can be sent. */
const readTopic = ({ is_topic_message, message_thread_id }: Located) =>
  is_topic_message ? message_thread_id : undefined

/** Returns the conversation of a message; undefined for chats without conversations, e.g. broadcast channels. */
export function toConversation(message: Located): InboundMessage['conversation'] | undefined {
  const { id, type } = message.chat ?? {}
  if (type !== 'private' && type !== 'group' && type !== 'supergroup') return
  const topic = readTopic(message)
  return {
    id: topic === undefined ? String(id) : `${id}:${topic}`,
    type: type === 'private' ? 'direct' : 'group',
  }
}

/** Returns the target for answering a message. */
export function toTarget(message: Message): Target {
  const topic = readTopic(message)
  return {
    chat_id: message.chat.id,
    ...(topic !== undefined && { thread_id: topic }),
    ...(message.chat.type !== 'private' && { reply_to: message.message_id }),
  }
}

/** Reads the announcement that a supergroup has replaced a group; Telegram makes it in both. */
export function readMove({
  chat,
  migrate_to_chat_id,
  migrate_from_chat_id,
}: Message): { from: string; to: { id: string; target: Target } } | undefined {
  const from = migrate_to_chat_id === undefined ? migrate_from_chat_id : chat?.id
  const to = migrate_to_chat_id ?? chat?.id
  if (from === undefined || to === undefined) return
  return { from: String(from), to: { id: String(to), target: { chat_id: to } } }
}

/** Return a stored target or sent message with its type. */
export const asTarget = (target: JSONValue) => target as Target
export const asSent = (sent: JSONValue) => sent as Sent
