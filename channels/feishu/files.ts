import {
  ChannelFailure,
  type InboundContent,
  isRefusal,
  type JSONValue,
  type OutboundFile,
  readMediaType,
  toFilledText,
} from '#plugin-api'
import type { FeishuApi } from './api.ts'
import { deliver } from './delivery.ts'
import type { FileReference, Target } from './inbound-message.ts'

const MEGABYTE = 1024 * 1024
const MAX_IMAGE_BYTES = 10 * MEGABYTE
const MAX_FILE_BYTES = 30 * MEGABYTE

/** Time limit of an upload, longer than that of other calls. */
const UPLOAD_MS = 120_000

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp', 'image/tiff'])

/** Codes for an image of an unknown type or size: it can still be sent as a file. */
const NOT_SHOWN: ReadonlySet<number> = new Set([234011, 234039])

/** Codes for a file of another message: a forwarded file belongs to the forward or to the original message. */
const NOT_IN_MESSAGE: ReadonlySet<number> = new Set([234003, 234043])

/** Types that the apps preview, by file extension. */
const FILE_TYPES: Record<string, string> = {
  pdf: 'pdf',
  doc: 'doc',
  docx: 'doc',
  xls: 'xls',
  xlsx: 'xls',
  ppt: 'ppt',
  pptx: 'ppt',
}

/** Creates the upload and download of files. */
export function createFiles(api: FeishuApi) {
  async function upload(kind: 'image' | 'file', file: OutboundFile, fields: object, signal: AbortSignal) {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    const blob = new Blob([file.bytes as Uint8Array<ArrayBuffer>], { type: file.media_type })
    form.append(kind, blob, file.filename)
    const { data } = await api.call({ method: 'POST', path: `im/v1/${kind}s`, form }, signal, UPLOAD_MS)
    const name = `${kind}_key`
    const key = toFilledText(data?.[name])
    if (!key) throw new ChannelFailure('unknown', 'Feishu returned no key for the file.')
    return { msg_type: kind, content: { [name]: key }, key: file.key }
  }

  function uploadFile(file: OutboundFile, signal: AbortSignal) {
    const ending = file.filename.split('.').at(-1)!.toLowerCase()
    const fields = { file_type: FILE_TYPES[ending] ?? 'stream', file_name: file.filename }
    return upload('file', file, fields, signal)
  }

  async function uploadAny(file: OutboundFile, signal: AbortSignal) {
    const { media_type, bytes } = file
    if (!IMAGES.has(media_type) || bytes.byteLength > MAX_IMAGE_BYTES) return uploadFile(file, signal)
    try {
      return await upload('image', file, { image_type: 'message' }, signal)
    } catch (error) {
      if (!isRefusal(error, NOT_SHOWN)) throw error
      return uploadFile(file, signal)
    }
  }

  return {
    async sendFile(target: JSONValue, file: OutboundFile, signal: AbortSignal): Promise<void> {
      const { byteLength } = file.bytes
      if (byteLength === 0) throw new ChannelFailure('unsupported', 'Feishu does not accept empty files.')
      if (byteLength > MAX_FILE_BYTES)
        throw new ChannelFailure('unsupported', 'Feishu accepts files of up to 30 MB.')
      await deliver(api, target as Target, await uploadAny(file, signal), signal)
    },

    async download(reference: JSONValue, signal: AbortSignal): Promise<InboundContent> {
      const { message_id, original_id, key, type } = reference as FileReference
      const resource = `resources/${encodeURIComponent(key)}?type=${type}`
      const downloadFrom = (id: string) =>
        api.download(`im/v1/messages/${encodeURIComponent(id)}/${resource}`, signal)
      const { headers, bytes } = await downloadFrom(message_id).catch((error) => {
        if (!original_id || !isRefusal(error, NOT_IN_MESSAGE)) throw error
        return downloadFrom(original_id)
      })
      const media_type = readMediaType(headers)
      return { bytes, ...(media_type && { media_type }) }
    },
  }
}
