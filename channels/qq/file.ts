import {
  ChannelFailure,
  type ChannelSettings,
  createDeadline,
  type InboundContent,
  type JSONValue,
  type OutboundFile,
  readMediaType,
  readPieces,
  toFilledText,
  toObject,
} from '#plugin-api'
import type { Api } from './api.ts'
import { toConnectionFailure } from './failure.ts'
import { type Target, toPath } from './inbound.ts'
import { sendMedia } from './message.ts'

/** Time limit for an upload, and for each piece of a download, in milliseconds. */
const FILE_TIMEOUT_MS = 120_000

/** QQ's file types by media type; all other files are shown as downloads. */
const FILE_TYPES: Record<string, number> = {
  'image/png': 1,
  'image/jpeg': 1,
  'video/mp4': 2,
  'audio/silk': 3,
}
const ANY_FILE = 4

/** Uploads a file to a conversation and sends it there. */
export async function sendFile(
  api: Api,
  target: Target,
  { filename, media_type, bytes, key }: OutboundFile,
  signal: AbortSignal,
): Promise<void> {
  const reply = await api.call('POST', toPath(target, 'files'), {
    body: {
      file_type: FILE_TYPES[media_type.split(';', 1)[0]!.trim().toLowerCase()] ?? ANY_FILE,
      file_data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
      file_name: filename.toWellFormed(),
      // With `true` the file would be sent as a message that answers nothing.
      srv_send_msg: false,
    },
    what: 'the file',
    signal,
    timeout_ms: FILE_TIMEOUT_MS,
  })
  const file_info = toFilledText(reply.file_info)
  if (!file_info) throw new ChannelFailure('unknown', 'QQ accepted the file but returned no id for it.')
  await sendMedia(api, target, { file_info, key }, signal)
}

/** Downloads a file of a message. Its address is signed, so no error may contain it. */
export async function download(
  fetch: ChannelSettings['fetch'],
  reference: JSONValue,
  signals: readonly AbortSignal[],
): Promise<InboundContent> {
  const url = toFilledText(toObject(reference).url)
  if (!url || !URL.canParse(url)) throw new ChannelFailure('not_found', 'The file has no address at QQ.')
  const deadline = createDeadline(signals, { milliseconds: FILE_TIMEOUT_MS })
  const fail = (error: unknown) => toConnectionFailure(error, deadline.signal)
  try {
    const { ok, status, headers, body } = await fetch(url, { signal: deadline.signal }).catch((error) => {
      throw fail(error)
    })
    if (!ok || !body) {
      await body?.cancel()
      throw status >= 500
        ? new ChannelFailure('unreachable', `QQ could not return the file (HTTP status ${status}).`)
        : new ChannelFailure('not_found', `QQ no longer has this file (HTTP status ${status}).`)
    }
    const media_type = readMediaType(headers)
    return { bytes: readPieces(body, fail, deadline), ...(media_type && { media_type }) }
  } catch (error) {
    deadline.release()
    throw error
  }
}
