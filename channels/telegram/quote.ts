import type { Chat, Message, MessageOrigin, User } from 'grammy/types'
import type { InboundFile, QuotedMessage } from '#plugin-api'
import { type Content, readContent } from './content.ts'
import { listStickers } from './files.ts'
import type { Me } from './mention.ts'

/** Returns the name of a person. */
export const readName = ({ first_name, last_name, username }: User): string | undefined =>
  [first_name, last_name].filter(Boolean).join(' ') || username

const readChatName = (chat: Chat): string | undefined => chat.title ?? chat.first_name ?? chat.username

/** True if a message replies to one of the bot, in the same topic or in another. */
export function isReplyTo(message: Message, me: Me): boolean {
  const origin = message.external_reply?.origin
  const author = origin?.type === 'user' ? origin.sender_user : findRepliedTo(message)?.from
  return author?.id === me.id
}

/** Returns the message that is replied to. In a topic, a reply to the message that opened it is not a reply. */
function findRepliedTo({ reply_to_message }: Message): Partial<Message> | undefined {
  return reply_to_message?.forum_topic_created ? undefined : reply_to_message
}

/** Reads the message that another one replies to, in the same chat or elsewhere, or the quoted part of it. */
export function readQuote(message: Message): QuotedMessage | undefined {
  const { external_reply, reply_to_story, quote } = message
  const original = findRepliedTo(message)
  if (original) {
    const { sender_chat, from } = original
    const sender = sender_chat?.title ?? (from && readName(from))
    return toQuote(readQuoted(original), sender, quote?.text)
  }
  if (external_reply)
    return toQuote(readQuoted(external_reply), readOrigin(external_reply.origin), quote?.text)
  if (reply_to_story) return toQuote({ text: '[story]', files: [] }, readChatName(reply_to_story.chat))
  return quote && toQuote({ text: quote.text, files: [] }, undefined)
}

/** Returns a forwarded message as a quote; undefined if it has nothing that can be read. */
export function readForward(
  { forward_origin }: Message,
  text: string,
  files: InboundFile[],
): QuotedMessage | undefined {
  const quote = toQuote({ text, files }, forward_origin && readOrigin(forward_origin))
  return quote && { ...quote, is_forwarded: true }
}

/** Reads the content of a quoted message. Unlike of a sent sticker, its picture is what is asked about. */
function readQuoted(source: Parameters<typeof readContent>[0]): Pick<Content, 'text' | 'files'> {
  const { text, files, unreadable } = readContent(source)
  return {
    text: text === '' && unreadable ? `[${unreadable}]` : text,
    files: source.sticker?.emoji ? listStickers(source) : files,
  }
}

function toQuote(
  { text, files }: Pick<Content, 'text' | 'files'>,
  sender: string | undefined,
  quotedPart = '',
): QuotedMessage | undefined {
  const words = quotedPart || text
  if (words === '' && files.length === 0) return
  return { text: words, ...(sender && { sender }), ...(files.length > 0 && { files }) }
}

function readOrigin(origin: MessageOrigin): string | undefined {
  if (origin.type === 'user') return readName(origin.sender_user)
  if (origin.type === 'hidden_user') return origin.sender_user_name
  return readChatName(origin.type === 'chat' ? origin.sender_chat : origin.chat)
}
