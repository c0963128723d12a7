import { ChannelFailure, isRefusal, PlatformRefusal, toFilledText, toWellFormedJSON } from '#plugin-api'
import type { FeishuApi } from './api.ts'
import type { Target } from './inbound-message.ts'
import { isAboutReply, NO_THREAD } from './refusal-codes.ts'

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
  const message = { msg_type, content: toWellFormedJSON(content), uuid: key }

  async function post(path: string, addressed: object) {
    const { data } = await api.call({ method: 'POST', path, body: { ...message, ...addressed } }, signal)
    const id = toFilledText(data?.message_id)
    if (!id) throw new ChannelFailure('unknown', 'Feishu returned no id for the message.')
    return id
  }

  async function reply(to: string, thread: boolean): Promise<string> {
    try {
      return await post(`im/v1/messages/${encodeURIComponent(to)}/reply`, { reply_in_thread: thread })
    } catch (error) {
      if (!thread || !isRefusal(error, NO_THREAD)) throw error
      return reply(to, false)
    }
  }

  for (const to of listReplyTargets(target))
    try {
      return await reply(to, target.thread)
    } catch (error) {
      if (!(error instanceof PlatformRefusal) || !isAboutReply(error.code, error.message)) throw error
      // The answered message is gone; the answer goes to its thread, or to the chat.
    }
  return post('im/v1/messages?receive_id_type=chat_id', { receive_id: target.chat_id })
}

/** Lists the messages that an answer can be a reply to, the best one first. */
function listReplyTargets({ reply, message_id, thread, root_id }: Target): string[] {
  if (!reply) return []
  return thread && root_id && root_id !== message_id ? [message_id, root_id] : [message_id]
}
