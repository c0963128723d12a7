import { ChannelFailure, type ChannelSettings, type OutboundFile, PlatformRefusal } from '#plugin-api'
import type { SlackApi } from './api.ts'
import { startDeadline, TRANSFER_MS, toNetworkFailure, toStatusFailure } from './failure.ts'
import { type Target, toleratingLostThread } from './messages.ts'

/** The most uploads that are remembered. */
const REMEMBERED = 100

/** The subset of a file used here: the conversations in which it is. */
interface SharedFile {
  channels?: string[]
  groups?: string[]
  ims?: string[]
  shares?: Partial<Record<'public' | 'private', Record<string, unknown>>>
}

/** Creates the sender of files. */
export function createUploads(api: SlackApi, { fetch }: Pick<ChannelSettings, 'fetch'>) {
  /** The ids of the files that were uploaded and perhaps shared, by the keys of the messages. */
  const uploaded = new Map<string, string>()

  /** Returns true if an earlier try has shared the file, although its answer was lost. */
  async function isShared(file_id: string, channel: string, signal: AbortSignal): Promise<boolean> {
    try {
      const { file = {} } = await api.call<{ file?: SharedFile }>('files.info', { file: file_id }, signal)
      const { channels = [], groups = [], ims = [], shares = {} } = file
      const conversations = [...channels, ...groups, ...ims, ...Object.values(shares).flatMap(Object.keys)]
      return conversations.includes(channel)
    } catch (error) {
      // Without the right to read files, it is sent again.
      if (error instanceof PlatformRefusal && error.reason !== 'rate_limited') return false
      throw error
    }
  }

  async function upload({ filename, media_type, bytes }: OutboundFile, signal: AbortSignal) {
    const fields = { filename, length: bytes.length }
    const slot = await api.call<{ upload_url: string; file_id: string }>(
      'files.getUploadURLExternal',
      fields,
      signal,
    )
    const deadline = startDeadline(signal, TRANSFER_MS)
    try {
      // The address itself authorizes the upload, so the token is not sent.
      const response = await fetch(slot.upload_url, createUpload(bytes, media_type, deadline.signal))
      await response.body?.cancel()
      if (!response.ok) throw toStatusFailure(response)
    } catch (error) {
      throw toNetworkFailure(error, signal)
    } finally {
      deadline.release()
    }
    return slot.file_id
  }

  /** Sends a file into a conversation, once with one key. */
  return async ({ channel, thread_ts }: Target, file: OutboundFile, signal: AbortSignal): Promise<void> => {
    if (file.bytes.length === 0) throw new ChannelFailure('unsupported', 'Slack does not accept empty files.')
    const earlier = uploaded.get(file.key)
    if (earlier && (await isShared(earlier, channel, signal))) return
    const id = await upload(file, signal)
    uploaded.set(file.key, id)
    if (uploaded.size > REMEMBERED) uploaded.delete(uploaded.keys().next().value!)
    const files = [{ id, title: file.filename.toWellFormed() }]
    await toleratingLostThread(thread_ts, (thread) =>
      api.call('files.completeUploadExternal', { files, channel_id: channel, ...thread }, signal),
    )
  }
}

const createUpload = (bytes: Uint8Array, media_type: string, signal: AbortSignal) =>
  ({
    method: 'POST',
    headers: { 'content-type': media_type },
    body: bytes as Uint8Array<ArrayBuffer>,
    redirect: 'error',
    signal,
  }) as const
