import type { CallbackQuery, Message, User } from 'grammy/types'
import type { ButtonPress, InboundMessage, Sender } from '#plugin-api'
import { type Content, readContent } from './content.ts'
import { type Me, readAddress } from './mention.ts'
import { toConversation, toTarget } from './places.ts'
import { isReplyTo, readForward, readName, readQuote } from './quote.ts'

/**
 * Reads a message, or the parts of an album. Undefined for messages of other bots and channels, and for what Telegram
 * itself says in a chat.
 */
export function readMessages(parts: readonly Message[], me: Me): InboundMessage | undefined {
  const [first] = parts
  const conversation = first && toConversation(first)
  const sender = first && readSender(first)
  if (!conversation || !sender || parts.some(isService)) return

  const contents = parts.map(readContent)
  const addressed = contents.map(({ text, entities }) => readAddress(text, entities, me))
  const files = contents.flatMap((content) => content.files)
  const isForwarded = first.forward_origin !== undefined
  // Nobody says to the bot what somebody else wrote: it is neither a command nor a decision.
  const text = isForwarded ? '' : joinLines(addressed)
  const quote = isForwarded ? readForward(first, joinLines(contents), files) : readQuote(first)
  const unreadable = readUnreadable(contents)
  return {
    id: `${first.chat.id}:${first.message_id}`,
    conversation,
    sender,
    text,
    mentioned:
      conversation.type === 'direct' || addressed.some(({ mentioned }) => mentioned) || isReplyTo(first, me),
    sent_at: first.date * 1000,
    ...(quote && { quote }),
    ...(files.length > 0 && !isForwarded && { files }),
    ...(unreadable && { unreadable }),
    target: toTarget(first),
  }
}

const joinLines = (parts: readonly { text: string }[]) =>
  parts
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n')

/** Names content that cannot be read, if a message has nothing else. */
function readUnreadable(contents: readonly Content[]): string | undefined {
  if (contents.some(({ text, files }) => text !== '' || files.length > 0)) return
  // Telegram shows bots content of new kinds as a message without any.
  return contents.find(({ unreadable }) => unreadable)?.unreadable ?? 'message'
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

/** The fields of messages that Telegram itself writes into a chat: what somebody did, not what somebody said. */
const SERVICE_FIELDS = [
  'new_chat_members',
  'left_chat_member',
  'new_chat_title',
  'new_chat_photo',
  'delete_chat_photo',
  'group_chat_created',
  'supergroup_chat_created',
  'channel_chat_created',
  'chat_owner_left',
  'chat_owner_changed',
  'community_chat_added',
  'community_chat_removed',
  'community_chat_joined',
  'message_auto_delete_timer_changed',
  'migrate_to_chat_id',
  'migrate_from_chat_id',
  'pinned_message',
  'successful_payment',
  'refunded_payment',
  'users_shared',
  'chat_shared',
  'connected_website',
  'write_access_allowed',
  'passport_data',
  'proximity_alert_triggered',
  'boost_added',
  'chat_background_set',
  'checklist_tasks_done',
  'checklist_tasks_added',
  'poll_option_added',
  'poll_option_deleted',
  'managed_bot_created',
  'forum_topic_created',
  'forum_topic_edited',
  'forum_topic_closed',
  'forum_topic_reopened',
  'general_forum_topic_hidden',
  'general_forum_topic_unhidden',
  'giveaway_created',
  'giveaway_completed',
  'gift_upgrade_sent',
  'paid_message_price_changed',
  'direct_message_price_changed',
  'suggested_post_approved',
  'suggested_post_approval_failed',
  'suggested_post_declined',
  'suggested_post_paid',
  'suggested_post_refunded',
  'video_chat_scheduled',
  'video_chat_started',
  'video_chat_ended',
  'video_chat_participants_invited',
  'web_app_data',
] as const satisfies (keyof Message)[]

/** True for a message that Telegram itself wrote. */
const isService = (message: Message): boolean => SERVICE_FIELDS.some((field) => message[field] !== undefined)
