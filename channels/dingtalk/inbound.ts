import type { InboundFile, InboundMessage } from '#plugin-api'
import type { Target } from './sending.ts'
import { toObject, toObjects, toText, type WireObject } from './wire-value.ts'

/** The reference of a file for `download`. */
export type FileReference = { code: string; robot: string }

/** Reads a delivered message; undefined if it is not readable. */
export function readMessage(
  data: WireObject,
  clientId: string,
): (InboundMessage & { target: Target }) | undefined {
  const id = toText(data.msgId)
  const conversation = toText(data.conversationId)
  const staff = toText(data.senderStaffId)
  const sender = staff || toText(data.senderId)
  if (!id || !conversation || !sender) return undefined
  const robot = toText(data.robotCode) || clientId
  const { text, files } = readContent(data, robot)
  if (!text && files.length === 0) return undefined

  const type = toText(data.conversationType) === '2' ? 'group' : 'direct'
  const name = toText(data.senderNick)
  const sentAt = Number(data.createAt)
  const quote = readQuote(data)
  const url = toText(data.sessionWebhook)
  return {
    id,
    conversation: { id: conversation, type },
    sender: { id: sender, ...(name && { name }) },
    text,
    // In a group DingTalk delivers only messages that mention the robot.
    mentioned: type === 'direct' || data.isInAtList !== false,
    ...(sentAt > 0 && { sent_at: sentAt }),
    ...(quote && { quote }),
    ...(files.length > 0 && { files }),
    target: {
      type,
      conversation,
      robot,
      ...(staff && { staff }),
      ...(url && { webhook: { url, expires_at: Number(data.sessionWebhookExpiredTime) || 0 } }),
    },
  }
}

function readContent(data: WireObject, robot: string): { text: string; files: InboundFile[] } {
  const content = toObject(data.content)
  const file = (about: Omit<InboundFile, 'reference'> = {}, holder = content): InboundFile[] => {
    const code = toText(holder.downloadCode) || toText(holder.pictureDownloadCode)
    const reference: FileReference = { code, robot }
    return code ? [{ ...about, reference }] : []
  }
  switch (data.msgtype) {
    case 'text':
      return { text: withoutMention(toText(toObject(data.text).content).trim(), data), files: [] }
    case 'richText': {
      const parts = toObjects(content.richText)
      const text = withoutMention(joinText(parts), data)
      return { text, files: parts.flatMap((part) => file({}, part)) }
    }
    case 'audio':
      return { text: toText(content.recognition).trim(), files: file() }
    case 'video':
      return { text: '', files: file({ filename: `video.${toText(content.videoType) || 'mp4'}` }) }
    case 'file': {
      const filename = toText(content.fileName)
      return { text: '', files: file(filename ? { filename } : {}) }
    }
    case 'picture':
      return { text: '', files: file() }
    default:
      return { text: '', files: [] }
  }
}

/** Removes the robot's mention, as most clients do. If only the robot is mentioned, a leading name is its own. */
function withoutMention(text: string, { atUsers, chatbotUserId }: WireObject): string {
  const mentioned = toObjects(atUsers)
  const isAlone = mentioned.length === 1 && mentioned[0]!.dingtalkId === chatbotUserId
  return isAlone ? text.replace(/^@\S+\s*/, '') : text
}

/** Joins the texts of a rich text; its parts contain the line breaks. */
function joinText(parts: WireObject[]): string {
  return parts
    .map(({ text, content }) => toText(text) || toText(content))
    .join('')
    .trim()
}

/** Returns the message that is replied to; quoted robot messages often lack their text. */
function readQuote(data: WireObject): InboundMessage['quote'] {
  const holder = [toObject(data.text), toObject(data.content)].find(({ repliedMsg }) => repliedMsg)
  const { content, senderNick } = toObject(holder?.repliedMsg)
  const { text, richText, fileName } = toObject(content)
  const words = toText(content) || toText(text) || joinText(toObjects(richText)) || toText(fileName)
  const sender = toText(senderNick)
  return words.trim() ? { text: words.trim(), ...(sender && { sender }) } : undefined
}
