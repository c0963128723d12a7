import { createHash } from 'node:crypto'
import { ChannelFailure, type OutboundFile } from '#plugin-api'
import type { Calls } from './calls.ts'
import { stringOf } from './frame.ts'

/** Pieces of one file, bytes of the largest piece, and of an ordinary one: small ones are confirmed in time. */
const MAX_PIECES = 100
const MAX_PIECE = 512 * 1024
const PIECE = 128 * 1024

/** The platform takes no smaller file, no larger picture and no longer name. */
const MIN_BYTES = 5
const MAX_IMAGE = 10 * 1024 * 1024
const MAX_NAME = 250

const IMAGES = ['image/png', 'image/jpeg']

/** Uploads a file; gives the body of the message that shows it. */
export async function uploadFile(calls: Calls, file: OutboundFile, signal: AbortSignal) {
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength)
  if (bytes.length < MIN_BYTES || bytes.length > MAX_PIECES * MAX_PIECE)
    throw new ChannelFailure('unsupported', `WeCom takes files of ${MIN_BYTES} bytes to 50 MB`)
  const type = IMAGES.includes(file.media_type) && bytes.length <= MAX_IMAGE ? 'image' : 'file'
  const size = Math.max(PIECE, Math.ceil(bytes.length / MAX_PIECES))
  const pieces = Math.ceil(bytes.length / size)
  const { upload_id } = await calls.call(
    'aibot_upload_media_init',
    {
      type,
      filename: nameOf(file.filename),
      total_size: bytes.length,
      total_chunks: pieces,
      md5: createHash('md5').update(bytes).digest('hex'),
    },
    signal,
  )
  for (let index = 0; index < pieces; index++)
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
  if (!stringOf(media_id)) throw new ChannelFailure('unknown', 'WeCom took a file and gave no id for it')
  return { msgtype: type, [type]: { media_id } }
}

/** A name with its ending, short enough in bytes. */
function nameOf(filename: string): string {
  const dot = filename.lastIndexOf('.')
  const ending = dot > 0 && filename.length - dot <= 16 ? filename.slice(dot) : ''
  let stem = ending ? filename.slice(0, dot) : filename
  while (Buffer.byteLength(stem + ending) > MAX_NAME) stem = [...stem].slice(0, -1).join('')
  return stem + ending
}
