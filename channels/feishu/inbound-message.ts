import type { ConversationType, InboundFile, InboundMessage } from '#plugin-api'
import { type Mention, readMentions, resolveMentions } from './mentions.ts'
import { readContent } from './message-content.ts'
import { isRecord, textOf } from './reply.ts'

/** Where an answer goes, and which message it answers. */
export type Target = {
  chat_id: string
  message_id: string
  conversation_id: string
  /** Whether to answer below the message rather than in the chat. */
  reply: boolean
  /** Whether the message stands in a thread. */
  thread: boolean
}

/** What `download` needs. */
export type FileReference = { message_id: string; key: string; type: 'image' | 'file' }

/** What somebody wrote, and the message that it replies to. */
export interface ParsedMessage {
  message: InboundMessage
  parent_id?: string
}

/**
 * Reads the event `im.message.receive_v1`; undefined for what is no person's message. An event in a form that nobody
 * knows is taken for one of these too: delivering it again would not make it readable.
 */
export function readMessage(event: unknown, bot: string): ParsedMessage | undefined {
  if (!isRecord(event) || !isRecord(event.message) || !isRecord(event.sender)) return undefined
  const { message, sender } = event
  const openId = isRecord(sender.sender_id) ? textOf(sender.sender_id.open_id) : undefined
  const id = textOf(message.message_id)
  const chat_id = textOf(message.chat_id)
  // Bots that answered each other would never end.
  if (!openId || !id || !chat_id || sender.sender_type !== 'user') return undefined

  const type: ConversationType = message.chat_type === 'p2p' ? 'direct' : 'group'
  const thread = textOf(message.thread_id)
  const conversation_id = thread ? `${chat_id}:${thread}` : chat_id
  const mentions = readMentions(message.mentions)
  const { text, resources } = readContent(String(message.message_type), message.content)
  const sent_at = Number(message.create_time)
  const parent_id = textOf(message.parent_id)
  const target: Target = {
    chat_id,
    message_id: id,
    conversation_id,
    reply: type === 'group' || thread !== undefined,
    thread: thread !== undefined,
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
      mentioned: type === 'direct' || mentions.some(isOf(bot)),
      ...(sent_at > 0 && { sent_at }),
      ...(files.length > 0 && { files }),
      target,
    },
    ...(parent_id && { parent_id }),
  }
}

const isOf =
  (bot: string) =>
  ({ open_id }: Mention) =>
    open_id === bot
