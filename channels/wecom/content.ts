import {
  attributeWords,
  describeInBrackets,
  type InboundFile,
  indentWords,
  type Json,
  parseObject,
  type QuotedMessage,
  toLine,
  toObject,
  toObjects,
  toScalarText,
  toText,
} from '#plugin-api'

/** The readable content of a message or quote. */
export interface Content {
  text: string
  files: InboundFile[]
  /** Messages that were forwarded. */
  forwarded?: QuotedMessage
}

/** Deeper parts of a message are not read. */
const MAX_DEPTH = 8

const nothing = (): Content => ({ text: '', files: [] })
const words = (text: string): Content => ({ text, files: [] })

/** Reads what a message says and which files it has. An unknown type is described by its name, title and the like. */
export function readContent(message: Json, depth = 0): Content {
  if (depth > MAX_DEPTH) return nothing()
  const type = toText(message.msgtype)
  const body = readNested(message[type])
  switch (type) {
    case '':
      return nothing()
    case 'text':
    case 'markdown':
    case 'stream':
    case 'voice':
      return toText(body.content)
        ? words(toText(body.content))
        : { ...nothing(), files: readFile(type, body) }
    case 'image':
    case 'file':
    case 'video':
      return { ...nothing(), files: readFile(type, body) }
    case 'mixed':
      return join(toObjects(body.msg_item ?? body.item), depth)
    case 'chatrecord':
    case 'merged_msg':
      return readForward(body, depth)
    case 'location':
      return words(describe(type, [body.name, body.title, body.label, body.address, readPlace(body)]))
    default:
      return words(
        describe(type, [body.title, body.name, body.description, body.desc, body.content, readLink(body)]),
      )
  }
}

/** Describes content; empty if nothing is known of it but its type. */
const describe = (type: string, details: readonly unknown[]): string =>
  describeInBrackets(type, details.map(toText))

/** Returns the words for a part that cannot be read. */
const placeholder = (type: string) => `[${type || 'message'}]`

/** Joins the parts of a message; a part that cannot be read leaves its type. */
function join(items: Json[], depth: number): Content {
  const contents = items.map((item) => {
    const content = flatten(readContent(item, depth + 1))
    const isEmpty = content.text === '' && content.files.length === 0
    return isEmpty && toText(item.msgtype) !== 'text' ? words(placeholder(toText(item.msgtype))) : content
  })
  return {
    text: joinLines(contents.map(({ text }) => text)),
    files: contents.flatMap(({ files }) => files),
  }
}

const joinLines = (lines: readonly string[]) => lines.filter((line) => line !== '').join('\n')

/** Returns content with the forwarded messages as a part of it. */
export const flatten = ({ text, files, forwarded }: Content): Content => ({
  text: joinLines([text, forwarded?.text ?? '']),
  files: [...files, ...(forwarded?.files ?? [])],
})

/** Reads forwarded messages: a title and a list of them, each with its type and its fields, which may be JSON. */
function readForward(body: Json, depth: number): Content {
  const lines = toObjects(body.item ?? body.msg_item ?? body.messages).map((item) => {
    const msgtype = (toText(item.msgtype) || toText(item.type)).replace(/^ChatRecord/, '').toLowerCase()
    const fields = item[msgtype] ?? item.content
    const { text, files } = flatten(readContent({ msgtype, [msgtype]: fields }, depth + 1))
    const sender = toText(item.sender) || toText(item.from)
    const line = text || placeholder(msgtype)
    return { text: sender ? attributeWords(sender, line) : indentWords(line), files }
  })
  const text = joinLines([toLine(toText(body.title)), ...lines.map((line) => line.text)])
  const files = lines.flatMap((line) => line.files)
  if (text === '' && files.length === 0) return nothing()
  return {
    ...nothing(),
    forwarded: { text, is_forwarded: true, ...(files.length > 0 && { files }) },
  }
}

/** Reads the fields of content, which may be JSON within JSON; any other text is the content itself. */
function readNested(content: unknown): Json {
  if (typeof content !== 'string') return toObject(content)
  return parseObject(content) ?? { content }
}

function readPlace({ latitude, longitude }: Json): string {
  const position = [latitude, longitude].map(toScalarText)
  return position.includes('') ? '' : position.join(', ')
}

const readLink = ({ url, link_url, link }: Json) => toText(url) || toText(link_url) || toText(link)

/** Reads a file, which is encrypted with its own key and available for five minutes. */
function readFile(type: string, body: Json): InboundFile[] {
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
