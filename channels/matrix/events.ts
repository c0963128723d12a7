/** The subset of an event used here; a homeserver passes on what others wrote, so any field may be wrong. */
export interface MatrixEvent {
  type?: string
  event_id?: string
  sender?: string
  state_key?: string
  origin_server_ts?: number
  content?: Content
  unsigned?: {
    prev_content?: { membership?: string }
    'm.relations'?: { 'm.replace'?: { content?: Content } }
  }
}

/** The content of an event. */
export interface Content {
  msgtype?: string
  body?: string
  format?: string
  formatted_body?: string
  url?: string
  file?: unknown
  filename?: string
  info?: { mimetype?: string; size?: number }
  geo_uri?: string
  membership?: string
  displayname?: string
  replacement_room?: string
  predecessor?: { room_id?: string }
  'm.mentions'?: { user_ids?: string[] }
  'm.new_content'?: Content
  'm.relates_to'?: Relation
  [field: string]: unknown
}

/** The relation of an event to another one. */
export interface Relation {
  rel_type?: string
  event_id?: string
  is_falling_back?: boolean
  'm.in_reply_to'?: { event_id?: string }
}

/** A room in an answer to `/sync`. */
export interface JoinedRoom {
  state?: { events?: MatrixEvent[] }
  timeline?: { events?: MatrixEvent[]; limited?: boolean; prev_batch?: string }
}

/** An answer to `/sync`. */
export interface SyncAnswer {
  next_batch: string
  rooms?: {
    join?: Record<string, JoinedRoom>
    invite?: Record<string, { invite_state?: { events?: MatrixEvent[] } }>
    leave?: Record<string, unknown>
  }
}

/** Marks messages of bots, so that two of them do not answer each other without end. */
export const AUTOMATED = 'org.matrix.msc3955.automated'

/** Types of events with polls: of the specification, and of the clients before it. */
export const POLLS = ['m.poll.start', 'org.matrix.msc3381.poll.start'] as const

/** The types of events that are requested. */
export const TIMELINE_TYPES = [
  'm.room.message',
  'm.sticker',
  ...POLLS,
  'm.room.encrypted',
  'm.room.encryption',
  'm.room.member',
  'm.room.tombstone',
  'm.room.create',
]

/** Returns a field of an event if it is a text. */
export const readString = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

/** Returns the content of an event as it is now: with its last edit, if the homeserver includes it. */
export function readLatest({ content = {}, unsigned }: MatrixEvent): Content {
  const edited = unsigned?.['m.relations']?.['m.replace']?.content?.['m.new_content']
  const relation = content['m.relates_to']
  return edited && relation ? { ...edited, 'm.relates_to': relation } : (edited ?? content)
}

/** True if the account joins a room with this event, and was not in it before. */
export const isJoinOf = ({ type, state_key, content, unsigned }: MatrixEvent, user_id: string): boolean =>
  type === 'm.room.member' &&
  state_key === user_id &&
  content?.membership === 'join' &&
  unsigned?.prev_content?.membership !== 'join'
