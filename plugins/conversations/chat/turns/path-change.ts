import { AppError } from '#plugin-api'
import type { ThreadDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { endOf, listRanges } from '../threads/paths.ts'
import { createTurn } from './turn.ts'

/**
 * Has a thread show the path through a message, as a turn whose only event says so: it takes its place in the ledger, and
 * is recovered after a crash. Throws THREAD_BUSY, MESSAGE_NOT_FOUND.
 */
export async function choosePath(
  { _id: thread_id, user_id, agent_id }: ThreadDocument,
  message_id: string,
  cradle: Cradle,
): Promise<ThreadDocument> {
  const { running, signals, threads, turnLeases, versions } = cradle
  const owner = { user_id, agent_id }
  const busy = () => new AppError('THREAD_BUSY')
  const thread = await threads.get(owner, thread_id)
  if (running.get(thread_id) || thread.active_turn) throw busy()
  const path = await versions.pathThrough(thread, message_id)
  if (JSON.stringify(path) === JSON.stringify(listRanges(thread))) return thread
  const turn = createTurn({ thread_id, ...owner }, cradle)
  try {
    const leased = await turnLeases.take(owner, thread_id, { path })
    if (!leased) throw busy()
    turn.adopt(leased, [])
    await turn.end({ type: 'path_changed', message_id, after: Math.min(endOf(path), thread.last_seq) })
    signals.publish('turn.begun', { thread_id })
    return await threads.get(owner, thread_id)
  } finally {
    turn.leave()
  }
}
