import { isRecord, parseRecord, toText } from './reply.ts'

/** A file in a message, with the key for its download. */
interface Resource {
  key: string
  type: 'image' | 'file'
  filename?: string
}

/** The text and the files of a message. */
interface Content {
  text: string
  resources: Resource[]
}

type Fields = Record<string, unknown>

/** Deeper than the elements of any card. */
const MAX_DEPTH = 10

/** The platform's text in place of a card that it does not return. */
const UPGRADE_NOTE = '请升级至最新版本客户端，以查看内容'

/** Reads the content of a message: JSON whose form depends on the type. Mentions stay as keys. */
export function readContent(type: string, json: unknown): Content {
  const fields = parseRecord(json) ?? {}
  const read = READERS[type]
  // The agent can still answer a message of an unknown type.
  return read?.(fields) ?? { text: `[${type}]`, resources: [] }
}

const fileReader =
  (fallback?: string) =>
  ({ file_key, file_name }: Fields): Content | undefined => {
    const key = toText(file_key)
    const filename = toText(file_name) ?? fallback
    return key ? { text: '', resources: [{ key, type: 'file', ...(filename && { filename }) }] } : undefined
  }

const READERS: Record<string, (fields: Fields) => Content | undefined> = {
  text: ({ text }) => ({ text: typeof text === 'string' ? text : '', resources: [] }),
  image({ image_key }) {
    const key = toText(image_key)
    return key ? { text: '', resources: [{ key, type: 'image' }] } : undefined
  },
  file: fileReader(),
  audio: fileReader('voice.opus'),
  media: fileReader('video.mp4'),
  post: readPost,
  interactive: readCard,
  location: ({ name }) => (toText(name) ? { text: `[location: ${name}]`, resources: [] } : undefined),
}

/** Reads a rich text: paragraphs of elements, possibly below a language key. */
function readPost(fields: Fields): Content | undefined {
  const post = Array.isArray(fields.content) ? fields : Object.values(fields).find(isRecord)
  if (!post || !Array.isArray(post.content)) return undefined
  const resources: Resource[] = []
  const paragraphs = post.content.filter(Array.isArray).map((elements) =>
    elements
      .filter(isRecord)
      .map((element) => readElement(element, resources))
      .join(''),
  )
  return { text: [toText(post.title), ...paragraphs].filter(Boolean).join('\n'), resources }
}

function readElement(element: Fields, resources: Resource[]): string {
  const { tag, href, user_id, user_name, emoji_type, language } = element
  const text = toText(element.text) ?? ''
  const image = toText(element.image_key)
  const file = toText(element.file_key)
  switch (tag) {
    case 'a':
      return toText(href) ? `[${text || href}](${href})` : text
    case 'at':
      return toText(user_id)?.startsWith('@_') ? String(user_id) : `@${toText(user_name) ?? 'all'}`
    case 'img':
      if (image) resources.push({ key: image, type: 'image' })
      return ''
    case 'media':
      if (file) resources.push({ key: file, type: 'file', filename: 'video.mp4' })
      return ''
    case 'code_block':
      return `\`\`\`${toText(language)?.toLowerCase() ?? ''}\n${text.trimEnd()}\n\`\`\``
    case 'emotion':
      return toText(emoji_type) ? `[${emoji_type}]` : ''
    case 'hr':
      return '---'
    default:
      return text
  }
}

/** Reads a card: its texts, one per line, without its buttons. */
function readCard(fields: Fields): Content | undefined {
  const text = listTexts(fields).join('\n')
  return text === '' || text.includes(UPGRADE_NOTE) ? undefined : { text, resources: [] }
}

function listTexts(node: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  if (Array.isArray(node)) return node.flatMap((item) => listTexts(item, depth + 1))
  if (!isRecord(node) || node.tag === 'button') return []
  const { header, title, body, elements, columns, text, content } = node
  return [
    ...[title, text, content].filter((value) => typeof value === 'string' && value !== ''),
    ...[header, title, body, elements, columns, text].flatMap((part) => listTexts(part, depth + 1)),
  ] as string[]
}
