import type { OfferedTurn } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** The kinds of threads in which nobody but the account itself reads the answers. */
const OWN_KINDS = new Set(['web', 'api'])

/** True if the account lets agents remember, and nobody else reads the answers in the thread. */
export async function hasMemory(
  {
    user_id,
    agent_id,
    thread_id,
    channel_type,
    has_memory,
  }: Pick<OfferedTurn, 'user_id' | 'agent_id' | 'thread_id' | 'channel_type' | 'has_memory'>,
  { extensions }: Pick<Cradle, 'extensions'>,
): Promise<boolean> {
  if (!has_memory) return false
  if (OWN_KINDS.has(channel_type)) return true
  const thread = { user_id, agent_id, thread_id, channel_type }
  const answers = (await extensions['memory.listeners'].ask(thread)).filter((answer) => answer !== undefined)
  return answers.length > 0 && answers.every((answer) => answer === 'one')
}

/** True if the account itself writes in a thread; anybody may write to a channel. */
export const isWrittenByAccount = ({ channel_type }: Pick<OfferedTurn, 'channel_type'>): boolean =>
  OWN_KINDS.has(channel_type) || channel_type === 'schedule'
