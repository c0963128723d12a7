import { type ConversationType, type Json, toObject, toText } from '#plugin-api'

/** A callback for a message or an action of a person. */
interface Callback {
  /** The id that answers must contain. */
  req_id: string
  msg_id: string
  user_id: string
  conversation: { id: string; type: ConversationType }
  body: Json
}

/** Reads a callback; undefined if required fields are missing. */
export function readCallback(frame: unknown): Callback | undefined {
  const body = toObject(toObject(frame).body)
  const req_id = toText(toObject(toObject(frame).headers).req_id)
  const msg_id = toText(body.msgid) || req_id
  const user_id = toText(toObject(body.from).userid)
  const type = body.chattype === 'group' ? 'group' : 'direct'
  // A direct conversation may lack an id; then the person's id is used.
  const id = toText(body.chatid) || (type === 'direct' ? user_id : '')
  if (!req_id || !msg_id || !user_id || !id) return undefined
  return { req_id, msg_id, user_id, conversation: { id, type }, body }
}

/** The destination of an answer. */
export type Target = {
  /** The id of the answered message's callback; the platform accepts answers to it for a limited time. */
  req_id: string
  chat_id: string
  /** 1 for a direct conversation, 2 for a group. */
  chat_type: 1 | 2
}

/** Returns the target for answering a callback. */
export const toTarget = ({ req_id, conversation }: Callback): Target & Record<string, string | number> => ({
  req_id,
  chat_id: conversation.id,
  chat_type: conversation.type === 'group' ? 2 : 1,
})
