import { extname } from 'node:path'
import {
  ChannelFailure,
  createDeadline,
  encodeForm,
  type InboundContent,
  type OutboundFile,
  readMediaType,
  readPieces,
  toScalarText,
} from '#plugin-api'
import type { Api } from './api.ts'
import type { FileReference } from './content.ts'
import { toOutage, toRefusal } from './failure.ts'
import type { Form } from './form.ts'
import { REQUEST_MS } from './request.ts'

/** DingTalk's limit for files. */
const MAX_FILE_BYTES = 20 * 1024 * 1024

/** Types that DingTalk shows as images; all others are sent as files. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/bmp'])

/** Uploads a file and returns the message that shows it. */
export async function uploadFile(
  api: Api,
  { filename, media_type, bytes }: OutboundFile,
  signal: AbortSignal,
): Promise<Form> {
  if (bytes.byteLength > MAX_FILE_BYTES)
    throw new ChannelFailure('unsupported', 'DingTalk accepts files of up to 20 MB.')
  const isImage = IMAGES.has(media_type)
  const form = new FormData()
  form.set('media', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: media_type }), filename)
  const { media_id } = await api.callOld(
    '/media/upload',
    { type: isImage ? 'image' : 'file' },
    { ...(await encodeForm(form)), signal },
    'the file',
  )
  const mediaId = toScalarText(media_id)
  if (!mediaId) throw new ChannelFailure('unknown', 'DingTalk accepted the file but returned no id.')
  if (isImage) return { msgKey: 'sampleImageMsg', msgParam: { photoURL: mediaId } }
  const fileType = extname(filename).slice(1).toLowerCase() || 'bin'
  return { msgKey: 'sampleFile', msgParam: { mediaId, fileName: filename, fileType } }
}

/** Downloads a file of a message. The time limit applies to each piece, not to the whole file. */
export async function downloadFile(
  { api, fetch, closing }: { api: Api; fetch: typeof globalThis.fetch; closing: AbortSignal },
  { code, robot }: FileReference,
  signal: AbortSignal,
): Promise<InboundContent> {
  const question = { body: { downloadCode: code, robotCode: robot }, signal }
  const { downloadUrl } = await api.call('/v1.0/robot/messageFiles/download', question, 'the file')
  const url = toScalarText(downloadUrl)
  if (!URL.canParse(url)) throw new ChannelFailure('not_found', 'DingTalk no longer has the file.')

  const deadline = createDeadline([closing, signal], { milliseconds: REQUEST_MS })
  const fail = (error: unknown) => toOutage(error, deadline.signal)
  const { ok, status, headers, body } = await fetch(url, { signal: deadline.signal }).catch((error) => {
    deadline.release()
    throw fail(error)
  })
  if (!ok || !body) {
    deadline.release()
    await body?.cancel()
    throw toRefusal({ status, headers, body: {} }, 'the file')
  }
  const media_type = readMediaType(headers)
  return { bytes: readPieces(body, fail, deadline), ...(media_type && { media_type }) }
}
