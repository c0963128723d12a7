import { extname } from 'node:path'
import { createDeadline } from '#kernel'
import { ChannelFailure, type InboundContent, type OutboundFile } from '#plugin-api'
import type { Api } from './api.ts'
import { outageOf, refusalOf } from './failure.ts'
import type { Form } from './form.ts'
import type { FileReference } from './inbound.ts'
import { REQUEST_TIMEOUT } from './request.ts'
import { textOf } from './wire-value.ts'

/** Bytes of a file that DingTalk takes. */
const MAX_FILE = 20 * 1024 * 1024

/** Images that DingTalk shows; others are files. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/bmp'])

/** Uploads a file and gives the message that shows it. */
export async function uploadFile(
  api: Api,
  { filename, media_type, bytes }: OutboundFile,
  signal: AbortSignal,
): Promise<Form> {
  if (bytes.byteLength > MAX_FILE)
    throw new ChannelFailure('unsupported', 'DingTalk takes files of up to 20 MB.')
  const isImage = IMAGES.has(media_type)
  const form = new FormData()
  form.set('media', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: media_type }), filename)
  // The guarded fetch knows no forms of others, so it gets the bytes of one.
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type')! }
  const body = new Uint8Array(await encoded.arrayBuffer())
  const { media_id } = await api.callOld(
    '/media/upload',
    { type: isImage ? 'image' : 'file' },
    { headers, body, signal },
    'the file',
  )
  const mediaId = textOf(media_id)
  if (!mediaId) throw new ChannelFailure('unknown', 'DingTalk has taken the file but not said its id.')
  if (isImage) return { msgKey: 'sampleImageMsg', msgParam: { photoURL: mediaId } }
  const fileType = extname(filename).slice(1).toLowerCase() || 'bin'
  return { msgKey: 'sampleFile', msgParam: { mediaId, fileName: filename, fileType } }
}

/** Gets a file that came with a message; it may be read as long as it keeps coming. */
export async function downloadFile(
  { api, fetch, closing }: { api: Api; fetch: typeof globalThis.fetch; closing: AbortSignal },
  { code, robot }: FileReference,
  signal: AbortSignal,
): Promise<InboundContent> {
  const question = { body: { downloadCode: code, robotCode: robot }, signal }
  const { downloadUrl } = await api.call('/v1.0/robot/messageFiles/download', question, 'the file')
  const url = textOf(downloadUrl)
  if (!URL.canParse(url)) throw new ChannelFailure('not_found', 'DingTalk does not have the file any more.')

  const deadline = createDeadline([closing, signal], { milliseconds: REQUEST_TIMEOUT })
  /** Waits for bytes, but not for ever. */
  async function patiently<Result>(coming: Promise<Result>): Promise<Result> {
    try {
      deadline.extend()
      return await coming
    } catch (error) {
      deadline.release()
      throw outageOf(error, deadline.signal)
    }
  }

  const { ok, status, headers, body } = await patiently(fetch(url, { signal: deadline.signal }))
  if (!ok || !body) {
    deadline.release()
    await body?.cancel()
    throw refusalOf({ status, headers, body: {} }, 'the file')
  }
  async function* read(): AsyncGenerator<Uint8Array> {
    const reader = body!.getReader()
    try {
      for (;;) {
        const { done, value } = await patiently(reader.read())
        if (done) return
        yield value
      }
    } finally {
      deadline.release()
      // Whoever stops reading wants no more of it; a stream that has failed says so again.
      await reader.cancel().catch(() => {})
    }
  }
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim()
  return {
    bytes: read(),
    ...(type && type !== 'application/octet-stream' && { media_type: type }),
  }
}
