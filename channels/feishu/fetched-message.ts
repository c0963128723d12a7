import { isObject, toFilledText, toNumber } from '#toolbox'
import type { FeishuApi } from './api.ts'
import { readMentions, resolveMentions } from './mentions.ts'
import { type Content, readContent } from './message-content.ts'

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
  /** The names of mentioned people by their ids. */
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
  return items.filter(isObject).map((item) => readItem(item, bot))
}

function readItem(item: Record<string, unknown>, bot: string): FetchedMessage {
  const { message_id, msg_type, body, sender, mentions, upper_message_id, create_time, deleted } = item
  const mentionList = readMentions(mentions)
  const type = toFilledText(msg_type) ?? ''
  const { id, sender_type }: Record<string, unknown> = isObject(sender) ? sender : {}
  const content: Content =
    deleted === true
      ? { text: '', resources: [], unreadable: 'deleted message' }
      : readContent(type, isObject(body) ? body.content : undefined)
  return {
    id: toFilledText(message_id),
    type: deleted === true ? 'deleted' : type,
    content: { ...content, text: resolveMentions(content.text, mentionList, bot) },
    sender_id: toFilledText(id),
    is_from_app: sender_type === 'app',
    upper_id: toFilledText(upper_message_id),
    created_at: toNumber(create_time) ?? 0,
    names: new Map(mentionList.flatMap(({ open_id, name }) => (open_id && name ? [[open_id, name]] : []))),
  }
}
