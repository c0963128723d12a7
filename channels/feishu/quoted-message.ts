import type { Logger } from '#kernel'
import type { InboundMessage, QuotedMessage } from '#plugin-api'
import { isRefusal } from '#toolbox'
import type { FeishuApi } from './api.ts'
import { type FetchedMessage, fetchMessages } from './fetched-message.ts'
import { writeForwarded } from './forwarded-messages.ts'
import { type ParsedMessage, toFile } from './inbound-message.ts'
import { describeContent } from './message-content.ts'
import { MESSAGE_GONE } from './refusal-codes.ts'

/** The means to fetch what belongs to a message. */
interface Fetching {
  api: FeishuApi
  bot: string
  log: Logger
  life: AbortSignal
}

/** Completes the message of an event with what it replies to, and with the content that the event lacks. */
export async function completeMessage(
  { message, parent_id, is_content_missing }: ParsedMessage,
  fetching: Fetching,
): Promise<InboundMessage> {
  const [quote, content] = await Promise.all([
    parent_id === undefined ? undefined : findQuote(parent_id, fetching),
    is_content_missing ? findContent(message.id, fetching) : undefined,
  ])
  const { unreadable, ...readable } = message
  const whole: InboundMessage = { ...readable, ...(quote && { quote }), ...content }
  if (unreadable === undefined || content) return whole
  // The sender is notified only if nothing else came; otherwise the text says what is missing.
  if (!quote && whole.text === '' && !whole.files) return message
  return { ...whole, text: [whole.text, `[${unreadable}]`].filter(Boolean).join('\n') }
}

/** Fetches the message that is replied to. */
async function findQuote(id: string, fetching: Fetching): Promise<QuotedMessage> {
  const messages = await fetchOrExplain(id, fetching)
  if (typeof messages === 'string') return { text: `[${messages}]` }
  const root = findRoot(messages, id)
  if (root.type === 'merge_forward') {
    const forwarded = writeForwarded(root, messages)
    return { ...forwarded, text: forwarded.text || describeContent(root.content) }
  }
  const { text, resources, unreadable } = root.content
  const files = resources.map((resource) => toFile(resource, id))
  return {
    text: unreadable ? describeContent(root.content) : text,
    ...(files.length > 0 && { files }),
  }
}

/** Fetches the content of a forward or of a card; undefined if it cannot be read. */
async function findContent(
  id: string,
  fetching: Fetching,
): Promise<Pick<InboundMessage, 'quote'> | Pick<InboundMessage, 'text'> | undefined> {
  const messages = await fetchOrExplain(id, fetching)
  if (typeof messages === 'string') return undefined
  const root = findRoot(messages, id)
  if (root.type === 'merge_forward') {
    const forwarded = writeForwarded(root, messages)
    return forwarded.text === '' ? undefined : { quote: { ...forwarded, is_forwarded: true } }
  }
  const { text } = root.content
  return text === '' ? undefined : { text }
}

const findRoot = (messages: readonly FetchedMessage[], id: string) =>
  messages.find((message) => message.id === id) ?? messages[0]!

/** Fetches a message; a text says why it cannot be read. */
async function fetchOrExplain(
  id: string,
  { api, bot, log, life }: Fetching,
): Promise<FetchedMessage[] | string> {
  try {
    const messages = await fetchMessages(api, id, bot, life)
    return messages.length > 0 ? messages : 'message that cannot be read'
  } catch (error) {
    if (isRefusal(error, MESSAGE_GONE)) return 'deleted message'
    // The message itself is received all the same.
    if (!life.aborted) log.info({ error }, 'a quoted or forwarded message cannot be read')
    return 'message that cannot be read'
  }
}
