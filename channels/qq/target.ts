import type { JSONValue } from '#plugin-api'

/** The destination of an answer, in the terms of QQ's paths, and the message or event that it answers. */
export interface Target {
  scene: 'users' | 'groups'
  openid: string
  msg_id?: string
  event_id?: string
}

/** Returns a stored target with its type. */
export const toTarget = (target: JSONValue): Target => target as unknown as Target

/** Returns the path of a call for a conversation. */
export const toPath = ({ scene, openid }: Target, call: 'messages' | 'files' | 'stream_messages'): string =>
  `/v2/${scene}/${encodeURIComponent(openid)}/${call}`
