import { randomUUID } from 'node:crypto'
import type { LanguageModelV3File } from '@ai-sdk/provider'
import type { Cradle } from '../manifest.ts'

/** Stores a file that a model has made, such as a picture, in the workspace of its agent. */
export async function keepDrawnFile(
  { mediaType: media_type, data }: LanguageModelV3File,
  owner: { agent_id: string; user_id: string },
  { agents }: Pick<Cradle, 'agents'>,
): Promise<{ path: string; media_type: string }> {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.from(data)
  const ending = /^\w+\/([\w-]+)/.exec(media_type)?.[1] ?? 'bin'
  const filename = `picture-${randomUUID().slice(0, 8)}.${ending}`
  const stored = await agents.receive({ bytes, filename, media_type }, owner)
  if (!stored) throw new Error('the agent has no workspace')
  return { path: stored.path, media_type }
}
