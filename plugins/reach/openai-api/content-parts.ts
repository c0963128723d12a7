import { type UserPart, unusable } from './conversation.ts'

/** The content of a message as it was sent. */
export type Content = string | readonly ContentPart[] | null | undefined

interface ContentPart {
  readonly type: string
  readonly [field: string]: unknown
}

/** Converts the content of a user's message; `path` is its place in the body. Throws CONTENT_UNSUPPORTED. */
export function toUserParts(content: Content, path: string): UserPart[] {
  const parts =
    typeof content === 'string'
      ? [{ type: 'text' as const, text: content }]
      : (content ?? []).map((part, index) => toUserPart(part, `${path}/${index}`))
  const said = parts.filter((part) => part.type !== 'text' || part.text !== '')
  if (said.length === 0) throw unusable(path, 'it is empty')
  return said
}

function toUserPart(part: ContentPart, path: string): UserPart {
  switch (part.type) {
    case 'text':
    case 'input_text':
      return { type: 'text', text: readText(part, path) }
    case 'image_url': {
      const { url } = Object(part.image_url)
      return toFile(url, undefined, path)
    }
    case 'input_image':
      return toFile(part.image_url, undefined, path)
    case 'file': {
      const { file_data, filename } = Object(part.file)
      return toFile(file_data, filename, path)
    }
    case 'input_file':
      return toFile(part.file_data, part.filename, path)
    default:
      throw unusable(path, 'only text, images and files are read here')
  }
}

function toFile(data_url: unknown, filename: unknown, path: string): UserPart {
  if (typeof data_url !== 'string' || !data_url.startsWith('data:'))
    throw unusable(path, 'only data: URLs in Base64 are read here')
  return { type: 'file', data_url, path, ...(typeof filename === 'string' && { filename }) }
}

/** Joins the text of a message of another role; throws CONTENT_UNSUPPORTED for parts that are not text. */
export function toText(content: Content, path: string): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part, index) => readText(part, `${path}/${index}`)).join('')
}

function readText({ type, text, refusal }: ContentPart, path: string): string {
  const said = type === 'refusal' ? refusal : text
  if (typeof said !== 'string') throw unusable(path, 'it has no text')
  return said
}
