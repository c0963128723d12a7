import {
  attributeWords,
  describeInBrackets,
  type InboundFile,
  indentWords,
  type Json,
  parseLoosely,
  type QuotedMessage,
  toLine,
  toObject,
  toObjects,
  toScalarText,
} from '#plugin-api'
import { type Content, describeContent, type FileReference } from './content.ts'

/** Reads the content of a message, whose form depends on the type; `robot` is needed to download its files. */
export function readContent(type: string, value: unknown, robot: string): Content {
  const fields = typeof value === 'object' ? toObject(value) : toFields(toScalarText(value))
  const read = READERS.get(type) ?? readOther
  const content = read(fields, robot)
  const text = content?.text?.trim() ?? ''
  const { files = [], forwarded } = content ?? {}
  if (text !== '' || files.length > 0 || forwarded) return { text, files, ...(forwarded && { forwarded }) }
  // A person may send nothing but a mention, which DingTalk removes.
  if (type === 'text' && typeof value === 'string' && value.trim() === '') return { text, files }
  return { text, files, unreadable: NAMES.get(type) ?? toName(type) }
}

const toFields = (text: string): Json => ({ ...(text !== '' && { text }) })

type Reader = (fields: Json, robot: string) => Partial<Content> | undefined

/** Lists the file that these fields hold, if they hold one. */
function listFile(holder: Json, robot: string, fallback = ''): InboundFile[] {
  const code = toScalarText(holder.downloadCode) || toScalarText(holder.pictureDownloadCode)
  const filename = toScalarText(holder.fileName) || fallback
  const reference: FileReference = { code, robot }
  return code ? [{ ...(filename && { filename }), reference }] : []
}

/** Reads a card: its texts, which are leaves of a tree. Cards of robots often come without them. */
const readCard: Reader = (fields) => {
  const leaves = listLeaves(fields.cardContent)
  const words = [fields.title, fields.text, fields.markdown, fields.content].map(toScalarText).filter(Boolean)
  return { text: [...words, ...leaves].join('\n') }
}

const MAX_DEPTH = 10

function listLeaves(nodes: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  return toObjects(nodes).flatMap(({ value, children }) =>
    [toScalarText(value), ...listLeaves(children, depth + 1)].filter(Boolean),
  )
}

/** Reads a rich text, whose parts contain the line breaks. */
const readRichText: Reader = ({ richText }, robot) => {
  const parts = toObjects(richText)
  return {
    text: parts.map(readPart).join(''),
    files: parts.flatMap((part) => listFile(part, robot)),
  }
}

function readPart({ type, msgType, text, content, atName }: Json): string {
  const kind = toScalarText(type) || toScalarText(msgType)
  const words = toScalarText(text) || toScalarText(content)
  if (kind === 'at') return `@${toScalarText(atName) || words} `
  return kind === 'emoji' ? words || '[emoji]' : words
}

/** Reads a message of another type: whatever of it is a file or a text. */
const readOther: Reader = (fields, robot) => {
  const files = listFile(fields, robot)
  return files.length > 0 ? { files } : readCard(fields, robot)
}

/** Describes content by its fields. */
const describe = (name: string, ...parts: unknown[]): Partial<Content> => ({
  text: describeInBrackets(name, parts.map(toScalarText)),
})

const describeContact: Reader = ({ name, nick, userName, title, userId, staffId }) =>
  describe(
    'shared contact',
    toScalarText(name) || toScalarText(nick) || toScalarText(userName) || title,
    toScalarText(staffId) || userId,
  )

const READERS = new Map<string, Reader>(
  Object.entries({
    text: ({ text, content }) => ({ text: toReadable(toScalarText(text) || toScalarText(content)) }),
    richText: readRichText,
    audio: (fields, robot) => ({
      text: toScalarText(fields.recognition),
      files: listFile(fields, robot, 'voice.amr'),
    }),
    video: (fields, robot) => ({
      files: listFile(fields, robot, `video.${toScalarText(fields.videoType) || 'mp4'}`),
    }),
    file: (fields, robot) => ({ files: listFile(fields, robot) }),
    picture: (fields, robot) => ({ files: listFile(fields, robot) }),
    chatRecord(fields, robot) {
      const forwarded = readChatRecord(fields, (type, content) => readContent(type, content, robot))
      return forwarded && { forwarded }
    },
    location: ({ address, name, locationName, latitude, longitude }) =>
      describe('location', name, locationName, address, latitude, longitude),
    link: ({ title, text, messageUrl, url }) =>
      describe('link', title, text, toScalarText(messageUrl) || url),
    contact: describeContact,
    userCard: describeContact,
    personalCard: describeContact,
    interactiveCard: readCard,
    actionCard: readCard,
    markdown: readCard,
  } satisfies Record<string, Reader>),
)

