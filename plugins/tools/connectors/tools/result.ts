import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolContext } from '#plugin-api'
import type { ResultPart, ToolResult } from '../connections/tool-result.ts'
import type { Cradle } from '../manifest.ts'

/** The most files of one result. */
const MAX_FILES = 20
/** The most sources of one result. */
const MAX_SOURCES = 100

/** Writes a result for the model: its texts; files become attachments, and linked resources become sources. */
export async function readResult(
  { parts, isError }: ToolResult,
  { connector, tool, context }: { connector: string; tool: string; context: ToolContext },
  cradle: Pick<Cradle, 'extensions' | 'server'>,
): Promise<string> {
  let files = 0
  let sources = 0
  const write = async (part: ResultPart): Promise<string> => {
    if (part.type === 'text') return part.text
    if (part.type === 'file') {
      files += 1
      if (files > MAX_FILES) return '[a file was left out: there are too many]'
      const stored = await storeFile(part, { tool, context }, cradle)
      return stored ? `[file: ${stored}]` : '[a file could not be kept]'
    }
    const title = part.type === 'link' ? part.title : part.uri
    if (part.uri !== undefined) cite(part.uri, title ?? part.uri)
    if (part.type === 'resource') return write(part.content)
    const address = part.uri === undefined || part.uri === part.title ? '' : ` ${part.uri}`
    return `[resource: ${part.title}${address}]`
  }
  const cite = (uri: string, title: string) => {
    sources += 1
    if (sources > MAX_SOURCES) return
    const url = /^https?:\/\//.test(uri) && URL.canParse(uri) ? { url: uri } : {}
    context.cite({ id: uri, title, type: 'resource', connector, uri, ...url })
  }
  const texts: string[] = []
  for (const part of parts) texts.push(await write(part))
  const text = texts.filter((written) => written.trim() !== '').join('\n') || '[no output]'
  if (isError) throw new Error(text)
  return text
}

/** Stores a file in the agent's workspace and shows it to the reader of the turn; returns its path. */
async function storeFile(
  { bytes, media_type }: Extract<ResultPart, { type: 'file' }>,
  { tool, context }: { tool: string; context: ToolContext },
  { extensions, server }: Pick<Cradle, 'extensions' | 'server'>,
): Promise<string | undefined> {
  const folder = join(server.home, 'uploads')
  const path = join(folder, randomUUID())
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await writeFile(path, bytes, { mode: 0o600 })
    const extension = media_type.split('/')[1]!.replace(/\+.*$|[^\w.-]/g, '')
    const file = { path, filename: `${tool}.${extension}`, media_type, size: bytes.length }
    const { agent_id, user_id } = context
    const [stored] = await extensions['agents.received_files'].ask({ agent_id, file, user_id })
    if (!stored) return undefined
    const isPicture = stored.media_type.startsWith('image/')
    context.attach({
      path: stored.path,
      media_type: stored.media_type,
      ...(isPicture && { for_model: true }),
    })
    return stored.path
  } finally {
    await rm(path, { force: true })
  }
}
