import type { InboundFile, InboundMessage } from '#plugin-api'
import { type Fields, readCallback, toFields, toTarget, toText } from './frame.ts'

/** The text and files of a message or quote. */
interface Content {
  text: string
  files: InboundFile[]
}

/** The mention at the beginning of a group message; the platform delivers only messages that mention the robot. */
const MENTION = /^\s*@\S+\s*/

/** Reads a message; undefined for unknown types. */
export function readMessage(frame: unknown): InboundMessage | undefined {
  const callback = readCallback(frame)
  if (!callback) return undefined
  const { body, conversation, msg_id, user_id } = callback
  const content = readContent(body)
  if (!content) return undefined
  const quoted = toFields(body.quote)
  const quote = readContent(quoted)
  const files = [...content.files, ...(quote?.files ?? [])]
  return {
    id: msg_id,
    conversation,
    sender: { id: user_id },
    text: conversation.type === 'group' ? content.text.replace(MENTION, '') : content.text,
    mentioned: true,
    ...readTime(body.create_time),
    ...(quote && { quote: { text: quote.text || `[${toText(quoted.msgtype)}]` } }),
    ...(files.length > 0 && { files }),
    target: toTarget(callback),
  }
}

function readContent(message: Fields): Content | undefined {
  const type = toText(message.msgtype)
  const body = toFields(message[type])
  switch (type) {
    case 'text':
    case 'voice':
      return { text: toText(body.content), files: [] }
    case 'image':
    case 'file':
    case 'video':
      return { text: '', files: readFile(type, body) }
    case 'mixed': {
      const items = Array.isArray(body.msg_item) ? body.msg_item : []
      const contents = items.map((item) => readContent(toFields(item))).filter((item) => item !== undefined)
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

/** Reads a file, which is encrypted with its own key and available for five minutes. */
function readFile(type: string, body: Fields): InboundFile[] {
  const url = toText(body.url)
  if (!url) return []
  const filename = toText(body.filename) || toText(body.name)
  return [
    {
      ...(filename && { filename }),
      ...(typeof body.size === 'number' && { size: body.size }),
      reference: { url, aeskey: toText(body.aeskey), type },
    },
  ]
}

const readTime = (seconds: unknown) =>
  typeof seconds === 'number' && seconds > 0 ? { sent_at: Math.round(seconds * 1000) } : {}
