import { randomUUID } from 'node:crypto'
import type { LanguageModelV3File } from '@ai-sdk/provider'
import { detectPictureType } from '#toolbox'
import type { OpenedModel } from '../../../models/providers/types.ts'
import type { Block } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { scalePicture } from './picture-scaling.ts'
import type { TurnNotice } from './turn-writer.ts'

/** The most images of a conversation that a model is shown, the newest ones, and the most of its last message. */
const MOST = 4
const MOST_SENT = 20

/** The largest image of a provider kind that does not say what it takes. */
const MAX_BYTES = 4 * 1024 * 1024

/** The largest image that is read at all: as large as an upload. */
const MAX_READ_BYTES = 20 * 1024 * 1024

/** Images by their path in the workspace. */
export type Images = ReadonlyMap<string, { data: Uint8Array; mediaType: string }>

/**
 * Reads the newest images of a conversation, unless the model is known not to take any; larger ones than it takes are
 * scaled down. Of those in `content`, the message of the turn, `onNotice` hears what the model does not see.
 */
export async function readImages(
  { agent_id, earlier, content }: { agent_id: string; earlier: readonly Block[]; content: readonly Block[] },
  { reference, description, limits }: Pick<OpenedModel, 'reference' | 'description' | 'limits'>,
  { extensions, onNotice }: Pick<Cradle, 'extensions'> & { onNotice(notice: TurnNotice): void },
): Promise<Images> {
  const sent = new Set(pathsOf(content))
  const most = Math.min(Math.max(MOST, sent.size), MOST_SENT, limits.images ?? MOST_SENT)
  const paths = [...new Set([...pathsOf(earlier), ...sent].reverse())].slice(0, most)
  if (paths.length === 0) return new Map()
  if (description.input && !description.input.includes('image')) {
    if (sent.size > 0) onNotice({ code: 'PICTURES_NOT_SEEN', details: { model: reference } })
    return new Map()
  }
  if (sent.size > most) onNotice({ code: 'PICTURES_LEFT_OUT', details: { most, model: reference } })
  const mostBytes = limits.image_bytes ?? MAX_BYTES
  const read = async (wantedPaths: readonly string[], max_bytes: number) =>
    new Map(
      (await extensions['agents.file_contents'].ask({ agent_id, max_bytes, paths: wantedPaths })).flatMap(
        (contents) => [...contents],
      ),
    )
  const files = await read(paths, mostBytes)
  const images = new Map<string, { data: Uint8Array; mediaType: string }>()
  for (const path of paths) {
    const notify = (code: TurnNotice['code'], details = {}) => {
      if (sent.has(path)) onNotice({ code, details: { name: nameOf(path), model: reference, ...details } })
    }
    const file = files.get(path)
    // One at a time: a message with many large pictures must not fill the memory.
    const large = file ? undefined : (await read([path], MAX_READ_BYTES)).get(path)
    const picture = file ?? large
    const mediaType = picture && detectPictureType(picture)
    const scaled = large && mediaType ? await scalePicture(large, mostBytes) : undefined
    if (!mediaType) notify('PICTURE_UNREADABLE')
    else if (file) images.set(path, { data: file, mediaType })
    else if (scaled) images.set(path, scaled)
    else notify('PICTURE_TOO_LARGE', { limit: `${(mostBytes / 1024 / 1024).toFixed(1)} MiB` })
  }
  return images
}

const pathsOf = (blocks: readonly Block[]) =>
  blocks.flatMap((block) => (block.type === 'image' ? [block.path] : []))

const nameOf = (path: string) => path.split('/').at(-1)!

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
