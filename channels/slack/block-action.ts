import type { ButtonPress } from '#plugin-api'
import { readConversation } from './blocks.ts'
import { type Posted, toConversationId } from './messages.ts'

/** The subset of an interaction's payload used here. */
export interface Interaction {
  type?: string
  user?: { id?: string; username?: string; name?: string }
  channel?: { id?: string }
  container?: { message_ts?: string; channel_id?: string; thread_ts?: string }
  message?: { ts?: string; thread_ts?: string }
  actions?: { type?: string; value?: string; block_id?: string }[]
}

/** A pressed button with its message. */
interface PressedButton {
  press: ButtonPress
  message: Posted
  thread_ts?: string
}

/** Reads a press of one of our buttons; undefined for all other interactions. */
export function readPress({
  type,
  user,
  channel,
  container,
  message,
  actions,
}: Interaction): PressedButton | undefined {
  const action = actions?.[0]
  const channelId = channel?.id ?? container?.channel_id
  const ts = container?.message_ts ?? message?.ts
  if (type !== 'block_actions' || action?.type !== 'button') return
  if (!action.value || !user?.id || !channelId || !ts) return
  const thread_ts = message?.thread_ts ?? container?.thread_ts
  const name = user.name ?? user.username
  return {
    press: {
      value: action.value,
      sender: { id: user.id, ...(name && { name }) },
      conversation_id: readConversation(action.block_id) ?? toConversationId(channelId, thread_ts),
    },
    message: { channel: channelId, ts },
    ...(thread_ts && { thread_ts }),
  }
}
