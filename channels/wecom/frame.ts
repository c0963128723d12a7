import type { ConversationType } from '#plugin-api'

/** An object out of a frame, none of whose fields is sure. */
export type Fields = Readonly<Record<string, unknown>>

/** What is an object, as one; anything else as an empty one. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

/** What is a string, as one; anything else as an empty one. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What a person wrote or did, as the platform calls back with it. */
export interface Callback {
  /** Answers carry the same. */
  req_id: string
  msg_id: string
  user_id: string
  conversation: { id: string; type: ConversationType }
  body: Fields
}

/** Reads a callback; undefined where it lacks what every callback has. */
export function readCallback(frame: unknown): Callback | undefined {
  const body = fieldsOf(fieldsOf(frame).body)
  const req_id = stringOf(fieldsOf(fieldsOf(frame).headers).req_id)
  const msg_id = stringOf(body.msgid)
  const user_id = stringOf(fieldsOf(body.from).userid)
  const type = body.chattype === 'group' ? 'group' : 'direct'
  // A direct conversation is named after the person, unless it comes with a name of its own.
  const id = stringOf(body.chatid) || (type === 'direct' ? user_id : '')
  if (!req_id || !msg_id || !user_id || !id) return undefined
  return { req_id, msg_id, user_id, conversation: { id, type }, body }
}

/** Where an answer goes. */
export interface Target {
  /** Of the message that is answered; the platform takes it for a time, and by its own choice no longer. */
  req_id: string
  chat_id: string
  /** 1 for a direct conversation, 2 for a group. */
  chat_type: 1 | 2
}

/** What `send` needs to answer this callback. */
export const targetOf = ({ req_id, conversation }: Callback): Target & Record<string, string | number> => ({
  req_id,
  chat_id: conversation.id,
  chat_type: conversation.type === 'group' ? 2 : 1,
})
