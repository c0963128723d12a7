import { AppError } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { ThreadDocument } from '../../conversations/chat/documents.ts'
import type { FrameFields } from '../../conversations/chat/ledger/ledger-event.ts'
import type { Asker } from './agent-reply.ts'
import { readResponseId } from './ids.ts'
import type { Cradle } from './manifest.ts'

/**
 * Returns the id of the thread that a request continues: that of the previous response, forked if the conversation went
 * on after it, or else the one that the header names, which may not exist. Returns undefined for a conversation of its
 * own. Throws RESPONSE_NOT_FOUND, THREAD_NOT_FOUND, THREAD_PAUSED, REPLY_NOT_FOUND.
 */
export async function continueThread(
  {
    agent,
    previous,
    named,
  }: { agent: AgentDocument; previous?: string | null; named?: string | string[] | undefined },
  asker: Asker,
  cradle: Cradle,
): Promise<string | undefined> {
  if (previous == null) return typeof named === 'string' ? named : undefined
  const owner = { user_id: asker.caller.id, agent_id: agent._id }
  const { _id } = await findPrevious(previous, owner, asker, cradle)
  return _id
}

async function findPrevious(
  previous: string,
  owner: { user_id: string; agent_id: string },
  { locale }: Asker,
  { threads, forks, ledgerReader }: Cradle,
): Promise<ThreadDocument> {
  const { thread_id, turn_id } = readResponseId(previous)
  const thread = await threads.get(owner, thread_id).catch((error) => {
    throw error instanceof AppError && error.code === 'THREAD_NOT_FOUND'
      ? new AppError('RESPONSE_NOT_FOUND')
      : error
  })
  // The last event of a thread without a turn is at its `last_seq`.
  if (!thread.active_turn && (await ledgerReader.find(thread_id, thread.last_seq))?.turn_id === turn_id)
    return thread
  const [newest, ended] = await Promise.all([
    ledgerReader.page(thread_id, { limit: 1 }),
    ledgerReader.page(thread_id, { turn_id, limit: 1 }),
  ])
  const last = ended.events[0]
  if (!last) throw new AppError('RESPONSE_NOT_FOUND')
  if (newest.events[0]?.turn_id === turn_id) return thread
  const { message_id } = last.frame as Partial<FrameFields['done']>
  if (last.type === 'hitl_required' || !message_id) throw new AppError('THREAD_PAUSED')
  return (await forks.make(thread, { message_id }, locale)).fork
}
