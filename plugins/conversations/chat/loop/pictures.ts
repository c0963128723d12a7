import { randomUUID } from 'node:crypto'
import type { LanguageModelV3File, LanguageModelV3Message } from '@ai-sdk/provider'
import { detectPictureType, findMissingPackage } from '#plugin-api'
import type { OpenedModel } from '../../../models/providers/types.ts'
import type { Block } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { userMessage } from './model-context.ts'
import { withoutPictures } from './prompt-changes.ts'
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

/** The most pictures of results that a prompt shows, the newest ones. */
const MAX_PICTURES = 4
const HEADING = '[Pictures of the results above]'

/** Reads pictures of the workspace as the model takes them; those that it does not take are missing. */
export type ReadPictures = (pictures: readonly Block[]) => Promise<Images>

/** True for the message that shows a model the pictures of results. */
export const isResultPictures = ({ role, content }: LanguageModelV3Message): boolean =>
  role === 'user' && content[0]?.type === 'text' && content[0].text === HEADING

/**
 * Creates the function that shows the pictures of results to a model. They follow the results in a message of their own:
 * not every vendor takes pictures within results, and all that take pictures take them there.
 */
export function createResultPictures(read: ReadPictures) {
  const shownMessages: { index: number; pictures: number }[] = []

  /** Adds the pictures with these paths to a prompt, and leaves the oldest ones out of it. */
  return async (paths: readonly string[], prompt: LanguageModelV3Message[]): Promise<void> => {
    if (paths.length === 0) return
    const blocks = paths.map((path) => {
      const filename = path.split('/').at(-1)!
      return { type: 'image' as const, path, filename, media_type: 'image/*' }
    })
    const images = await read(blocks)
    if (images.size === 0) return
    const message = userMessage(
      [{ type: 'text', text: HEADING }, ...blocks.filter(({ path }) => images.has(path))],
      { images },
    )
    shownMessages.push({ index: prompt.push(message) - 1, pictures: images.size })
    let count = shownMessages.reduce((sum, { pictures }) => sum + pictures, 0)
    while (count > MAX_PICTURES && shownMessages.length > 1) {
      const { index, pictures } = shownMessages.shift()!
      prompt.splice(index, 1, ...withoutPictures([prompt[index]!]))
      count -= pictures
    }
  }
}

/** The longest side of a picture that is scaled down, in pixels; vendors scale larger ones down themselves. */
const SIDES = [2048, 1024, 512]

/** The most pixels of a picture that is decoded. */
const MAX_PIXELS = 50_000_000

interface Sharp {
  rotate(): Sharp
  resize(size: { width: number; height: number; fit: 'inside'; withoutEnlargement: true }): Sharp
  webp(options: { quality: number }): Sharp
  toBuffer(): Promise<Buffer>
}

type CreateSharp = (input: Uint8Array, options: { limitInputPixels: number; failOn: 'error' }) => Sharp

/**
 * Scales a picture down to at most this many bytes by the package sharp, in its own threads. Returns undefined if sharp is
 * not installed or cannot read the picture.
 */
async function scalePicture(
  picture: Uint8Array,
  max_bytes: number,
): Promise<{ data: Uint8Array; mediaType: string } | undefined> {
  const sharp = await loadSharp()
  if (!sharp) return undefined
  for (const side of SIDES) {
    const resized = sharp(picture, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .rotate()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 85 })
    // A picture that cannot be read is reported like one that is too large.
    const data = await resized.toBuffer().catch(() => undefined)
    if (!data) return undefined
    if (data.length <= max_bytes) return { data, mediaType: 'image/webp' }
  }
  return undefined
}

/** Loads sharp, which is not a dependency: people install it who want pictures scaled. */
async function loadSharp(): Promise<CreateSharp | undefined> {
  const name = 'sharp'
  try {
    return ((await import(name)) as { default: CreateSharp }).default
  } catch (error) {
    if (findMissingPackage(error) === name) return undefined
    throw error
  }
}
