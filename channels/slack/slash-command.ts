import type { InboundMessage } from '#plugin-api'
import type { Target } from './messages.ts'

/** The subset of a slash command's payload used here. */
export interface SlashCommand {
  command?: string
  text?: string
  user_id?: string
  user_name?: string
  channel_id?: string
  trigger_id?: string
}

/** The command that only addresses the bot: the text after it is the message. */
const OWN_COMMAND = '/svc'

/** Reads a slash command as a message. */
export function readSlashCommand(body: SlashCommand): InboundMessage | undefined {
  const { command, text = '', user_id, user_name, channel_id, trigger_id } = body
  if (!command || !user_id || !channel_id || !trigger_id) return
  const target: Target = { channel: channel_id, conversation: channel_id }
  return {
    id: `${channel_id}:${trigger_id}`,
    conversation: { id: channel_id, type: channel_id.startsWith('D') ? 'direct' : 'group' },
    sender: { id: user_id, ...(user_name && { name: user_name }) },
    text: command === OWN_COMMAND ? text.trim() || '/help' : `${command} ${text}`.trim(),
    mentioned: true,
    target,
  }
}
