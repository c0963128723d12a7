import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk'
import type { InputBlock } from '../frames.ts'
import type { SentFile, Upload } from '../upload.ts'

/** The size of the texts as JSON, a little below the server's default limit for one frame. */
const MAX_TEXT_BYTES = 1_000_000

/**
 * Converts the blocks of a prompt to blocks of a message: texts, links and embedded texts are joined as lines, images
 * and embedded files are uploaded first. Throws an invalid-params error if the prompt is empty or too long.
 */
export async function readPrompt(
  prompt: readonly ContentBlock[],
  upload: Upload,
  signal: AbortSignal,
): Promise<InputBlock[]> {
  const parts = prompt.map(readBlock)
  const texts = parts.filter((part) => typeof part === 'string')
  if (parts.every((part) => typeof part === 'string' && !part.trim()))
    throw RequestError.invalidParams(undefined, 'the prompt is empty')
  const bytes = Buffer.byteLength(JSON.stringify(texts))
  if (bytes > MAX_TEXT_BYTES)
    throw RequestError.invalidParams(
      undefined,
      `the prompt has ${bytes} bytes of text; at most ${MAX_TEXT_BYTES} can be sent`,
    )
  const content: InputBlock[] = []
  let lines: string[] = []
  const endText = () => {
    const text = lines.join('\n')
    if (text.trim()) content.push({ type: 'text', text })
    lines = []
  }
  for (const part of parts) {
    if (typeof part === 'string') {
      lines.push(part)
      continue
    }
    endText()
    content.push((await upload(part, signal)).block)
  }
  endText()
  return content
}

/** Returns a message as text alone, with files by their names. */
export const joinWords = (content: readonly InputBlock[]) =>
  content
    .map((block) => (block.type === 'text' ? block.text : `${block.filename} (${block.path})`))
    .join('\n')
    .trim()

/** Returns a text as a fenced block of Markdown, with a fence longer than any in the text. */
export function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const mark = '`'.repeat(longest + 1)
  return `${mark}\n${text}${text.endsWith('\n') ? '' : '\n'}${mark}`
}

function readBlock(block: ContentBlock): string | SentFile {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return `[${block.title ?? block.name}](${block.uri})`
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return `${resource.uri}\n${fence(resource.text)}`
      return toFile(resource.blob, resource.mimeType ?? 'application/octet-stream', resource.uri)
    }
    case 'image':
      return toFile(block.data, block.mimeType, block.uri)
    case 'audio':
      throw RequestError.invalidParams(undefined, 'audio cannot be sent to this agent')
  }
}

function toFile(data: string, media_type: string, uri: string | null | undefined): SentFile {
  const [family = 'file', kind = 'bin'] = media_type.split(/[/;+]/)
  const fallback = `${family}.${/^\w{1,8}$/.test(kind) ? kind : 'bin'}`
  const name = (uri ?? '').split(/[?#]/)[0]!.split('/').at(-1)!
  return {
    name: name.slice(-100) || fallback,
    media_type,
    data: new Uint8Array(Buffer.from(data, 'base64')),
  }
}
