import {
  attributeWords,
  type InboundFile,
  type InboundMessage,
  isObject,
  isRefusal,
  type Logger,
  type QuotedMessage,
  toFilledText,
  toNumber,
} from '#plugin-api'
import type { FeishuApi } from './api.ts'
import { type ParsedMessage, toFile } from './inbound-message.ts'
import { readMentions, resolveMentions } from './mentions.ts'
import { type Content, describeContent, readContent } from './message-content.ts'
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

/** Limits for reading forwarded messages. */
const MAX_MESSAGES = 100
const MAX_FILES = 20
const MAX_DEPTH = 5

const INDENT = '  '

/** Writes forwarded messages, which may be nested, one after the other with their senders, and lists their files. */
function writeForwarded(root: FetchedMessage, messages: readonly FetchedMessage[]): QuotedMessage {
  const names = new Map(messages.flatMap((message) => [...message.names]))
  const parts = messages.filter((message) => message !== root)
  const containers = new Set(parts.filter(({ type }) => type === 'merge_forward').map(({ id }) => id))
  const lines: string[] = []
  const files: InboundFile[] = []
  let count = 0

  function add(message: FetchedMessage, depth: number): void {
    const { id, type, content, sender_id = '', is_from_app, upper_id } = message
    count += 1
    if (count > MAX_MESSAGES) return
    const isNested = type === 'merge_forward' && depth < MAX_DEPTH
    const words = isNested ? 'forwarded messages:' : describeContent(content)
    const indent = INDENT.repeat(depth)
    const name = is_from_app ? 'a bot' : (names.get(sender_id) ?? (sender_id || 'somebody'))
    lines.push(indent + attributeWords(name, words).replaceAll('\n', `\n${indent}`))
    // The platform keeps the files with the whole, some also with the original message.
    for (const resource of content.resources)
      if (files.length < MAX_FILES) files.push(toFile(resource, root.id ?? upper_id ?? '', id))
    if (isNested) addPartsOf(id, depth + 1)
  }

  function addPartsOf(container: string | undefined, depth: number): void {
    for (const part of parts
      .filter(({ upper_id }) => upper_id === container || (depth === 0 && !containers.has(upper_id)))
      .toSorted((one, other) => one.created_at - other.created_at))
      add(part, depth)
  }

  addPartsOf(root.id, 0)
  if (count > MAX_MESSAGES) lines.push(`[${count - MAX_MESSAGES} more messages]`)
  return { text: lines.join('\n'), ...(files.length > 0 && { files }) }
}

/** A message that the API returned, with the mentions in its text resolved. */
interface FetchedMessage {
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
async function fetchMessages(
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
