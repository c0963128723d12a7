import { ChannelFailure } from '#plugin-api'
import type { FeishuApi } from './api.ts'
import { isRefusal, MESSAGE_GONE } from './failure.ts'
import type { Target } from './inbound-message.ts'
import { toText } from './reply.ts'

/** A message in the platform's format. */
interface Parcel {
  msg_type: 'interactive' | 'image' | 'file'
  content: unknown
  /** The platform delivers one message per key within an hour. */
  key: string
}

/** Delivers a message to a target and returns its id. */
export async function deliver(
  api: FeishuApi,
  target: Target,
  { msg_type, content, key }: Parcel,
  signal: AbortSignal,
): Promise<string> {
  const message = { msg_type, content: JSON.stringify(content), uuid: key }

  async function post(path: string, addressed: object) {
    const { data } = await api.call({ method: 'POST', path, body: { ...message, ...addressed } }, signal)
    const id = toText(data?.message_id)
    if (!id) throw new ChannelFailure('unknown', 'Feishu returned no id for the message.')
    return id
  }

  if (target.reply) {
    try {
      return await post(`im/v1/messages/${encodeURIComponent(target.message_id)}/reply`, {
        reply_in_thread: target.thread,
      })
    } catch (error) {
      if (!isRefusal(error, MESSAGE_GONE)) throw error
      // The answered message was withdrawn; the answer goes to the chat instead.
    }
  }
  return post('im/v1/messages?receive_id_type=chat_id', { receive_id: target.chat_id })
}
