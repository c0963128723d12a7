import type { Message } from 'grammy/types'
import { ChannelFailure, type InboundContent, type InboundFile, type JSONValue } from '#plugin-api'
import type { TelegramClient } from './client.ts'

/** The common fields of all types of files. */
interface Attachment {
  file_id: string
  file_size?: number
  file_name?: string
  mime_type?: string
}

/** Time limit between two pieces of a file, in milliseconds. */
const STALL_MS = 30_000

/** The fields of a message, of a block of a rich message, or of paid media that hold files. */
type FileFields = Partial<
  Pick<
    Message,
    'photo' | 'animation' | 'document' | 'video' | 'audio' | 'voice' | 'video_note' | 'live_photo' | 'sticker'
  >
> & { voice_note?: Attachment }

/** Lists the files of a message; of a photo, the largest size. */
export function listFiles(fields: FileFields): InboundFile[] {
  const { photo, animation, document, video, audio, voice, voice_note, video_note, live_photo } = fields
  const stillPhoto = photo ?? live_photo?.photo
  const largest = stillPhoto?.reduce((best, size) =>
    size.width * size.height > best.width * best.height ? size : best,
  )
  const files: (InboundFile | undefined)[] = [
    describe(largest, 'photo.jpg', 'image/jpeg'),
    // An animation is sent as a document as well.
    animation ? describe(animation, 'animation.mp4', 'video/mp4') : describe(document),
    describe(video, 'video.mp4', 'video/mp4'),
    describe(audio, 'audio.mp3', 'audio/mpeg'),
    describe(voice ?? voice_note, 'voice.ogg', 'audio/ogg'),
    describe(video_note, 'video.mp4', 'video/mp4'),
  ]
  return files.filter((file) => file !== undefined)
}

/** Lists the sticker of a message, if it is a still picture. */
export function listStickers({ sticker }: FileFields): InboundFile[] {
  const picture = sticker && !sticker.is_animated && !sticker.is_video ? sticker : undefined
  return [describe(picture, 'sticker.webp', 'image/webp')].filter((file) => file !== undefined)
}

function describe(file: Attachment | undefined, name?: string, type?: string): InboundFile | undefined {
  if (!file?.file_id) return
  const filename = (file.file_name ?? name)?.toWellFormed()
  const media_type = file.mime_type ?? type
  return {
    ...(filename !== undefined && { filename }),
    ...(media_type !== undefined && { media_type }),
    ...(file.file_size !== undefined && { size: file.file_size }),
    reference: { file_id: file.file_id },
  }
}

/** Downloads a file by its reference; Telegram limits downloads of bots to 20 MB. */
export async function downloadFile(
  client: TelegramClient,
  reference: JSONValue,
  signal: AbortSignal,
): Promise<InboundContent> {
  const { file_id } = reference as { file_id: string }
  const path = await client.call(
    async (api, until) => (await api.getFile({ file_id }, until)).file_path,
    signal,
  )
  if (!path) throw new ChannelFailure('not_found', 'Telegram no longer has this file.')
  const stall = new AbortController()
  const response = await client.openFile(path, AbortSignal.any([signal, stall.signal]))
  return { bytes: readBody(response, stall, signal) }
}

/** Reads a body; a reader that stops early ends the request. */
async function* readBody(
  response: Response,
  stall: AbortController,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const watch = () => setTimeout(() => stall.abort(), STALL_MS)
  let timer = watch()
  try {
    for await (const piece of response.body!) {
      // The time limit applies to the platform, not to the reader.
      clearTimeout(timer)
      yield piece
      timer = watch()
    }
  } catch {
    // The error is dropped: it may contain the address, and so the token.
    if (signal.aborted) throw signal.reason
    if (stall.signal.aborted) throw new ChannelFailure('timeout', 'Telegram stopped sending the file.')
    throw new ChannelFailure('unreachable', 'The connection broke while Telegram sent a file.')
  } finally {
    clearTimeout(timer)
  }
}
