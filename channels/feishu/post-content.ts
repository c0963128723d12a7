import type { Content, Fields, Resource } from './message-content.ts'
import { isRecord, toText } from './reply.ts'

/** Reads a rich text: paragraphs of elements, possibly below a language key. */
export function readPost(fields: Fields): Content | undefined {
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
  const { tag, href, user_id, user_name, emoji_type, language, file_name } = element
  const text = toText(element.text) ?? ''
  const image = toText(element.image_key)
  const file = toText(element.file_key)
  switch (tag) {
    case 'a':
      return toText(href) ? `[${text || href}](${href})` : text
    case 'at':
      return toText(user_id)?.startsWith('@_')
        ? String(user_id)
        : `@${toText(user_name) ?? toText(user_id) ?? 'all'}`
    case 'img':
      if (image) resources.push({ key: image, type: 'image' })
      return text
    case 'media':
      if (file) resources.push({ key: file, type: 'file', filename: toText(file_name) ?? 'video.mp4' })
      return text
    case 'code_block':
      return `\`\`\`${toText(language)?.toLowerCase() ?? ''}\n${text.trimEnd()}\n\`\`\``
    case 'emotion':
      return toText(emoji_type) ? `[${emoji_type}]` : ''
    case 'hr':
      return '---'
    default: {
      if (file) {
        const filename = toText(file_name)
        resources.push({ key: file, type: 'file', ...(filename && { filename }) })
      } else if (image) resources.push({ key: image, type: 'image' })
      return text
    }
  }
}
