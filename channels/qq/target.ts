import type { JSONValue } from '#plugin-api'

/** Where an answer goes, as QQ's paths have it, and the message or event that it answers. */
export interface Target {
  scene: 'users' | 'groups'
  openid: string
  msg_id?: string
  event_id?: string
}

/** The target that a message of this kind was received with. */
export const targetOf = (target: JSONValue): Target => target as unknown as Target

/** The path of a call about a conversation. */
export const pathOf = ({ scene, openid }: Target, call: 'messages' | 'files' | 'stream_messages'): string =>
  `/v2/${scene}/${encodeURIComponent(openid)}/${call}`