/** Names of types that people would not recognize. */
const NAMES = new Map([
  ['unknownMsgType', 'content that DingTalk does not pass on'],
  ['interactiveCard', 'card'],
  ['actionCard', 'card'],
  ['richText', 'rich text'],
  ['chatRecord', 'forwarded messages'],
])

/** Returns the name of a type for people: `redEnvelope` is a red envelope. */
const toName = (type: string): string =>
  /^[a-z]\w{0,39}$/i.test(type) ? type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase() : 'message'

/** An encrypted text, which DingTalk delivers in place of that of some quoted messages. */
const ENCRYPTED = /^[\w+/=-]{64,}(?:\|\|\d+){3}$/

/** The longest text that is compared with it. */
const MAX_ENCRYPTED = 100_000

const toReadable = (text: string): string =>
  text.length <= MAX_ENCRYPTED && ENCRYPTED.test(text.trim()) ? '' : text

/** Limits for reading forwarded messages. */
const MAX_MESSAGES = 100
const MAX_FILES = 20

/** Reads messages that somebody forwards together: a title, a summary of some lines, and often all of the messages. */
function readChatRecord(
  { title, summary, chatRecord, contents }: Json,
  readPart: (type: string, content: unknown) => Content,
): QuotedMessage | undefined {
  const records = toObjects(parseIfText(chatRecord) ?? contents)
  const summaryLines = listLines(summary)
  const parts = records.slice(0, MAX_MESSAGES).map((record, index) => {
    const content = readRecord(record, readPart)
    const sender = findSender(record, summaryLines[index])
    return { line: attributeWords(sender, describeContent(content)), files: content.files }
  })
  const lines = parts.length > 0 ? parts.map(({ line }) => line) : summaryLines.map(indentWords)
  if (records.length > MAX_MESSAGES) lines.push(`[${records.length - MAX_MESSAGES} more messages]`)
  const text = [toLine(toScalarText(title)), ...lines].filter(Boolean).join('\n')
  const files: InboundFile[] = parts.flatMap((part) => part.files).slice(0, MAX_FILES)
  return text === '' ? undefined : { text, ...(files.length > 0 && { files }) }
}

/** Parses what may be JSON within JSON. */
const parseIfText = (value: unknown): unknown => (typeof value === 'string' ? parseLoosely(value) : value)

/** Lists the lines of a summary: a list, or a text that is one or has one line for each message. */
function listLines(summary: unknown): string[] {
  const value = parseIfText(summary)
  const lines = Array.isArray(value) ? value.map(toScalarText) : toScalarText(summary).split('\n')
  return lines.filter(Boolean).slice(0, MAX_MESSAGES)
}

/** Reads one message, whose fields are in an object, in JSON, or beside the type. */
function readRecord(record: Json, readPart: (type: string, content: unknown) => Content): Content {
  const type =
    toScalarText(record.msgType) || toScalarText(record.msgtype) || toScalarText(record.type) || 'text'
  const { content, text } = record
  const inner =
    typeof content === 'string' && content.trimStart().startsWith('{') ? parseLoosely(content) : content
  if (typeof inner === 'object' && inner !== null) return readPart(type, { ...record, ...inner })
  return readPart(type, { ...record, text: toScalarText(inner) || text, content: undefined })
}

/** Returns the name of a sender, which only the summary tells if the message has no more than an id. */
function findSender({ senderNick, senderName, nick }: Json, summaryLine = ''): string {
  const [, summaryName = ''] = /^([^:：\n]{1,64})[:：]/.exec(summaryLine) ?? []
  return [senderNick, senderName, nick, summaryName.trim()].map(toScalarText).find(Boolean) ?? 'somebody'
}
