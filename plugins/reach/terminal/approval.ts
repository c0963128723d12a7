import type { ApprovalRequest, Decision } from './frames.ts'
import { formatTime } from './printable.ts'
import type { Prompt } from './prompt.ts'
import { describeDecision, shortenName } from './request-text.ts'
import { createReview, type FetchArguments, showRequest } from './review.ts'
import type { View } from './view.ts'

/** The values of `--approve`: everything that waits for approval is approved, or everything is rejected. */
const APPROVAL_POLICIES = ['all', 'none'] as const

/** A rule that decides calls without asking a person. */
type ApprovalPolicy = (typeof APPROVAL_POLICIES)[number]

const REJECTED_BY_POLICY = 'Rejected automatically: nobody is there to approve or answer.'

/** Returns the policy with this name; throws if the name is not a policy. */
export function readPolicy(name: string | undefined): ApprovalPolicy | undefined {
  const policy = APPROVAL_POLICIES.find((candidate) => candidate === name)
  if (name !== undefined && !policy)
    throw new Error(`--approve must be ${APPROVAL_POLICIES.join(' or ')}, not "${name}".`)
  return policy
}

/** Decides a call by a policy; undefined for a question, which only a person can answer. */
function decideByPolicy(policy: ApprovalPolicy, allowed: readonly Decision['type'][]): Decision | undefined {
  if (policy === 'none') return { type: 'reject', message: REJECTED_BY_POLICY }
  return allowed.includes('approve') ? { type: 'approve' } : undefined
}

/** One decision for each request; `byPerson` if a person decided, who can be asked again. */
export interface Verdict {
  decisions: Decision[]
  byPerson: boolean
}

/** Opens the prompt at which a person can be asked, until `use` has settled. */
export type WithPrompt = <Result>(use: (prompt: Prompt) => Promise<Result>) => Promise<Result>

/**
 * Creates the function that gets a decision for each request of a paused turn: from the policy, if one is set, otherwise
 * from a person, one request after the other. It returns undefined if a request stays undecided, or once the signal
 * withdraws them.
 */
export const createApproval = ({
  policy,
  withPrompt,
  commandFor,
  fetchArguments,
  view,
}: {
  policy: ApprovalPolicy | undefined
  /** Undefined if nobody can be asked. */
  withPrompt: WithPrompt | undefined
  /** Returns the command that continues a thread. */
  commandFor(thread_id: string): string
  fetchArguments: FetchArguments
  view: View
}) => {
  const decideByRule = (request: ApprovalRequest) =>
    request.review_configs.map(({ allowed_decisions }, index) => {
      const decision = policy && decideByPolicy(policy, allowed_decisions)
      if (decision)
        view.note(`${shortenName(request, index)} ${describeDecision(decision)}, by --approve ${policy}`)
      return decision
    })

  const leaveOpen = ({ thread_id, expires_at }: ApprovalRequest) => {
    view.note(`The turn is waiting for a decision until ${formatTime(expires_at)}.`)
    view.note(`Decide with: ${commandFor(thread_id)}${withPrompt ? '' : ' [--approve all|none]'}`)
    return undefined
  }

  const askPerson = (
    request: ApprovalRequest,
    ruledDecisions: (Decision | undefined)[],
    signal: AbortSignal,
  ) =>
    withPrompt?.(async (prompt): Promise<Verdict | undefined> => {
      const review = createReview({ prompt, fetchArguments, view, signal })
      const decisions: Decision[] = []
      for (const [index, decision] of ruledDecisions.entries()) {
        const decided = decision ?? (await review(request, index))
        if (signal.aborted) return undefined
        if (!decided) return leaveOpen(request)
        decisions.push(decided)
      }
      return { decisions, byPerson: true }
    })

  return async (request: ApprovalRequest, signal: AbortSignal): Promise<Verdict | undefined> => {
    const ruledDecisions = decideByRule(request)
    if (ruledDecisions.every((decision) => decision !== undefined))
      return { decisions: ruledDecisions, byPerson: false }
    if (withPrompt) return askPerson(request, ruledDecisions, signal)
    for (const [index, decision] of ruledDecisions.entries()) if (!decision) showRequest(view, request, index)
    return leaveOpen(request)
  }
}

/** Gets the decisions that a paused turn waits for. */
export type Approval = ReturnType<typeof createApproval>
