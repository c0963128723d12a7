import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { Block } from '../../conversations/chat/documents.ts'
import { type UserPart, unusable } from './conversation.ts'
import type { Cradle } from './manifest.ts'

/** The largest file, in bytes: the same as for uploads. */
const MAX_FILE_BYTES = 20 * 1024 * 1024
/** The largest request, in bytes: such a file in Base64, and the rest of the conversation. */
export const MAX_BODY_BYTES = Math.ceil(MAX_FILE_BYTES / 3) * 4 + 1024 * 1024
const DATA_URL = /^data:([\w.+-]{1,63}\/[\w.+-]{1,63})(?:;[\w.=+-]+)*;base64,([A-Za-z0-9+/_=\s-]*)$/

/** Converts the parts of a message to blocks of the chat; files are stored in the agent's workspace. */
export async function toBlocks(
  parts: readonly UserPart[],
  agent: AgentDocument,
  user_id: string,
  cradle: Cradle,
): Promise<Block[]> {
  const blocks: Block[] = []
  for (const part of parts)
    blocks.push(part.type === 'text' ? part : await storeFile(part, { agent_id: agent._id, user_id }, cradle))
  return blocks
}

async function storeFile(
  { data_url, filename, path }: Extract<UserPart, { type: 'file' }>,
  { agent_id, user_id }: { agent_id: string; user_id: string },
  { agents, extensions }: Cradle,
): Promise<Block> {
  const [, media_type, base64] = DATA_URL.exec(data_url) ?? []
  if (media_type === undefined) throw unusable(path, 'only data: URLs in Base64 are read here')
  const bytes = Buffer.from(base64!, 'base64')
  if (bytes.length === 0 || bytes.length > MAX_FILE_BYTES)
    throw unusable(path, `a file must have 1 to ${MAX_FILE_BYTES} bytes`)
  // Clients send the files of a conversation again with each request: equal files share a name.
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 24)
  const name = `${digest}${extname(filename ?? '') || `.${media_type.split('/')[1]!.split('+')[0]}`}`
  const type = media_type.startsWith('image/') ? 'image' : 'file'
  const stored = `inbound/${name}`
  const question = { agent_id, max_bytes: MAX_FILE_BYTES, paths: [stored] }
  const storedContents = await extensions['agents.file_contents'].ask(question)
  if (storedContents.some((contents) => contents.get(stored) && bytes.equals(contents.get(stored)!)))
    return { type, path: stored, filename: name, media_type }

  const file = { bytes, filename: name, media_type }
  const received = await agents.receive(file, { agent_id, user_id })
  if (!received) throw unusable(path, 'the agent has no workspace')
  const { size: _, ...row } = received
  return { type, ...row }
}
