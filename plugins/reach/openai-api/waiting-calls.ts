import { AppError } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { ThreadDocument } from '../../conversations/chat/documents.ts'
import type { PendingApproval } from '../../conversations/chat/ledger/ledger-event.ts'
import type { Asker } from './agent-reply.ts'
import type { RequestResults } from './conversation.ts'
import { threadOfCall, toCallId } from './ids.ts'
import type { Cradle } from './manifest.ts'

/** A turn that waits for the results of its calls, and these results in the order of the calls. */
export interface AnsweredTurn {
  thread: ThreadDocument
  pending: PendingApproval
  results: string[]
}

/** True if a turn waits for results of its client, which no person decides. */
export const waitsForClient = ({ action_requests }: PendingApproval): boolean =>
  action_requests.some(({ for_client }) => for_client)

/**
 * Finds the turn that waits for the results of a request: in the thread that the request names, or else by the ids of
 * its calls. Without a name, returns undefined if the turn is gone, because the request has the whole conversation.
 * Throws CALLS_UNANSWERED, CALL_NOT_WAITING, THREAD_NOT_FOUND, THREAD_PAUSED.
 */
export async function findWaiting(
  {
    results: { byCall, last },
    agent,
    named,
  }: { results: RequestResults; agent: AgentDocument; named: string | undefined },
  { caller }: Asker,
  { threads, chat }: Cradle,
): Promise<AnsweredTurn | undefined> {
  const thread_id = named ?? threadOfCall(last.at(-1)!)
  if (thread_id === undefined) return undefined
  const owner = { user_id: caller.id, agent_id: agent._id }
  const thread = await threads.get(owner, thread_id).catch((error) => {
    if (named === undefined && error instanceof AppError && error.code === 'THREAD_NOT_FOUND')
      return undefined
    throw error
  })
  if (!thread) return undefined
  const pending = await chat.readPending(thread)
  if (pending && !waitsForClient(pending) && named !== undefined) throw new AppError('THREAD_PAUSED')
  const calls =
    pending && waitsForClient(pending)
      ? pending.action_requests.map((_, index) =>
          toCallId({ thread_id, seq: thread.active_turn!.paused!.seq, index }),
        )
      : []
  const unknown = last.find((id) => !calls.includes(id))
  if (unknown !== undefined) {
    if (named === undefined) return undefined
    throw new AppError('CALL_NOT_WAITING', { call: unknown })
  }
  const unanswered = calls.filter((id) => !byCall.has(id))
  if (unanswered.length > 0) throw new AppError('CALLS_UNANSWERED', { calls: unanswered.join(', ') })
  return { thread, pending: pending!, results: calls.map((id) => byCall.get(id)!) }
}
