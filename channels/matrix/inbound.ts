import type { InboundMessage, QuotedMessage } from '#plugin-api'
import { isPoll, readContent } from './content.ts'
import { AUTOMATED, type Content, type MatrixEvent, readLatest, readString } from './events.ts'
import { type Me, readMention, splitFallback } from './mention.ts'
import type { Room } from './rooms.ts'

/** The destination of an answer. */
export type Target = {
  room_id: string
  /** In a group or a thread: the message that is answered, and who wrote it. */
  reply_to?: string
  sender?: string
  /** The first message of the thread. */
  thread?: string
}

/** Messages of servers and of other bots, which must not be answered. */
const IGNORED = new Set(['m.notice', 'm.server_notice'])

/** Reads a message of a person; undefined for all other events. `fetchEvent` returns undefined for an event that cannot be read. */
export async function readMessage(
  event: MatrixEvent,
  {
    room_id,
    user_id,
    viewRoom,
    fetchEvent,
  }: {
    room_id: string
    user_id: string
    viewRoom(): Promise<Room>
    fetchEvent(event_id: string): Promise<MatrixEvent | undefined>
  },
): Promise<InboundMessage | undefined> {
  const { type = '', event_id, sender, origin_server_ts } = event
  const content = readLatest(event)
  if (!event_id || !sender || sender === user_id || !isMessage(type, content)) return
  const relation = content['m.relates_to']
  if (relation?.rel_type === 'm.replace') return

  const room = await viewRoom()
  const name = room.names.get(user_id)
  const me: Me = { user_id, ...(name && { name }) }
  const thread = relation?.rel_type === 'm.thread' ? readString(relation.event_id) : undefined
  // Without a reply, messages of threads name the one before them for clients that show no threads.
  const replied =
    thread && relation?.is_falling_back ? undefined : readString(relation?.['m.in_reply_to']?.event_id)
  const body = readString(content.body) ?? ''
  const written = relation?.['m.in_reply_to'] ? splitFallback(body) : { text: body }
  const original = replied ? await fetchEvent(replied) : undefined
  const { mentioned, text: addressed } = readMention(content, written.text, me)
  const { text, files, unreadable } = readContent(type, content, room.is_direct ? written.text : addressed)
  const quote = readQuote(original, room) ?? (replied && written.quote ? { text: written.quote } : undefined)
  const isGroup = !room.is_direct
  const senderName = room.names.get(sender)
  return {
    id: event_id,
    conversation: {
      id: isGroup && thread ? `${room_id}/${thread}` : room_id,
      type: isGroup ? 'group' : 'direct',
    },
    sender: { id: sender, ...(senderName && { name: senderName }) },
    text,
    mentioned: !isGroup || mentioned || original?.sender === user_id,
    ...(Number.isFinite(origin_server_ts) && { sent_at: origin_server_ts as number }),
    ...(quote && { quote }),
    ...(files.length > 0 && { files }),
    ...(unreadable !== undefined && { unreadable }),
    target: toTarget({ room_id, event_id, sender, thread, isGroup }),
  }
}

function isMessage(type: string, content: Content): boolean {
  if (content[AUTOMATED] === true) return false
  if (type === 'm.sticker' || isPoll(type)) return true
  // A deleted message has no content.
  return type === 'm.room.message' && typeof content.msgtype === 'string' && !IGNORED.has(content.msgtype)
}

function toTarget({
  room_id,
  event_id,
  sender,
  thread,
  isGroup,
}: {
  room_id: string
  event_id: string
  sender: string
  thread: string | undefined
  isGroup: boolean
}): Target {
  return {
    room_id,
    ...((isGroup || thread) && { reply_to: event_id }),
    ...(isGroup && { sender }),
    ...(thread && { thread }),
  }
}

/** Returns a message that is replied to; undefined if it has nothing that can be read. */
function readQuote(event: MatrixEvent | undefined, { names }: Room): QuotedMessage | undefined {
  if (!event) return
  const content = readLatest(event)
  const { text: body } = splitFallback(readString(content.body) ?? '')
  const { text, files, unreadable } = readContent(event.type ?? '', content, body)
  const words = text || (unreadable === undefined ? '' : `[${unreadable}]`)
  if (words === '' && files.length === 0) return
  const sender = event.sender && (names.get(event.sender) ?? event.sender)
  return { text: words, ...(sender && { sender }), ...(files.length > 0 && { files }) }
}
