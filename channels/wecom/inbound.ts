import type { InboundMessage, QuotedMessage } from '#plugin-api'
import { type Json, toObject, toText } from '#toolbox'
import { flatten, readContent } from './content.ts'
import { readCallback, toTarget } from './frame.ts'
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
  const quoted = toObject(body.quote)
  const whole = readContent(body)
  const quote = toText(quoted.msgtype) ? readQuote(quoted) : whole.forwarded
  const content = quote === whole.forwarded ? whole : flatten(whole)
  const text = conversation.type === 'group' ? mentions.remove(content.text) : content.text
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

function readQuote(quoted: Json): QuotedMessage {
  const { text, files } = flatten(readContent(quoted))
  return { text: text || `[${toText(quoted.msgtype)}]`, ...(files.length > 0 && { files }) }
}

const readTime = (seconds: unknown) =>
  typeof seconds === 'number' && seconds > 0 ? { sent_at: Math.round(seconds * 1000) } : {}
