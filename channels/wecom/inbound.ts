import type { InboundMessage, QuotedMessage } from '#plugin-api'
import { type Content, readContent } from './content.ts'
import { type Fields, readCallback, toFields, toTarget, toText } from './frame.ts'
import type { Mentions } from './mention.ts'

/** Callbacks that are not messages of people: the platform asks for the state of a stream. */
const NOT_MESSAGES = ['stream', 'event']

/** Reads a message; undefined if it is not one, or lacks its author or conversation. */
export function readMessage(frame: unknown, mentions: Mentions): InboundMessage | undefined {
  const callback = readCallback(frame)
  if (!callback) return undefined
  const { body, conversation, msg_id, user_id } = callback
  const type = toText(body.msgtype)
  if (NOT_MESSAGES.includes(type)) return undefined
  const content = readContent(body)
  const text = conversation.type === 'group' ? mentions.remove(content.text) : content.text
  const quote = readQuote(toFields(body.quote), content)
  const isEmpty = content.text.trim() === '' && content.files.length === 0 && !quote
  return {
    id: msg_id,
    conversation,
    sender: { id: user_id },
    text,
    mentioned: true,
    ...readTime(body.create_time),
    ...(quote && { quote }),
    ...(content.files.length > 0 && { files: content.files }),
    ...(isEmpty && { unreadable: type || 'message' }),
    target: toTarget(callback),
  }
}

/** Returns the quoted message, or the forwarded ones if nothing is quoted. */
function readQuote(quoted: Fields, { forwarded }: Content): QuotedMessage | undefined {
  const type = toText(quoted.msgtype)
  if (!type) return forwarded
  const { text, files, forwarded: inner } = readContent(quoted)
  const attached = [...files, ...(inner?.files ?? [])]
  return { text: text || inner?.text || `[${type}]`, ...(attached.length > 0 && { files: attached }) }
}

const readTime = (seconds: unknown) =>
  typeof seconds === 'number' && seconds > 0 ? { sent_at: Math.round(seconds * 1000) } : {}
