import type { InboundMessage } from '#plugin-api'
import type { Target } from './target.ts'

/** The payload of a slash command, as far as it is read. */
export interface SlashCommand {
  command?: string
  text?: string
  user_id?: string
  user_name?: string
  channel_id?: string
  trigger_id?: string
}

/** A command that only says who is spoken to: what follows it is the message. */
const ADDRESS = '/svc'

/** Reads a slash command as the message that it would be if Slack did not keep the slash for itself. */
export function readSlashCommand(body: SlashCommand): InboundMessage | undefined {
  const { command, text = '', user_id, user_name, channel_id, trigger_id } = body
  if (!command || !user_id || !channel_id || !trigger_id) return
  const target: Target = { channel: channel_id, conversation: channel_id }
  return {
    id: `${channel_id}:${trigger_id}`,
    conversation: { id: channel_id, type: channel_id.startsWith('D') ? 'direct' : 'group' },
    sender: { id: user_id, ...(user_name && { name: user_name }) },
    text: command === ADDRESS ? text.trim() || '/help' : `${command} ${text}`.trim(),
    mentioned: true,
    target,
  }
}
