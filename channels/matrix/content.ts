import { describeInBrackets, type InboundFile } from '#plugin-api'
import { type Content, POLLS, readString } from './events.ts'

/** The content of a message in words and files. */
export interface ReadContent {
  text: string
  files: InboundFile[]
  /** Names content that can be turned into neither words nor files. */
  unreadable?: string
}

const FILE_TYPES = new Set(['m.image', 'm.file', 'm.audio', 'm.video'])

const asText = (text: string): ReadContent => ({ text, files: [] })

/** Reads the content of a message; `body` is its text without a quote before it. */
export function readContent(type: string, content: Content, body: string): ReadContent {
  if (type === 'm.room.encrypted') return { ...asText(''), unreadable: 'encrypted message' }
  if (type === 'm.sticker') return asText(describeInBrackets('sticker', [body]))
  if (isPoll(type)) return asText(describePoll(content))
  const { msgtype = '' } = content
  if (FILE_TYPES.has(msgtype)) return readFile(content, body)
  if (msgtype === 'm.location') return asText(describeLocation(content, body))
  if (msgtype === 'm.key.verification.request') return { ...asText(''), unreadable: 'verification request' }
  return asText(body)
}

/** True for the type of an event that begins a poll. */
export const isPoll = (type: string): boolean => (POLLS as readonly string[]).includes(type)

function readFile({ url, file, filename, info }: Content, body: string): ReadContent {
  const mxc = readString(url)
  if (!mxc) return { ...asText(''), unreadable: file ? 'encrypted file' : 'file' }
  const named = readString(filename)
  const media_type = readString(info?.mimetype)
  const size = info?.size
  return {
    // Beside a filename, the body is a caption.
    text: named !== undefined && named !== body ? body : '',
    files: [
      {
        filename: named || body || 'file',
        ...(media_type && { media_type }),
        ...(Number.isSafeInteger(size) && Number(size) >= 0 && { size: size as number }),
        reference: { mxc },
      },
    ],
  }
}

function describeLocation({ geo_uri }: Content, body: string): string {
  const [, latitude, longitude] =
    /^geo:(-?\d{1,3}(?:\.\d{1,15})?),(-?\d{1,3}(?:\.\d{1,15})?)/.exec(readString(geo_uri) ?? '') ?? []
  return describeInBrackets('location', latitude && longitude ? [`${latitude}, ${longitude}`] : [body])
}

/** The parts of a poll; the place of the texts depends on the age of the client. */
interface Poll {
  question?: PollText
  answers?: PollText[]
}
type PollText = Record<string, unknown>

function describePoll(content: Content): string {
  const poll = POLLS.map((name) => content[name] ?? content['m.poll']).find(Boolean) as Poll | undefined
  const { question = {}, answers = [] } = poll ?? {}
  const options = answers.map((answer, index) => `(${index + 1}) ${readPollText(answer)}`)
  return describeInBrackets('poll', [[readPollText(question), ...options].join(' ')]) || '[poll]'
}

function readPollText(part: PollText): string {
  const text = part['m.text'] ?? part['org.matrix.msc1767.text'] ?? part.body
  const first = Array.isArray(text) ? (text[0] as { body?: unknown })?.body : text
  return readString(first) ?? ''
}
