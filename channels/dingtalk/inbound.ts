import type { InboundFile, InboundMessage } from '#plugin-api'
import type { Target } from './target.ts'
import { objectOf, objectsOf, textOf, type WireObject } from './wire-value.ts'

/** What `download` needs to get a file. */
export type FileReference = { code: string; robot: string }

/** Reads a message as it was delivered; undefined where it is none that can be read. */
export function readMessage(
  data: WireObject,
  clientId: string,
): (InboundMessage & { target: Target }) | undefined {
  const id = textOf(data.msgId)
  const conversation = textOf(data.conversationId)
  const staff = textOf(data.senderStaffId)
  const sender = staff || textOf(data.senderId)
  if (!id || !conversation || !sender) return undefined
  const robot = textOf(data.robotCode) || clientId
  const { text, files } = contentOf(data, robot)
  if (!text && files.length === 0) return undefined

  const type = textOf(data.conversationType) === '2' ? 'group' : 'direct'
  const name = textOf(data.senderNick)
  const sentAt = Number(data.createAt)
  const quote = quoteOf(data)
  const url = textOf(data.sessionWebhook)
  return {
    id,
    conversation: { id: conversation, type },
    sender: { id: sender, ...(name && { name }) },
    text,
    // In a group DingTalk delivers nothing else.
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

function contentOf(data: WireObject, robot: string): { text: string; files: InboundFile[] } {
  const content = objectOf(data.content)
  const file = (about: Omit<InboundFile, 'reference'> = {}, holder = content): InboundFile[] => {
    const code = textOf(holder.downloadCode) || textOf(holder.pictureDownloadCode)
    const reference: FileReference = { code, robot }
    return code ? [{ ...about, reference }] : []
  }
  switch (data.msgtype) {
    case 'text':
      return { text: withoutMention(textOf(objectOf(data.text).content).trim(), data), files: [] }
    case 'richText': {
      const parts = objectsOf(content.richText)
      const text = withoutMention(spoken(parts), data)
      return { text, files: parts.flatMap((part) => file({}, part)) }
    }
    case 'audio':
      return { text: textOf(content.recognition).trim(), files: file() }
    case 'video':
      return { text: '', files: file({ filename: `video.${textOf(content.videoType) || 'mp4'}` }) }
    case 'file': {
      const filename = textOf(content.fileName)
      return { text: '', files: file(filename ? { filename } : {}) }
    }
    case 'picture':
      return { text: '', files: file() }
    default:
      return { text: '', files: [] }
  }
}

/** Most clients leave the mention out by themselves; where only the robot was mentioned, a name in front is its own. */
function withoutMention(text: string, { atUsers, chatbotUserId }: WireObject): string {
  const mentioned = objectsOf(atUsers)
  const isAlone = mentioned.length === 1 && mentioned[0]!.dingtalkId === chatbotUserId
  return isAlone ? text.replace(/^@\S+\s*/, '') : text
}

/** What the parts of a rich text say; its line breaks stand in the parts. */
function spoken(parts: WireObject[]): string {
  return parts
    .map(({ text, content }) => textOf(text) || textOf(content))
    .join('')
    .trim()
}

/** What a message replies to; the messages of robots often come without their words. */
function quoteOf(data: WireObject): InboundMessage['quote'] {
  const holder = [objectOf(data.text), objectOf(data.content)].find(({ repliedMsg }) => repliedMsg)
  const { content, senderNick } = objectOf(holder?.repliedMsg)
  const { text, richText, fileName } = objectOf(content)
  const words = textOf(content) || textOf(text) || spoken(objectsOf(richText)) || textOf(fileName)
  const sender = textOf(senderNick)
  return words.trim() ? { text: words.trim(), ...(sender && { sender }) } : undefined
}
