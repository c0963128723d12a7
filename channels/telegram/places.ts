import type { Message } from 'grammy/types'
import type { InboundMessage, JSONValue } from '#plugin-api'

/** Where an answer goes; in a group also what it replies to. */
export type Target = { chat_id: number; thread_id?: number; reply_to?: number }

/** A message of the bot that can be changed. */
export type Sent = { chat_id: number; message_id: number }

type Located = Pick<Message, 'chat' | 'message_thread_id' | 'is_topic_message'>

/** The topic of a forum. Other groups have threads of replies too, to which nothing can be sent. */
const topicOf = ({ is_topic_message, message_thread_id }: Located) =>
  is_topic_message ? message_thread_id : undefined

/** The conversation that a message belongs to; undefined where bots hold none, as in a broadcasting channel. */
export function conversationOf(message: Located): InboundMessage['conversation'] | undefined {
  const { id, type } = message.chat ?? {}
  if (type !== 'private' && type !== 'group' && type !== 'supergroup') return
  const topic = topicOf(message)
  return {
    id: topic === undefined ? String(id) : `${id}:${topic}`,
    type: type === 'private' ? 'direct' : 'group',
  }
}

/** What is needed to answer a message. */
export function targetOf(message: Message): Target {
  const topic = topicOf(message)
  return {
    chat_id: message.chat.id,
    ...(topic !== undefined && { thread_id: topic }),
    ...(message.chat.type !== 'private' && { reply_to: message.message_id }),
  }
}

/** What `targetOf` and `send` gave, back from where the gateway kept it. */
export const asTarget = (target: JSONValue) => target as unknown as Target
export const asSent = (sent: JSONValue) => sent as unknown as Sent
