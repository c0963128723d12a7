import type { OpenedModel } from '../../providers/types.ts'
import type { Block } from '../documents.ts'
import type { Cradle } from '../manifest.ts'

/** The most images of a conversation that a model is shown, the newest ones. */
const MOST = 4
const MAX_BYTES = 4 * 1024 * 1024

/** Images by their path in the workspace. */
export type Images = ReadonlyMap<string, { data: Uint8Array; mediaType: string }>

/**
 * Reads the newest images of a conversation, if the model accepts images; missing files and other formats are left out.
 */
export async function readImages(
  { agent_id, blocks }: { agent_id: string; blocks: readonly Block[] },
  { description }: Pick<OpenedModel, 'description'>,
  { extensions }: Pick<Cradle, 'extensions'>,
): Promise<Images> {
  const shown = description.input?.includes('image')
    ? blocks.flatMap((block) => (block.type === 'image' ? [block.path] : []))
    : []
  if (shown.length === 0) return new Map()
  const paths = [...new Set(shown.reverse())].slice(0, MOST)
  const found = await extensions['agents.file_contents'].ask({ agent_id, max_bytes: MAX_BYTES, paths })
  return new Map(
    found
      .flatMap((contents) => [...contents])
      .flatMap(([path, data]) => {
        const mediaType = detectMediaType(data)
        return mediaType ? [[path, { data, mediaType }]] : []
      }),
  )
}

/** Detects the format of an image by its first bytes, because upstreams reject images with a wrong media type. */
function detectMediaType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (start.startsWith('\x89PNG')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('GIF8')) return 'image/gif'
  return /^RIFF.{4}WEBP$/s.test(start) ? 'image/webp' : undefined
}
