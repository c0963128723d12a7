import { createHash } from 'node:crypto'
import { ChannelFailure, type OutboundFile, toText } from '#plugin-api'
import type { Calls } from './calls.ts'

/** WeCom's limits for chunks, and our usual size: small chunks are confirmed in time. */
const MAX_CHUNKS = 100
const MAX_CHUNK_BYTES = 512 * 1024
const CHUNK_BYTES = 128 * 1024

/** WeCom's limits for files, images and filenames. */
const MIN_FILE_BYTES = 5
const MAX_IMAGE_BYTES = 10 * 1024 * 1024
const MAX_NAME_BYTES = 250

const IMAGES = ['image/png', 'image/jpeg']

/** Uploads a file and returns the body of the message that shows it. */
export async function uploadFile(calls: Calls, file: OutboundFile, signal: AbortSignal) {
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength)
  if (bytes.length < MIN_FILE_BYTES || bytes.length > MAX_CHUNKS * MAX_CHUNK_BYTES)
    throw new ChannelFailure('unsupported', `WeCom accepts files of ${MIN_FILE_BYTES} bytes to 50 MB`)
  const type = IMAGES.includes(file.media_type) && bytes.length <= MAX_IMAGE_BYTES ? 'image' : 'file'
  const size = Math.max(CHUNK_BYTES, Math.ceil(bytes.length / MAX_CHUNKS))
  const chunks = Math.ceil(bytes.length / size)
  const { upload_id } = await calls.call(
    'aibot_upload_media_init',
    {
      type,
      filename: truncateName(file.filename),
      total_size: bytes.length,
      total_chunks: chunks,
      md5: createHash('md5').update(bytes).digest('hex'),
    },
    signal,
  )
  for (let index = 0; index < chunks; index++)
    await calls.call(
      'aibot_upload_media_chunk',
      {
        upload_id,
        chunk_index: index,
        base64_data: bytes.subarray(index * size, (index + 1) * size).toString('base64'),
      },
      signal,
    )
  const { media_id } = await calls.call('aibot_upload_media_finish', { upload_id }, signal)
  if (!toText(media_id)) throw new ChannelFailure('unknown', 'WeCom accepted the file but returned no id')
  return { msgtype: type, [type]: { media_id } }
}

/** Truncates a filename to the limit and keeps its extension. */
function truncateName(filename: string): string {
  const dot = filename.lastIndexOf('.')
  const ending = dot > 0 && filename.length - dot <= 16 ? filename.slice(dot) : ''
  let stem = ending ? filename.slice(0, dot) : filename
  while (Buffer.byteLength(stem + ending) > MAX_NAME_BYTES) stem = [...stem].slice(0, -1).join('')
  return (stem + ending).toWellFormed()
}
