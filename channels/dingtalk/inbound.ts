import {
  type InboundMessage,
  type Json,
  type QuotedMessage,
  toNumber,
  toObject,
  toObjects,
  toScalarText,
} from '#plugin-api'
import { type Content, describeContent } from './content.ts'
import { readContent } from './content-reading.ts'
import type { Target } from './sending.ts'

/** Reads a delivered message; undefined if it has no sender or no conversation. */
export function readMessage(data: Json, clientId: string): (InboundMessage & { target: Target }) | undefined {
  const id = toScalarText(data.msgId)
  const conversation = toScalarText(data.conversationId)
  const staff = toScalarText(data.senderStaffId)
  const sender = staff || toScalarText(data.senderId)
  if (!id || !conversation || !sender) return undefined
  const robot = toScalarText(data.robotCode) || clientId
  const type = toScalarText(data.conversationType) === '2' ? 'group' : 'direct'
  const name = toScalarText(data.senderNick)
  const sentAt = toNumber(data.createAt) ?? 0
  const url = toScalarText(data.sessionWebhook)
  return {
    id,
    conversation: { id: conversation, type },
    sender: { id: sender, ...(name && { name }) },
    mentioned: type === 'direct' || isMentioned(data),
    ...(sentAt > 0 && { sent_at: sentAt }),
    ...toMessageContent(readOwnContent(data, robot), readQuote(data, robot)),
    target: {
      type,
      conversation,
      robot,
      ...(staff && { staff }),
      ...(url && { webhook: { url, expires_at: toNumber(data.sessionWebhookExpiredTime) ?? 0 } }),
    },
  }
}

/** True if the robot is mentioned: so is every message of a group, unless the robot hears all of them. */
function isMentioned({ isInAtList, atUsers, chatbotUserId }: Json): boolean {
  if (typeof isInAtList === 'boolean') return isInAtList
  const mentioned = toObjects(atUsers)
  return mentioned.length === 0 || mentioned.some(({ dingtalkId }) => dingtalkId === chatbotUserId)
}

/** Reads the content. The text keeps all that begins with `@`: DingTalk has removed the mention of the robot. */
function readOwnContent(data: Json, robot: string): Content {
  const type = toScalarText(data.msgtype)
  if (type === 'text') return readContent(type, toObject(data.text).content ?? data.text, robot)
  const content = data.content ?? data[type]
  return readContent(type, content, robot)
}

type MessageContent = Pick<InboundMessage, 'text' | 'files' | 'quote' | 'unreadable'>

function toMessageContent(
  { text, files, forwarded, unreadable }: Content,
  repliedTo: QuotedMessage | undefined,
): MessageContent {
  const quote = forwarded ? { ...forwarded, is_forwarded: true } : repliedTo
  return {
    // The sender is notified only if nothing else came; otherwise the text says what is missing.
    text: unreadable && quote ? `[${unreadable}]` : text,
    ...(files.length > 0 && { files }),
    ...(quote && { quote }),
    ...(unreadable && !quote && { unreadable }),
  }
}

/** Returns the message that is replied to. */
function readQuote(data: Json, robot: string): QuotedMessage | undefined {
  const holder = [toObject(data.text), toObject(data.content)].find(
    ({ repliedMsg, isReplyMsg }) => repliedMsg || isReplyMsg,
  )
  if (!holder) return undefined
  const { msgType, msgtype, content: fields, senderNick } = toObject(holder.repliedMsg)
  const type = toScalarText(msgType) || toScalarText(msgtype) || (fields ? 'text' : 'unknownMsgType')
  const content = readContent(type, fields, robot)
  const sender = toScalarText(senderNick)
  const files = [...content.files, ...(content.forwarded?.files ?? [])]
  return {
    text: describeContent({ ...content, files: [] }),
    ...(sender && { sender }),
    ...(files.length > 0 && { files }),
  }
}
