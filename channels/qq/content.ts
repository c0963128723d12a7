import {
  attributeWords,
  describeInBrackets,
  type InboundFile,
  indentWords,
  type Json,
  parseObject,
  toFilledText,
  toNumber,
  toObject,
  toObjects,
} from '#plugin-api'

/** QQ's types of messages that hold other messages: forwarded ones, and the one that is replied to. */
export const CHAT_RECORD = 102
export const REPLY = 103
/** The type of cards, such as shared places, contacts and mini programs. */
const CARD = 3

/** Limits of the files and the nested messages that are read. */
const MAX_FILES = 32
const MAX_DEPTH = 8

/** The content of a message. */
export interface Content {
  text: string
  files: InboundFile[]
  /** Names of the parts that cannot be read. */
  unreadable: string[]
}

/** Reads the content of a message; `toWords` turns QQ's tags in a text into words. */
export function readContent(message: Json, toWords: (text: string) => string, depth = 0): Content {
  const type = toNumber(message.message_type) ?? 0
  const nested = depth < MAX_DEPTH ? toObjects(message.msg_elements) : []
  const record = type === CHAT_RECORD ? readRecord(nested, toWords, depth) : undefined
  // Other messages may have their content in parts, too.
  const parts = type === REPLY || record ? [] : nested.map((part) => readContent(part, toWords, depth + 1))
  const attachments = toObjects(message.attachments).slice(0, MAX_FILES)
  const spoken = attachments.map(({ asr_refer_text }) => toFilledText(asr_refer_text)?.trim() ?? '')
  const lines = [toWords(toFilledText(message.content) ?? ''), ...spoken, readCard(message)]
  const text = joinLines(lines) || joinLines(parts.map((part) => part.text))
  const files = attachments.flatMap(readFile)
  const unreadable = [
    ...attachments.filter(isUnreadable).map(({ content_type }) => toFilledText(content_type) ?? 'file'),
    ...parts.flatMap((part) => part.unreadable),
  ]
  const content = {
    text: joinLines([text, record?.text ?? '']),
    files: [...(files.length > 0 ? files : parts.flatMap((part) => part.files)), ...(record?.files ?? [])],
    unreadable,
  }
  const isEmpty = content.text === '' && content.files.length === 0 && unreadable.length === 0
  return isEmpty && type !== 0 && type !== REPLY ? { ...content, unreadable: [nameType(type)] } : content
}

/** Returns the text with the names of the parts that cannot be read. */
export const toFullText = ({ text, unreadable }: Content): string =>
  joinLines([text, ...unreadable.map((name) => `[${name}]`)])

/** Reads forwarded messages, each in a line of its own. */
export function readRecord(
  messages: readonly Json[],
  toWords: (text: string) => string,
  depth = 0,
): { text: string; files: InboundFile[] } {
  const contents = messages.map((message) => ({
    sender: toFilledText(toObject(message.author).username),
    content: readContent(message, toWords, depth + 1),
  }))
  const lines = contents.map(({ sender, content }) => {
    const text = toFullText(content)
    return sender && text ? attributeWords(sender, text) : indentWords(text)
  })
  return { text: joinLines(lines), files: contents.flatMap(({ content }) => content.files) }
}

const joinLines = (lines: readonly string[]) => lines.filter((line) => line !== '').join('\n')

const nameType = (type: number) =>
  type === CARD ? 'card' : type === CHAT_RECORD ? 'chat record' : `message of type ${type}`

/** Describes a card by its words. */
function readCard({ ark_data }: Json): string {
  const { prompt, ark_name, ark_type, fields } = toObject(ark_data)
  const details = Object.values(toObject(fields)).map((value) => toFilledText(value) ?? '')
  return describeInBrackets(toFilledText(ark_type) ?? 'card', [
    toFilledText(prompt) ?? toFilledText(ark_name) ?? '',
    ...details,
  ])
}

/** Returns the name of a face; its details are JSON in Base64. */
export function readFace(ext: string): string {
  const details = parseObject(Buffer.from(ext, 'base64').toString())
  return toFilledText(details?.text)?.replace(/^\[(.+)\]$/, '$1') ?? 'face'
}

const isUnreadable = ({ url, voice_wav_url, asr_refer_text, content_type, filename }: Json) =>
  !toFilledText(url) &&
  !toFilledText(voice_wav_url) &&
  !toFilledText(asr_refer_text)?.trim() &&
  !!(content_type || filename)

function readFile({ url, voice_wav_url, filename, content_type, size }: Json): InboundFile[] {
  // Voice messages come in QQ's own format and additionally as WAV.
  const wave = toFilledText(voice_wav_url)
  const address = wave ?? toFilledText(url)
  if (!address) return []
  const name = toFilledText(filename)
  const bytes = toNumber(size)
  const type = wave ? 'audio/wav' : content_type === 'voice' ? 'audio/silk' : toFilledText(content_type)
  return [
    {
      ...(name && { filename: wave ? name.replace(/\.\w+$/, '.wav') : name }),
      // Other attachments than pictures and videos have the type "file" or "voice".
      ...(type?.includes('/') && { media_type: type }),
      ...(bytes !== undefined && !wave && { size: bytes }),
      reference: { url: withScheme(address) },
    },
  ]
}

/** Adds the scheme, which QQ omits in some addresses. */
const withScheme = (address: string) =>
  /^https?:\/\//i.test(address) ? address : `https://${address.replace(/^\/+/, '')}`
