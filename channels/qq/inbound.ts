import type { InboundFile, InboundMessage, JSONValue } from '#plugin-api'
import { type Fields, toFields, toList, toNumber, toText } from './fields.ts'

/** The destination of an answer, in the terms of QQ's paths, and the message or event that it answers. */
export type Target = {
  scene: 'users' | 'groups'
  openid: string
  msg_id?: string
  event_id?: string
}

/** Returns a stored target with its type. */
export const toTarget = (target: JSONValue): Target => target as Target

/** Returns the path of a call for a conversation. */
export const toPath = ({ scene, openid }: Target, call: 'messages' | 'files' | 'stream_messages'): string =>
  `/v2/${scene}/${encodeURIComponent(openid)}/${call}`

const DIRECT = 'C2C_MESSAGE_CREATE'
const MENTIONING = 'GROUP_AT_MESSAGE_CREATE'
/** The event for all messages of a group, including mentions, if the bot's owner allows it to see them. */
const IN_GROUP = 'GROUP_MESSAGE_CREATE'

/** The type of a message that contains the message it replies to. */
const REPLY = 103

const MAX_FILES = 32

/** Reads the message in an event; undefined for other events, for messages of bots and for incomplete ones. */
export function readMessage(type: string, data: Fields): InboundMessage | undefined {
  if (type !== DIRECT && type !== MENTIONING && type !== IN_GROUP) return undefined
  const isGroup = type !== DIRECT
  const author = toFields(data.author)
  const msg_id = toText(data.id)
  const openid = toText(isGroup ? data.group_openid : author.user_openid)
  const sender = isGroup ? (toText(author.member_openid) ?? toText(author.id)) : (toText(author.id) ?? openid)
  if (!msg_id || !sender || !openid || author.bot === true) return undefined

  const mentions = toList(data.mentions)
  const mentioned = type !== IN_GROUP || mentions.some(({ is_you }) => is_you === true)
  const attachments = toList(data.attachments).slice(0, MAX_FILES)
  const written = toReadable(toText(data.content) ?? '', mentions, type === MENTIONING)
  const spoken = attachments.map(({ asr_refer_text }) => toText(asr_refer_text)?.trim() ?? '')
  const files = attachments.map(readFile).filter((file) => file !== undefined)
  const name = toText(author.username)
  const sent_at = readTime(data.timestamp)
  const quote = readQuote(data)
  const target: Target = { scene: isGroup ? 'groups' : 'users', openid, msg_id }
  return {
    id: msg_id,
    conversation: { id: openid, type: isGroup ? 'group' : 'direct' },
    sender: { id: sender, ...(name && { name }) },
    text: written || spoken.filter(Boolean).join('\n'),
    mentioned,
    ...(sent_at !== undefined && { sent_at }),
    ...(quote && { quote }),
    ...(files.length > 0 && { files }),
    target: { ...target },
  }
}

/** Returns the text without the mention of the bot, with names for other mentions and words for QQ's faces. */
function toReadable(content: string, mentions: Fields[], isMentioning: boolean): string {
  const listIds = ({ id, member_openid, user_openid }: Fields) => [id, member_openid, user_openid]
  const isListed = mentions.some(({ is_you }) => is_you === true)
  let isFirst = true
  return content
    .replace(/<@!?([^<>\s]+)>[ \t]?/g, (tag, id: string, at: number) => {
      const mention = mentions.find((one) => listIds(one).includes(id))
      // Without a list of mentions, a leading mention in a mention event is the bot's.
      const isBot =
        mention?.is_you === true || (isMentioning && !isListed && isFirst && !content.slice(0, at).trim())
      isFirst = false
      if (isBot) return ''
      const name = toText(mention?.username)
      return name ? `@${name}${/[ \t]$/.test(tag) ? ' ' : ''}` : tag
    })
    .replace(/<faceType=\d+,faceId="[^"]*",ext="([^"]*)">/g, (_, ext: string) => `[${readFace(ext)}]`)
    .trim()
}

/** Returns the name of a face; its details are JSON in Base64. */
function readFace(ext: string): string {
  try {
    return toText(toFields(JSON.parse(Buffer.from(ext, 'base64').toString())).text) ?? 'face'
  } catch {
    // A face with unreadable details has no name.
    return 'face'
  }
}

function readFile({ url, voice_wav_url, filename, content_type, size }: Fields): InboundFile | undefined {
  // Voice messages come in QQ's own format and additionally as WAV.
  const wave = toText(voice_wav_url)
  const address = wave ?? toText(url)
  if (!address) return undefined
  const name = toText(filename)
  const bytes = toNumber(size)
  const type = wave ? 'audio/wav' : toText(content_type)
  return {
    ...(name && { filename: wave ? name.replace(/\.\w+$/, '.wav') : name }),
    // Other attachments than pictures and videos have the type "file" or "voice".
    ...(type?.includes('/') && { media_type: type }),
    ...(bytes !== undefined && !wave && { size: bytes }),
    reference: { url: withScheme(address) },
  }
}

/** Adds the scheme, which QQ omits in some addresses. */
const withScheme = (address: string) =>
  /^https?:\/\//i.test(address) ? address : `https://${address.replace(/^\/+/, '')}`

function readQuote(data: Fields): InboundMessage['quote'] {
  if (toNumber(data.message_type) !== REPLY) return undefined
  const [quoted] = toList(data.msg_elements)
  const text = toReadable(toText(quoted?.content) ?? '', [], false)
  const sender = toText(toFields(quoted?.author).username)
  return text ? { text, ...(sender && { sender }) } : undefined
}

/** Converts a time in RFC 3339 to Unix milliseconds. */
function readTime(timestamp: unknown): number | undefined {
  const time = Date.parse(toText(timestamp) ?? '')
  return Number.isNaN(time) ? undefined : time
}
