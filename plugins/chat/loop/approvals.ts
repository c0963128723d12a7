import { isDeepStrictEqual } from 'node:util'
import type { Locale } from '#kernel'
import type { ApprovalStep, Tool } from '#plugin-api'
import type { ActionRequest, DecisionType, PendingApproval } from '../ledger/ledger-event.ts'
import { bounded, storable, wellFormed } from '../storable.ts'
import { limitOutput } from './tool-output.ts'

/** Something that a turn must ask a person before it can go on. */
export interface Request extends ActionRequest {
  allowed_decisions: readonly DecisionType[]
  /** The arguments as JSON, when `args` does not show them as they are. */
  whole_args?: string
}

/** How many requests are put to a person at a time: as many as can be decided at once. */
export const MOST_REQUESTS = 16

const APPROVAL: readonly DecisionType[] = ['approve', 'edit', 'reject']
const STEP: readonly DecisionType[] = ['approve', 'reject']
const QUESTION: readonly DecisionType[] = ['respond', 'reject']

/** The most characters of arguments that are put to a person at a time; a call with more cannot be approved. */
const MAX_WHOLE_CHARACTERS = 1_048_576

type Call = Omit<ActionRequest, 'description'>

/** The arguments of a call as a person is shown them, and all of them where that is something else. */
function reviewable(given: unknown): Pick<Request, 'args' | 'whole_args'> {
  const args = storable(bounded(given)) as Record<string, unknown>
  if (isDeepStrictEqual(args, given)) return { args }
  const whole_args = JSON.stringify(given)
  if (whole_args.length > MAX_WHOLE_CHARACTERS)
    throw new Error(
      `the arguments are too long to be approved by a person: ${whole_args.length} characters of at most ${MAX_WHOLE_CHARACTERS}`,
    )
  return { args, whole_args }
}

/** Asks whether a call may run; throws when its arguments, as the model wrote them, are too long for that. */
export function requestApproval(call: Call, given: unknown, { label }: Tool, locale: Locale): Request {
  const description = {
    en: `The agent wants to use “${label.en}” (${call.name}).`,
    zh: `智能体请求使用“${label.zh}”（${call.name}）。`,
  }
  return { ...call, ...reviewable(given), description: description[locale], allowed_decisions: APPROVAL }
}

/** Puts a tool's question. */
export const requestAnswer = (call: Call, question: string): Request => ({
  ...call,
  description: wellFormed(question),
  allowed_decisions: QUESTION,
})

/** Asks whether a call that is at work may take a step; throws as `requestApproval` does. */
export const requestStep = (call: Call, { description, args }: ApprovalStep): Request => ({
  ...call,
  ...reviewable(args),
  description: wellFormed(limitOutput(description)),
  is_step: true,
  allowed_decisions: STEP,
})

/** Returns the pause of a turn as readers are told it, and a record of the arguments that this does not show. */
export function pendingApproval(
  requests: readonly Request[],
  {
    pending_id,
    expires_at,
    agent_id,
    thread_id,
  }: Pick<PendingApproval, 'pending_id' | 'expires_at'> & { agent_id: string; thread_id: string },
): { pending: PendingApproval; whole_args: Record<string, string> | undefined } {
  const put = firstOf(requests)
  const hidden = put.flatMap(({ whole_args }, index) =>
    whole_args === undefined ? [] : [[String(index), whole_args]],
  )
  const urlOf = (index: number) =>
    `/api/agents/${agent_id}/chat/hitl/${pending_id}/threads/${thread_id}/args/${index}`
  return {
    pending: {
      pending_id,
      action_requests: put.map(({ allowed_decisions, whole_args, ...request }, index) => ({
        ...request,
        ...(whole_args === undefined ? {} : { args_url: urlOf(index) }),
      })),
      review_configs: put.map(({ name, allowed_decisions }) => ({
        action_name: name,
        allowed_decisions: [...allowed_decisions],
      })),
      expires_at,
    },
    whole_args: hidden.length > 0 ? Object.fromEntries(hidden) : undefined,
  }
}

/** The requests that are put at a time: the others come when these are decided. */
function firstOf(requests: readonly Request[]): readonly Request[] {
  let characters = 0
  const end = requests.findIndex(({ whole_args = '' }, index) => {
    characters += whole_args.length
    return index === MOST_REQUESTS || (index > 0 && characters > MAX_WHOLE_CHARACTERS)
  })
  return end < 0 ? requests : requests.slice(0, end)
}
