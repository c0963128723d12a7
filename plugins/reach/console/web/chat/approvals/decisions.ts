import type { Decision } from '#client'
import type { ActionRequest, PendingApproval } from '../store/thread-view.ts'

/** A request of a paused turn with the decisions that are allowed. */
export interface Request extends ActionRequest {
  allowed: readonly Decision['type'][]
}

/** Lists the requests of a paused turn with the decisions that are allowed for each. */
export const listRequests = ({ action_requests, review_configs }: PendingApproval): Request[] =>
  action_requests.map((request, index) => ({
    ...request,
    allowed: review_configs[index]?.allowed_decisions ?? ['approve', 'reject'],
  }))

/** The question that the composer answers: the only request of a turn, if it wants words. */
export function findQuestion(pending: PendingApproval | null): Request | undefined {
  const [request, ...others] = pending ? listRequests(pending) : []
  return request &&
    others.length === 0 &&
    request.allowed.includes('respond') &&
    !request.authorization_required &&
    !request.for_client
    ? request
    : undefined
}
