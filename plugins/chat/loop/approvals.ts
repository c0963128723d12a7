import type { ApprovalStep, Locale, Tool } from '#kernel'
import type { ActionRequest, DecisionType, PendingApproval } from '../ledger/ledger-event.ts'
import { bounded, storable, wellFormed } from '../storable.ts'
import { limitOutput } from './tool-output.ts'

/** Something that a turn must ask a person before it can go on. */
export interface Request extends ActionRequest {
  allowed_decisions: readonly DecisionType[]
}

/** How many requests are put to a person at a time: as many as can be decided at once. */
export const MOST_REQUESTS = 16

const APPROVAL: readonly DecisionType[] = ['approve', 'edit', 'reject']
const STEP: readonly DecisionType[] = ['approve', 'reject']
const QUESTION: readonly DecisionType[] = ['respond', 'reject']

type Call = Omit<ActionRequest, 'description'>

/** Asks whether a call may run. */
export function requestApproval(call: Call, { label }: Tool, locale: Locale): Request {
  const description = {
    en: `The agent wants to use “${label.en}” (${call.name}).`,
    zh: `智能体请求使用“${label.zh}”（${call.name}）。`,
  }
  return { ...call, description: description[locale], allowed_decisions: APPROVAL }
}

/** Puts a tool's question. */
export const requestAnswer = (call: Call, question: string): Request => ({
  ...call,
  description: wellFormed(question),
  allowed_decisions: QUESTION,
})

/** Asks whether a call that is at work may take a step. */
export const requestStep = (call: Call, { description, args }: ApprovalStep): Request => ({
  ...call,
  args: storable(bounded(args)) as Record<string, unknown>,
  description: wellFormed(limitOutput(description)),
  is_step: true,
  allowed_decisions: STEP,
})

/** What the turn waits for, as readers are told it; `expires_at` is Unix seconds. */
export function pendingApproval(
  requests: readonly Request[],
  { pending_id, expires_at }: Pick<PendingApproval, 'pending_id' | 'expires_at'>,
): PendingApproval {
  const put = requests.slice(0, MOST_REQUESTS)
  return {
    pending_id,
    action_requests: put.map(({ allowed_decisions, ...request }) => request),
    review_configs: put.map(({ name, allowed_decisions }) => ({
      action_name: name,
      allowed_decisions: [...allowed_decisions],
    })),
    expires_at,
  }
}
