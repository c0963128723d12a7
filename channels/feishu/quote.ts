import type { InboundMessage } from '#plugin-api'
import type { FeishuApi } from './api.ts'
import { readMentions, resolveMentions } from './mentions.ts'
import { readContent } from './message-content.ts'
import { isRecord } from './reply.ts'

/** An event must be answered within three seconds, including the time to store the message. */
const TIMEOUT_MS = 1500

/** Fetches the text of the message that is replied to; undefined if it has none. */
export async function findQuote(
  api: FeishuApi,
  messageId: string,
  bot: string,
  signal: AbortSignal,
): Promise<InboundMessage['quote']> {
  // The query parameter makes the API return cards as they were sent.
  const path = `im/v1/messages/${encodeURIComponent(messageId)}?card_msg_content_type=user_card_content`
  const { data } = await api.call({ method: 'GET', path }, signal, TIMEOUT_MS)
  const [item] = Array.isArray(data?.items) ? data.items : []
  if (!isRecord(item) || !isRecord(item.body)) return undefined
  const content = readContent(String(item.msg_type), item.body.content)
  const text = resolveMentions(content.text, readMentions(item.mentions), bot)
  return text === '' ? undefined : { text }
}
