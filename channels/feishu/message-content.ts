import { isRecord, parseRecord, textOf } from './reply.ts'

/** A file in a message, by the key under which the message gives it out. */
export interface Resource {
  key: string
  type: 'image' | 'file'
  filename?: string
}

/** What a message of any type says, and what it carries. */
export interface Content {
  text: string
  resources: Resource[]
}

type Fields = Record<string, unknown>

/** Deeper than any card nests its elements. */
const MAX_DEPTH = 10

/** What the platform says instead of a card that it does not give out. */
const UPGRADE_NOTE = '请升级至最新版本客户端，以查看内容'

/** Reads the content of a message, a JSON text whose form depends on the type; mentions stay as their keys. */
export function readContent(type: string, json: unknown): Content {
  const fields = parseRecord(json) ?? {}
  const read = READERS[type]
  // What cannot be read is still worth an answer.
  return read?.(fields) ?? { text: `[${type}]`, resources: [] }
}

const fileReader =
  (fallback?: string) =>
  ({ file_key, file_name }: Fields): Content | undefined => {
    const key = textOf(file_key)
    const filename = textOf(file_name) ?? fallback
    return key ? { text: '', resources: [{ key, type: 'file', ...(filename && { filename }) }] } : undefined
  }

const READERS: Record<string, (fields: Fields) => Content | undefined> = {
  text: ({ text }) => ({ text: typeof text === 'string' ? text : '', resources: [] }),
  image({ image_key }) {
    const key = textOf(image_key)
    return key ? { text: '', resources: [{ key, type: 'image' }] } : undefined
  },
  file: fileReader(),
  audio: fileReader('voice.opus'),
  media: fileReader('video.mp4'),
  post: readPost,
  interactive: readCard,
  location: ({ name }) => (textOf(name) ? { text: `[location: ${name}]`, resources: [] } : undefined),
}

/** A rich text: paragraphs of elements, within the language it was written in or without one. */
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
  return { text: [textOf(post.title), ...paragraphs].filter(Boolean).join('\n'), resources }
}

function readElement(element: Fields, resources: Resource[]): string {
  const { tag, href, user_id, user_name, emoji_type, language } = element
  const text = textOf(element.text) ?? ''
  const image = textOf(element.image_key)
  const file = textOf(element.file_key)
  switch (tag) {
    case 'a':
      return textOf(href) ? `[${text || href}](${href})` : text
    case 'at':
      return textOf(user_id)?.startsWith('@_') ? String(user_id) : `@${textOf(user_name) ?? 'all'}`
    case 'img':
      if (image) resources.push({ key: image, type: 'image' })
      return ''
    case 'media':
      if (file) resources.push({ key: file, type: 'file', filename: 'video.mp4' })
      return ''
    case 'code_block':
      return `\`\`\`${textOf(language)?.toLowerCase() ?? ''}\n${text.trimEnd()}\n\`\`\``
    case 'emotion':
      return textOf(emoji_type) ? `[${emoji_type}]` : ''
    case 'hr':
      return '---'
    default:
      return text
  }
}

/** A card: its texts, one a line, without its buttons. */
function readCard(fields: Fields): Content | undefined {
  const text = textsIn(fields).join('\n')
  return text === '' || text.includes(UPGRADE_NOTE) ? undefined : { text, resources: [] }
}

function textsIn(node: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  if (Array.isArray(node)) return node.flatMap((item) => textsIn(item, depth + 1))
  if (!isRecord(node) || node.tag === 'button') return []
  const { header, title, body, elements, columns, text, content } = node
  return [
    ...[title, text, content].filter((value) => typeof value === 'string' && value !== ''),
    ...[header, title, body, elements, columns, text].flatMap((part) => textsIn(part, depth + 1)),
  ] as string[]
}
