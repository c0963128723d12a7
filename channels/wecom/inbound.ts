import type { InboundFile, InboundMessage } from '#plugin-api'
import { type Fields, fieldsOf, readCallback, stringOf, targetOf } from './frame.ts'

/** What a message, or one that it quotes, says and brings. */
interface Content {
  text: string
  files: InboundFile[]
}

/** Begins what is written in a group; the platform hands over nothing that does not mention the robot. */
const MENTION = /^\s*@\S+\s*/

/** Reads a message; undefined where it is none of those that a person can write. */
export function readMessage(frame: unknown): InboundMessage | undefined {
  const callback = readCallback(frame)
  if (!callback) return undefined
  const { body, conversation, msg_id, user_id } = callback
  const content = readContent(body)
  if (!content) return undefined
  const quoted = fieldsOf(body.quote)
  const quote = readContent(quoted)
  const files = [...content.files, ...(quote?.files ?? [])]
  return {
    id: msg_id,
    conversation,
    sender: { id: user_id },
    text: conversation.type === 'group' ? content.text.replace(MENTION, '') : content.text,
    mentioned: true,
    ...timeOf(body.create_time),
    ...(quote && { quote: { text: quote.text || `[${stringOf(quoted.msgtype)}]` } }),
    ...(files.length > 0 && { files }),
    target: targetOf(callback),
  }
}

function readContent(message: Fields): Content | undefined {
  const type = stringOf(message.msgtype)
  const body = fieldsOf(message[type])
  switch (type) {
    case 'text':
    case 'voice':
      return { text: stringOf(body.content), files: [] }
    case 'image':
    case 'file':
    case 'video':
      return { text: '', files: fileOf(type, body) }
    case 'mixed': {
      const items = Array.isArray(body.msg_item) ? body.msg_item : []
      const contents = items.map((item) => readContent(fieldsOf(item))).filter((item) => item !== undefined)
      return {
        text: contents
          .map(({ text }) => text)
          .filter((text) => text !== '')
          .join('\n'),
        files: contents.flatMap(({ files }) => files),
      }
    }
    default:
      return undefined
  }
}

/** A file is encrypted with a key of its own, and can be fetched for five minutes. */
function fileOf(type: string, body: Fields): InboundFile[] {
  const url = stringOf(body.url)
  if (!url) return []
  const filename = stringOf(body.filename) || stringOf(body.name)
  return [
    {
      ...(filename && { filename }),
      ...(typeof body.size === 'number' && { size: body.size }),
      reference: { url, aeskey: stringOf(body.aeskey), type },
    },
  ]
}

const timeOf = (seconds: unknown) =>
  typeof seconds === 'number' && seconds > 0 ? { sent_at: Math.round(seconds * 1000) } : {}
