import type { InboundFile, QuotedMessage } from '#plugin-api'
import {
  attributeWords,
  indentWords,
  type Json,
  parseLoosely,
  toLine,
  toObjects,
  toScalarText,
} from '#toolbox'
import { type Content, describeContent } from './content.ts'

/** Limits for reading forwarded messages. */
const MAX_MESSAGES = 100
const MAX_FILES = 20

/** Reads messages that somebody forwards together: a title, a summary of some lines, and often all of the messages. */
export function readChatRecord(
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
