import { api } from '../../server/client.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import type { PendingApproval } from '../store/thread-view.ts'

/** All arguments of a request; the frame leaves out what is long or cannot be shown unchanged. */
export function useArguments(
  store: ThreadStore,
  { pending_id, action_requests }: PendingApproval,
  index: number,
) {
  const request = action_requests[index]!
  const path = { id: store.agent_id, pending_id, thread_id: store.thread_id, index: String(index) }
  const whole = api.useQuery(
    'get',
    '/agents/{id}/chat/hitl/{pending_id}/threads/{thread_id}/args/{index}',
    { params: { path } },
    { enabled: request.args_url !== undefined },
  )
  return {
    args: whole.data?.args ?? request.args,
    isPending: request.args_url !== undefined && whole.isPending,
  }
}
