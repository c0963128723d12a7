import {
  type ConversationType,
  type InboundFile,
  type InboundMessage,
  isObject,
  toFilledText,
  toNumber,
} from '#plugin-api'
import { type Mention, readMentions, resolveMentions } from './mentions.ts'
import { type Resource, readContent } from './message-content.ts'

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
export type FileReference = {
  message_id: string
  key: string
  type: 'image' | 'file'
  /** The message that the file may be kept with instead, if the file was forwarded. */
  original_id?: string
}

/** A message of an event, with the id of the message that it replies to. */
export interface ParsedMessage {
  message: InboundMessage
  /** The message that it replies to. */
  parent_id?: string
  /** Set if the event lacks the content, which only the API returns. */
  is_content_missing?: boolean
}

/** Types of messages whose content an event lacks or may lack. */
const FETCHED_TYPES = new Set(['merge_forward', 'interactive'])

/**
 * Reads the event `im.message.receive_v1`; undefined for messages that are not from a person, and for events of an
 * unknown form: another delivery would not make them readable.
 */
export function readMessage(event: unknown, bot: string): ParsedMessage | undefined {
  if (!isObject(event) || !isObject(event.message) || !isObject(event.sender)) return undefined
  const { message, sender } = event
  const openId = isObject(sender.sender_id) ? toFilledText(sender.sender_id.open_id) : undefined
  const id = toFilledText(message.message_id)
  const chat_id = toFilledText(message.chat_id)
  // Bots would answer each other without end.
  if (!openId || !id || !chat_id || sender.sender_type !== 'user') return undefined

  const type: ConversationType = message.chat_type === 'p2p' ? 'direct' : 'group'
  const thread = toFilledText(message.thread_id)
  const conversation_id = thread ? `${chat_id}:${thread}` : chat_id
  const mentions = readMentions(message.mentions)
  const message_type = toFilledText(message.message_type) ?? ''
  const { text, resources, unreadable } = readContent(message_type, message.content)
  const sent_at = toNumber(message.create_time) ?? 0
  const parent_id = toFilledText(message.parent_id)
  const root_id = toFilledText(message.root_id)
  const target: Target = {
    chat_id,
    message_id: id,
    conversation_id,
    reply: type === 'group' || thread !== undefined,
    thread: thread !== undefined,
    ...(root_id && { root_id }),
  }
  const files = resources.map((resource) => toFile(resource, id))
  return {
    message: {
      id,
      conversation: { id: conversation_id, type },
      sender: { id: openId },
      text: resolveMentions(text, mentions, bot),
      mentioned: type === 'direct' || mentions.some(isMentionOf(bot)),
      ...(sent_at > 0 && { sent_at }),
      ...(files.length > 0 && { files }),
      ...(unreadable && { unreadable }),
      target,
    },
    ...(parent_id && { parent_id }),
    ...(unreadable && FETCHED_TYPES.has(message_type) && { is_content_missing: true }),
  }
}

/** Creates the file of a resource, which is downloaded with the id of its message. */
export const toFile = (
  { key, type, filename }: Resource,
  message_id: string,
  original_id?: string,
): InboundFile => ({
  ...(filename && { filename }),
  reference: { message_id, key, type, ...(original_id && { original_id }) } satisfies FileReference,
})

const isMentionOf =
  (bot: string) =>
  ({ open_id }: Mention) =>
    open_id === bot
