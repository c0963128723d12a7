import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import type { ToolContext } from '#plugin-api'
import type { Cradle } from '../manifest.ts'

/** The most files of one result. */
const MAX_FILES = 20
/** The most sources of one result. */
const MAX_SOURCES = 100
const MEDIA_TYPE = /^[a-z]+\/[\w.+-]{1,80}$/i

/** Writes a result for the model: its texts; files become attachments, and linked resources become sources. */
export async function readResult(
  { content, structuredContent, isError }: CallToolResult,
  { connector, tool, context }: { connector: string; tool: string; context: ToolContext },
  cradle: Pick<Cradle, 'extensions' | 'server'>,
): Promise<string> {
  let files = 0
  let sources = 0
  const keep = async (data: string, media_type = 'application/octet-stream') => {
    files += 1
    if (files > MAX_FILES) return '[a file was left out: there are too many]'
    const stored = await storeFile(Buffer.from(data, 'base64'), { tool, media_type, context }, cradle)
    return stored ? `[file: ${stored}]` : '[a file could not be kept]'
  }
  const show = (block: ContentBlock): string | Promise<string> => {
    switch (block.type) {
      case 'text':
        return block.text
      case 'image':
      case 'audio':
        return keep(block.data, block.mimeType)
      case 'resource_link': {
        cite(block.uri, block.title ?? block.name)
        return `[resource: ${block.title ?? block.name} ${block.uri}]`
      }
      case 'resource': {
        const { resource } = block
        cite(resource.uri, resource.uri)
        return 'text' in resource ? resource.text : keep(resource.blob, resource.mimeType)
      }
      default:
        return ''
    }
  }
  const cite = (uri: string, title: string) => {
    sources += 1
    if (sources > MAX_SOURCES) return
    const url = /^https?:\/\//.test(uri) && URL.canParse(uri) ? { url: uri } : {}
    context.cite({ id: uri, title, type: 'resource', connector, uri, ...url })
  }
  const parts: string[] = []
  for (const block of content) parts.push(await show(block))
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent))
  const text = parts.filter((part) => part !== '').join('\n') || '[no output]'
  if (isError) throw new Error(text)
  return text
}

/** Stores a file in the agent's workspace and shows it to the reader of the turn; returns its path. */
async function storeFile(
  bytes: Buffer,
  { tool, media_type: given, context }: { tool: string; media_type: string; context: ToolContext },
  { extensions, server }: Pick<Cradle, 'extensions' | 'server'>,
): Promise<string | undefined> {
  const media_type = MEDIA_TYPE.test(given) ? given.toLowerCase() : 'application/octet-stream'
  const folder = join(server.home, 'uploads')
  const path = join(folder, randomUUID())
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await writeFile(path, bytes, { mode: 0o600 })
    const extension = media_type.split('/')[1]!.replace(/\+.*$|[^\w.-]/g, '')
    const file = { path, filename: `${tool}.${extension}`, media_type, size: bytes.length }
    const { agent_id, user_id } = context
    const [stored] = await extensions['agents.received_files'].ask({ agent_id, file, user_id })
    if (stored) context.attach({ path: stored.path, media_type: stored.media_type })
    return stored?.path
  } finally {
    await rm(path, { force: true })
  }
}
