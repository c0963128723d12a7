import type { CallbackQuery, Message, User } from 'grammy/types'
import type { ButtonPress, InboundMessage, Sender } from '#plugin-api'
import { listFiles } from './files.ts'
import { type Me, readAddress } from './mention.ts'
import { toConversation, toTarget } from './places.ts'

/**
 * Reads a message, or the parts of an album. Undefined for messages of other bots and channels, for service messages of
 * groups, and for messages with neither text nor files.
 */
export function readMessages(parts: readonly Message[], me: Me): InboundMessage | undefined {
  const [first] = parts
  const conversation = first && toConversation(first)
  const sender = first && readSender(first)
  if (!conversation || !sender) return

  const addressed = parts.map((part) =>
    readAddress(
      part.text ?? part.caption ?? part.sticker?.emoji ?? '',
      part.entities ?? part.caption_entities ?? [],
      me,
    ),
  )
  const files = parts.flatMap(listFiles)
  const written = parts.some(({ text, caption, sticker }) => text ?? caption ?? sticker?.emoji)
  if (!written && files.length === 0) return

  const quote = readQuote(first)
  return {
    id: `${first.chat.id}:${first.message_id}`,
    conversation,
    sender,
    text: addressed
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n'),
    mentioned:
      conversation.type === 'direct' ||
      addressed.some(({ mentioned }) => mentioned) ||
      findRepliedTo(first)?.from?.id === me.id,
    sent_at: first.date * 1000,
    ...(quote && { quote }),
    ...(files.length > 0 && { files }),
    target: toTarget(first),
  }
}

/** Reads a press of the bot's button; undefined for other callbacks, e.g. of a game. */
export function readPress({ data, from, message }: CallbackQuery): ButtonPress | undefined {
  const conversation = message && toConversation(message)
  if (data === undefined || !conversation) return
  return { value: data, sender: toSender(from), conversation_id: conversation.id }
}

/** Returns the sender: a person, or the group for an anonymous administrator. */
function readSender({ from, sender_chat, is_automatic_forward }: Message): Sender | undefined {
  if (is_automatic_forward) return
  // In this case Telegram also sets `from` to a bot, for old clients.
  if (sender_chat)
    return { id: String(sender_chat.id), ...(sender_chat.title && { name: sender_chat.title }) }
  return from && !from.is_bot ? toSender(from) : undefined
}

function toSender(user: User): Sender {
  const name = readName(user)
  return { id: String(user.id), ...(name && { name }) }
}

const readName = ({ first_name, last_name, username }: User) =>
  [first_name, last_name].filter(Boolean).join(' ') || username

/** Returns the message that is replied to. In a topic, a reply to the message that opened it is not a reply. */
function findRepliedTo({ reply_to_message }: Message) {
  return reply_to_message?.forum_topic_created ? undefined : reply_to_message
}

function readQuote(message: Message): InboundMessage['quote'] {
  const original = findRepliedTo(message)
  const text = message.quote?.text ?? original?.text ?? original?.caption
  if (!text) return
  const sender = original?.sender_chat?.title ?? (original?.from && readName(original.from))
  return { text, ...(sender && { sender }) }
}
