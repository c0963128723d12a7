import {
  type InboundMessage,
  type JSONValue,
  type Json,
  type QuotedMessage,
  toFilledText,
  toNumber,
  toObject,
  toObjects,
} from '#plugin-api'
import { CHAT_RECORD, REPLY, readContent, readFace, readRecord, toFullText } from './content.ts'

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

/** True if an event delivers a message. */
export const isMessageEvent = (type: string) => type === DIRECT || type === MENTIONING || type === IN_GROUP

/**
 * Reads the message in an event; undefined for other events, for messages of bots and for incomplete ones. `bot_id` is
 * the id of the bot, once it is known.
 */
export function readMessage(type: string, data: Json, bot_id?: string): InboundMessage | undefined {
  if (!isMessageEvent(type)) return undefined
  const isGroup = type !== DIRECT
  const author = toObject(data.author)
  const msg_id = toFilledText(data.id)
  const openid = toFilledText(isGroup ? data.group_openid : author.user_openid)
  const sender = isGroup
    ? (toFilledText(author.member_openid) ?? toFilledText(author.id))
    : (toFilledText(author.id) ?? openid)
  if (!msg_id || !sender || !openid || author.bot === true) return undefined

  const mentions = toObjects(data.mentions)
  const mentioned =
    type !== IN_GROUP || mentions.some((mention) => mention.is_you === true && !isOfEverybody(mention))
  const toWords = (text: string) => toReadable(text, mentions, bot_id)
  const quote = readQuote(data, toWords)
  // The forwarded messages are in the quote.
  const unquoted = quote?.is_forwarded ? { ...data, message_type: 0, msg_elements: [] } : data
  const content = readContent(unquoted, toWords)
  const { files, unreadable } = content
  const isReadable = content.text !== '' || files.length > 0 || quote !== undefined
  const name = toFilledText(author.username)
  const sent_at = readTime(data.timestamp)
  const target: Target = { scene: isGroup ? 'groups' : 'users', openid, msg_id }
  return {
    id: msg_id,
    conversation: { id: openid, type: isGroup ? 'group' : 'direct' },
    sender: { id: sender, ...(name && { name }) },
    text: isReadable ? toFullText(content) : '',
    mentioned,
    ...(sent_at !== undefined && { sent_at }),
    ...(quote && { quote }),
    ...(files.length > 0 && { files }),
    ...(!isReadable && unreadable.length > 0 && { unreadable: unreadable.join(', ') }),
    target: { ...target },
  }
}

/** True for a mention of everybody, which QQ may mark as one of the bot. */
const isOfEverybody = ({ scope }: Json): boolean => scope === 'all'

/** Returns the text without the mention of the bot, with names for other mentions and words for QQ's faces. */
function toReadable(content: string, mentions: Json[], bot_id: string | undefined): string {
  const listIds = ({ id, member_openid, user_openid }: Json) => [id, member_openid, user_openid]
  return content
    .replace(/<@!?([^<>\s]+)>[ \t]?/g, (tag, id: string) => {
      const mention = mentions.find((one) => listIds(one).includes(id))
      const isOwn = mention?.is_you === true || id === bot_id
      if (isOwn && !(mention && isOfEverybody(mention))) return ''
      const name = toFilledText(mention?.username)
      return name ? `@${name}${/[ \t]$/.test(tag) ? ' ' : ''}` : tag
    })
    .replace(/<faceType=\d+,faceId="[^"]*",ext="([^"]*)">/g, (_, ext: string) => `[${readFace(ext)}]`)
    .trim()
}

/** Reads the message that is replied to, or the messages that are forwarded. */
function readQuote(data: Json, toWords: (text: string) => string): QuotedMessage | undefined {
  const type = toNumber(data.message_type)
  const elements = toObjects(data.msg_elements)
  if (elements.length === 0) return undefined
  if (type === CHAT_RECORD) {
    const { text, files } = readRecord(elements, toWords)
    if (text === '' && files.length === 0) return undefined
    return { text, is_forwarded: true, ...(files.length > 0 && { files }) }
  }
  if (type !== REPLY) return undefined
  const contents = elements.map((element) => readContent(element, toWords))
  const files = contents.flatMap((content) => content.files)
  const text = contents.map(toFullText).filter(Boolean).join('\n')
  const sender = elements.map(({ author }) => toFilledText(toObject(author).username)).find(Boolean)
  if (text === '' && files.length === 0) return undefined
  return { text: text || '[file]', ...(sender && { sender }), ...(files.length > 0 && { files }) }
}

/** Converts a time in RFC 3339 to Unix milliseconds. */
function readTime(timestamp: unknown): number | undefined {
  const time = Date.parse(toFilledText(timestamp) ?? '')
  return Number.isNaN(time) ? undefined : time
}
