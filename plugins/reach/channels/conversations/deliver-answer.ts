import type { Cradle } from '../manifest.ts'
import type { ConversationKey } from './conversations.ts'

/** A turn that has ended, and the conversation for its answer. */
interface Delivered extends ConversationKey {
  agent_id: string
  thread_id: string
  client_message_id: string
  after_seq: number
}

/** Has the answer of a turn delivered by the server that holds the channel; false if the conversation does not exist. */
export async function deliverAnswer(
  { agent_id, channel_id, conversation_id, client_message_id, ...place }: Delivered,
  { conversations, messageInbox, supervisor }: Pick<Cradle, 'conversations' | 'messageInbox' | 'supervisor'>,
): Promise<boolean> {
  const conversation = await conversations.find({ agent_id, channel_id, conversation_id })
  if (!conversation) return false
  await messageInbox.addAnswer(agent_id, conversation, { turn_message_id: client_message_id, ...place })
  supervisor.wake(channel_id, conversation_id, false)
  return true
}
