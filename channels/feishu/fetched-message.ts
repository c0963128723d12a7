import type { FeishuApi } from './api.ts'
import { readMentions, resolveMentions } from './mentions.ts'
import { type Content, readContent } from './message-content.ts'
import { isRecord, toNumber, toText } from './reply.ts'

/** A message that the API returned, with the mentions in its text resolved. */
export interface FetchedMessage {
  id: string | undefined
  type: string
  content: Content
  sender_id: string | undefined
  is_from_app: boolean
  /** The forwarded message that it is part of. */
  upper_id: string | undefined
  created_at: number
  /** The names of those whom it mentions, by their ids. */
  names: ReadonlyMap<string, string>
}

/** An event must be answered within three seconds, including the time to store the message. */
const TIMEOUT_MS = 1500

/** Fetches a message; of a forwarded one also the messages in it, all in one list. */
export async function fetchMessages(
  api: FeishuApi,
  id: string,
  bot: string,
  signal: AbortSignal,
): Promise<FetchedMessage[]> {
  // The query parameter makes the API return cards as they were sent.
  const path = `im/v1/messages/${encodeURIComponent(id)}?card_msg_content_type=user_card_content`
  const { data } = await api.call({ method: 'GET', path }, signal, TIMEOUT_MS)
  const items = Array.isArray(data?.items) ? data.items : []
  return items.filter(isRecord).map((item) => readItem(item, bot))
}

function readItem(item: Record<string, unknown>, bot: string): FetchedMessage {
  const { message_id, msg_type, body, sender, mentions, upper_message_id, create_time, deleted } = item
  const mentionList = readMentions(mentions)
  const type = toText(msg_type) ?? ''
  const { id, sender_type }: Record<string, unknown> = isRecord(sender) ? sender : {}
  const content: Content =
    deleted === true
      ? { text: '', resources: [], unreadable: 'deleted message' }
      : readContent(type, isRecord(body) ? body.content : undefined)
  return {
    id: toText(message_id),
    type: deleted === true ? 'deleted' : type,
    content: { ...content, text: resolveMentions(content.text, mentionList, bot) },
    sender_id: toText(id),
    is_from_app: sender_type === 'app',
    upper_id: toText(upper_message_id),
    created_at: toNumber(create_time),
    names: new Map(mentionList.flatMap(({ open_id, name }) => (open_id && name ? [[open_id, name]] : []))),
  }
}
