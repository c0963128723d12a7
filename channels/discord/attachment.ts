import type { APIMessage } from 'discord-api-types/v10'
import {
  ChannelFailure,
  type ChannelFailureReason,
  type ChannelSettings,
  createDeadline,
  type Deadline,
  type InboundContent,
  readMediaType,
  readPieces,
} from '#plugin-api'
import type { DiscordApi } from './api.ts'
import { toFailure } from './failure.ts'

const STALL_MS = 30_000

/** Statuses for a file that is gone, or whose signed address has expired. */
const GONE: ReadonlySet<number> = new Set([401, 403, 404, 410])

/** The location of a file: an address that expires, and the ids for requesting a new one. */
export type AttachmentReference = {
  url: string
  channel_id: string
  message_id: string
  attachment_id: string
}

/** Creates the download of files; an expired address is renewed. */
export function createDownload({
  api,
  fetch,
  until,
}: {
  api: DiscordApi
  fetch: ChannelSettings['fetch']
  until: AbortSignal
}) {
  async function renewedUrl(
    { channel_id, message_id, attachment_id }: AttachmentReference,
    signal: AbortSignal,
  ) {
    const path = `/channels/${channel_id}/messages/${message_id}` as const
    const { attachments, message_snapshots = [] } = await api.call<APIMessage>(
      { method: 'get', path },
      signal,
    )
    const forwarded = message_snapshots.flatMap(({ message }) => message.attachments)
    const attachment = [...attachments, ...forwarded].find(({ id }) => id === attachment_id)
    if (!attachment) throw new ChannelFailure('not_found', 'The file is no longer in the Discord message.')
    return attachment.url
  }

  async function request(url: string, signal: AbortSignal) {
    const stall = createDeadline([signal, until], { milliseconds: STALL_MS })
    try {
      return { answer: await fetch(url, { signal: stall.signal }), stall }
    } catch (error) {
      stall.release()
      throw toFailure(error, stall.signal)
    }
  }

  return async (reference: AttachmentReference, signal: AbortSignal): Promise<InboundContent> => {
    let reply = await request(reference.url, signal)
    if (GONE.has(reply.answer.status)) {
      await drop(reply)
      reply = await request(await renewedUrl(reference, signal), signal)
    }
    const { answer, stall } = reply
    if (!answer.ok) {
      await drop(reply)
      throw new ChannelFailure(
        reasonOf(answer.status),
        `Discord did not return the file (status ${answer.status}).`,
      )
    }
    const media_type = readMediaType(answer.headers)
    const bytes = readPieces(answer.body, (error) => toFailure(error, stall.signal), stall)
    return { bytes, ...(media_type && { media_type }) }
  }
}

function reasonOf(status: number): ChannelFailureReason {
  if (GONE.has(status)) return 'not_found'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'unreachable' : 'unknown'
}

async function drop({ answer, stall }: { answer: Response; stall: Deadline }): Promise<void> {
  stall.release()
  await answer.body?.cancel()
}
