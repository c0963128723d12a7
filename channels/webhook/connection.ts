import {
  type ChannelConnection,
  ChannelFailure,
  type ChannelLink,
  type ChannelSettings,
  createDeadline,
  type JSONValue,
  type OutboundMessage,
  readMediaType,
  readPieces,
} from '#plugin-api'
import { createCallback, toReason } from './callback.ts'
import type { WebhookConfig } from './config.ts'

/** Time limit for the answer to a download and for each of its pieces, in milliseconds. */
const PIECE_MS = 30_000

/** The other side's ids of the answered message and its conversation. */
type Target = {
  conversation_id: string
  reply_to: string
}

/** Opens a channel. There is no connection: each message is a separate call. */
export async function openWebhook(
  settings: ChannelSettings<WebhookConfig>,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const { fetch, config, assertAllowed } = settings
  await assertAllowed(config.callback_url)
  const call = createCallback(settings)
  const closed = new AbortController()
  const { channel_id } = link

  const post = (
    type: string,
    target: JSONValue,
    message: object,
    { key, signal }: { key?: string; signal: AbortSignal },
  ) => {
    const { conversation_id, reply_to } = target as Target
    const event = { type, channel_id, conversation_id, reply_to, message }
    return call(event, key, AbortSignal.any([signal, closed.signal]))
  }

  const send = async (
    target: JSONValue,
    { key, text, buttons = [] }: OutboundMessage,
    signal: AbortSignal,
  ) => {
    await post('message', target, { id: key, text, buttons }, { key, signal })
    return { id: key }
  }

  return {
    send,
    async live(target, { key, text }, signal, begun) {
      const id = begun === undefined ? key : (begun as { id: string }).id
      const show = (words: string, is_final: boolean, aborted: AbortSignal) =>
        post('message.update', target, { id, text: words, is_final }, { signal: aborted })
      await show(text, false, signal)
      return {
        reference: { id },
        update: (words, aborted) => show(words, false, aborted),
        finish: (words, aborted) => show(words, true, aborted),
      }
    },
    settle: (target, sent, text, signal) =>
      post('message.update', target, { ...(sent as object), text, buttons: [], is_final: true }, { signal }),
    sendFile: (target, { filename, media_type, bytes, key }, signal) =>
      post(
        'file',
        target,
        { id: key, filename, media_type, base64: Buffer.from(bytes).toString('base64') },
        { key, signal },
      ),
    typing: (target, signal) => post('typing', target, {}, { signal }),
    async download(reference, signal) {
      const { url } = reference as { url: string }
      const deadline = createDeadline([signal, closed.signal], { milliseconds: PIECE_MS })
      try {
        const response = await fetch(url, { signal: deadline.signal })
        if (!response.ok || !response.body) {
          await response.body?.cancel()
          const reason = toReason(response.status)
          throw new ChannelFailure(
            reason === 'unknown' ? 'not_found' : reason,
            `The address of the file answered ${response.status}.`,
          )
        }
        const media_type = readMediaType(response.headers)
        return {
          bytes: readPieces(response.body, (error) => error, deadline),
          ...(media_type && { media_type }),
        }
      } catch (error) {
        deadline.release()
        throw error
      }
    },
    close: () => closed.abort(),
  }
}
