import type { ConversationType, InboundFile, InboundMessage } from '#plugin-api'
import type { FeishuApi } from './api.ts'
import { type Mention, readMentions, resolveMentions } from './mentions.ts'
import { readContent } from './message-content.ts'
import { isRecord, toText } from './reply.ts'

/** The destination of an answer, and the message that it answers. */
export type Target = {
  chat_id: string
  message_id: string
  conversation_id: string
  /** True to reply to the message instead of writing to the chat. */
  reply: boolean
  /** True if the message is in a thread. */
  thread: boolean
  /** The message that the thread, or the chain of replies, began with. */
  root_id?: string
}

/** The reference of a file for `download`. */
export type FileReference = { message_id: string; key: string; type: 'image' | 'file' }

/** A message and the id of the message that it replies to. */
interface ParsedMessage {
  message: InboundMessage
  parent_id?: string
}

/**
 * Reads the event `im.message.receive_v1`; undefined for messages that are not from a person, and for events of an
 * unknown form: another delivery would not make them readable.
 */
export function readMessage(event: unknown, bot: string): ParsedMessage | undefined {
  if (!isRecord(event) || !isRecord(event.message) || !isRecord(event.sender)) return undefined
  const { message, sender } = event
  const openId = isRecord(sender.sender_id) ? toText(sender.sender_id.open_id) : undefined
  const id = toText(message.message_id)
  const chat_id = toText(message.chat_id)
  // Bots would answer each other without end.
  if (!openId || !id || !chat_id || sender.sender_type !== 'user') return undefined

  const type: ConversationType = message.chat_type === 'p2p' ? 'direct' : 'group'
  const thread = toText(message.thread_id)
  const conversation_id = thread ? `${chat_id}:${thread}` : chat_id
  const mentions = readMentions(message.mentions)
  const { text, resources } = readContent(String(message.message_type), message.content)
  const sent_at = Number(message.create_time)
  const parent_id = toText(message.parent_id)
  const root_id = toText(message.root_id)
  const target: Target = {
    chat_id,
    message_id: id,
    conversation_id,
    reply: type === 'group' || thread !== undefined,
    thread: thread !== undefined,
    ...(root_id && { root_id }),
  }
  const files = resources.map(
    ({ key, type, filename }): InboundFile => ({
      ...(filename && { filename }),
      reference: { message_id: id, key, type } satisfies FileReference,
    }),
  )
  return {
    message: {
      id,
      conversation: { id: conversation_id, type },
      sender: { id: openId },
      text: resolveMentions(text, mentions, bot),
      mentioned: type === 'direct' || mentions.some(isMentionOf(bot)),
      ...(sent_at > 0 && { sent_at }),
      ...(files.length > 0 && { files }),
      target,
    },
    ...(parent_id && { parent_id }),
  }
}

const isMentionOf =
  (bot: string) =>
  ({ open_id }: Mention) =>
    open_id === bot

/** An event must be answered within three seconds, including the time to store the message. */
const TIMEOUT_MS = 1500

/** Fetches the text of the message that is replied to; undefined if it has none. */
export async function findQuote(
  api: FeishuApi,
  messageId: string,
  bot: string,
  signal: AbortSignal,
): Promise<InboundMessage['quote']> {
  // The query parameter makes the API return cards as they were sent.
  const path = `im/v1/messages/${encodeURIComponent(messageId)}?card_msg_content_type=user_card_content`
  const { data } = await api.call({ method: 'GET', path }, signal, TIMEOUT_MS)
  const [item] = Array.isArray(data?.items) ? data.items : []
  if (!isRecord(item) || !isRecord(item.body)) return undefined
  const content = readContent(String(item.msg_type), item.body.content)
  const text = resolveMentions(content.text, readMentions(item.mentions), bot)
  return text === '' ? undefined : { text }
}
