import type { CallbackQuery, Message, User } from 'grammy/types'
import type { ButtonPress, InboundMessage, Sender } from '#plugin-api'
import { filesOf } from './files.ts'
import { type Me, readAddress } from './mention.ts'
import { conversationOf, targetOf } from './places.ts'

/**
 * What somebody wrote: one message, or the parts of an album. Undefined where there is nothing for an agent in it: what
 * other bots and channels say, what the platform itself tells of a group, what is neither text nor a file.
 */
export function readMessages(parts: readonly Message[], me: Me): InboundMessage | undefined {
  const [first] = parts
  const conversation = first && conversationOf(first)
  const sender = first && senderOf(first)
  if (!conversation || !sender) return

  const addressed = parts.map((part) =>
    readAddress(
      part.text ?? part.caption ?? part.sticker?.emoji ?? '',
      part.entities ?? part.caption_entities ?? [],
      me,
    ),
  )
  const files = parts.flatMap(filesOf)
  const written = parts.some(({ text, caption, sticker }) => text ?? caption ?? sticker?.emoji)
  if (!written && files.length === 0) return

  const quote = quoteOf(first)
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
      repliedTo(first)?.from?.id === me.id,
    sent_at: first.date * 1000,
    ...(quote && { quote }),
    ...(files.length > 0 && { files }),
    target: targetOf(first),
  }
}

/** A press of a button of the bot; undefined where it is of something else, as a game. */
export function readPress({ data, from, message }: CallbackQuery): ButtonPress | undefined {
  const conversation = message && conversationOf(message)
  if (data === undefined || !conversation) return
  return { value: data, sender: personOf(from), conversation_id: conversation.id }
}

/** Who speaks: a person, or a group in whose name an administrator does. */
function senderOf({ from, sender_chat, is_automatic_forward }: Message): Sender | undefined {
  if (is_automatic_forward) return
  // For the sake of old clients Telegram names a bot as the sender too.
  if (sender_chat)
    return { id: String(sender_chat.id), ...(sender_chat.title && { name: sender_chat.title }) }
  return from && !from.is_bot ? personOf(from) : undefined
}

function personOf(user: User): Sender {
  const name = nameOf(user)
  return { id: String(user.id), ...(name && { name }) }
}

const nameOf = ({ first_name, last_name, username }: User) =>
  [first_name, last_name].filter(Boolean).join(' ') || username

/** What a message replies to; in a topic every message counts as a reply to the one that opened it. */
function repliedTo({ reply_to_message }: Message) {
  return reply_to_message?.forum_topic_created ? undefined : reply_to_message
}

function quoteOf(message: Message): InboundMessage['quote'] {
  const original = repliedTo(message)
  const text = message.quote?.text ?? original?.text ?? original?.caption
  if (!text) return
  const sender = original?.sender_chat?.title ?? (original?.from && nameOf(original.from))
  return { text, ...(sender && { sender }) }
}
