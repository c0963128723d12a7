import { isObject, toFilledText } from '#toolbox'
import type { Content, Fields, Resource } from './message-content.ts'

/** Reads a rich text: paragraphs of elements, possibly below a language key. */
export function readPost(fields: Fields): Content | undefined {
  const post = Array.isArray(fields.content) ? fields : Object.values(fields).find(isObject)
  if (!post || !Array.isArray(post.content)) return undefined
  const resources: Resource[] = []
  const paragraphs = post.content.filter(Array.isArray).map((elements) =>
    elements
      .filter(isObject)
      .map((element) => readElement(element, resources))
      .join(''),
  )
  return { text: [toFilledText(post.title), ...paragraphs].filter(Boolean).join('\n'), resources }
}

function readElement(element: Fields, resources: Resource[]): string {
  const { tag, href, user_id, user_name, emoji_type, language, file_name } = element
  const text = toFilledText(element.text) ?? ''
  const image = toFilledText(element.image_key)
  const file = toFilledText(element.file_key)
  switch (tag) {
    case 'a':
      return toFilledText(href) ? `[${text || href}](${href})` : text
    case 'at':
      return toFilledText(user_id)?.startsWith('@_')
        ? String(user_id)
        : `@${toFilledText(user_name) ?? toFilledText(user_id) ?? 'all'}`
    case 'img':
      if (image) resources.push({ key: image, type: 'image' })
      return text
    case 'media':
      if (file) resources.push({ key: file, type: 'file', filename: toFilledText(file_name) ?? 'video.mp4' })
      return text
    case 'code_block':
      return `\`\`\`${toFilledText(language)?.toLowerCase() ?? ''}\n${text.trimEnd()}\n\`\`\``
    case 'emotion':
      return toFilledText(emoji_type) ? `[${emoji_type}]` : ''
    case 'hr':
      return '---'
    default: {
      if (file) {
        const filename = toFilledText(file_name)
        resources.push({ key: file, type: 'file', ...(filename && { filename }) })
      } else if (image) resources.push({ key: image, type: 'image' })
      return text
    }
  }
}
