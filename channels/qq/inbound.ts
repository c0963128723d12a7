import type { InboundFile, InboundMessage } from '#plugin-api'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './fields.ts'
import type { Target } from './target.ts'

const DIRECT = 'C2C_MESSAGE_CREATE'
const MENTIONING = 'GROUP_AT_MESSAGE_CREATE'
/** Comes for all messages of a group, also for those that mention the bot, where its owner lets the bot see them. */
const IN_GROUP = 'GROUP_MESSAGE_CREATE'

/** A message that replies to another one brings that along. */
const REPLY = 103

const MAX_FILES = 32

/** The message in an event; undefined for other events, for those of bots, and for what is no whole message. */
export function messageOf(type: string, data: Fields): InboundMessage | undefined {
  if (type !== DIRECT && type !== MENTIONING && type !== IN_GROUP) return undefined
  const isGroup = type !== DIRECT
  const author = fieldsOf(data.author)
  const msg_id = textOf(data.id)
  const openid = textOf(isGroup ? data.group_openid : author.user_openid)
  const sender = isGroup ? (textOf(author.member_openid) ?? textOf(author.id)) : (textOf(author.id) ?? openid)
  if (!msg_id || !sender || !openid || author.bot === true) return undefined

  const mentions = listOf(data.mentions)
  const mentioned = type !== IN_GROUP || mentions.some(({ is_you }) => is_you === true)
  const attachments = listOf(data.attachments).slice(0, MAX_FILES)
  const written = readable(textOf(data.content) ?? '', mentions, type === MENTIONING)
  const spoken = attachments.map(({ asr_refer_text }) => textOf(asr_refer_text)?.trim() ?? '')
  const files = attachments.map(fileOf).filter((file) => file !== undefined)
  const name = textOf(author.username)
  const sent_at = timeOf(data.timestamp)
  const quote = quoteOf(data)
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

/** The text without the mention of the bot, with names for other mentions and words for QQ's faces. */
function readable(content: string, mentions: Fields[], isMentioning: boolean): string {
  const idsOf = ({ id, member_openid, user_openid }: Fields) => [id, member_openid, user_openid]
  const isListed = mentions.some(({ is_you }) => is_you === true)
  let isFirst = true
  return content
    .replace(/<@!?([^<>\s]+)>[ \t]?/g, (tag, id: string, at: number) => {
      const mention = mentions.find((one) => idsOf(one).includes(id))
      // Without a list of mentions, the one at the head of an event about a mention is that of the bot.
      const isBot =
        mention?.is_you === true || (isMentioning && !isListed && isFirst && !content.slice(0, at).trim())
      isFirst = false
      if (isBot) return ''
      const name = textOf(mention?.username)
      return name ? `@${name}${/[ \t]$/.test(tag) ? ' ' : ''}` : tag
    })
    .replace(/<faceType=\d+,faceId="[^"]*",ext="([^"]*)">/g, (_, ext: string) => `[${faceOf(ext)}]`)
    .trim()
}

/** What a face is called; its details are JSON in base64. */
function faceOf(ext: string): string {
  try {
    return textOf(fieldsOf(JSON.parse(Buffer.from(ext, 'base64').toString())).text) ?? 'face'
  } catch {
    // A face without a name is still a face.
    return 'face'
  }
}

function fileOf({ url, voice_wav_url, filename, content_type, size }: Fields): InboundFile | undefined {
  // Voices come in a format of QQ's own, and as WAV besides.
  const wave = textOf(voice_wav_url)
  const address = wave ?? textOf(url)
  if (!address) return undefined
  const name = textOf(filename)
  const bytes = numberOf(size)
  const type = wave ? 'audio/wav' : textOf(content_type)
  return {
    ...(name && { filename: wave ? name.replace(/\.\w+$/, '.wav') : name }),
    // What is no picture or video is only called "file" or "voice".
    ...(type?.includes('/') && { media_type: type }),
    ...(bytes !== undefined && !wave && { size: bytes }),
    reference: { url: withScheme(address) },
  }
}

/** QQ leaves out the scheme of some addresses. */
const withScheme = (address: string) =>
  /^https?:\/\//i.test(address) ? address : `https://${address.replace(/^\/+/, '')}`

function quoteOf(data: Fields): InboundMessage['quote'] {
  if (numberOf(data.message_type) !== REPLY) return undefined
  const [quoted] = listOf(data.msg_elements)
  const text = readable(textOf(quoted?.content) ?? '', [], false)
  const sender = textOf(fieldsOf(quoted?.author).username)
  return text ? { text, ...(sender && { sender }) } : undefined
}

/** Unix milliseconds of a time in RFC 3339. */
function timeOf(timestamp: unknown): number | undefined {
  const time = Date.parse(textOf(timestamp) ?? '')
  return Number.isNaN(time) ? undefined : time
}
