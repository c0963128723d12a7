import { type ApprovalPolicy, decideByPolicy } from './approval-policy.ts'
import type { ApprovalRequest, Decision } from './frames.ts'
import type { Prompt } from './prompt.ts'
import { describeDecision, nameOf } from './request-text.ts'
import { createReview, type FetchArguments, showRequest } from './review.ts'
import { formatTime } from './time.ts'
import type { View } from './view.ts'

/** One decision for each request; `byPerson` where somebody was asked, who can be asked again. */
export interface Verdict {
  decisions: Decision[]
  byPerson: boolean
}

/** Gives the prompt at which a person can be asked, for as long as `use` takes. */
export type WithPrompt = <Result>(use: (prompt: Prompt) => Promise<Result>) => Promise<Result>

/**
 * Makes the function that has what a paused turn waits for decided: by policy where there is one, else by a person, one
 * request after the other. It gives nothing where some are left open, or once the signal takes the requests back.
 */
export const createApproval = ({
  policy,
  withPrompt,
  commandFor,
  fetchArguments,
  view,
}: {
  policy: ApprovalPolicy | undefined
  /** None where nobody can be asked. */
  withPrompt: WithPrompt | undefined
  /** The command that goes on with a thread. */
  commandFor(thread_id: string): string
  fetchArguments: FetchArguments
  view: View
}) => {
  const decideByRule = (request: ApprovalRequest) =>
    request.review_configs.map(({ allowed_decisions }, index) => {
      const decision = policy && decideByPolicy(policy, allowed_decisions)
      if (decision)
        view.note(`${nameOf(request, index)} ${describeDecision(decision)}, by --approve ${policy}`)
      return decision
    })

  const leaveOpen = ({ thread_id, expires_at }: ApprovalRequest) => {
    view.note(`The turn waits for a decision, until ${formatTime(expires_at)}.`)
    view.note(`Decide with: ${commandFor(thread_id)}${withPrompt ? '' : ' [--approve all|none]'}`)
    return undefined
  }

  const askPerson = (request: ApprovalRequest, known: (Decision | undefined)[], signal: AbortSignal) =>
    withPrompt?.(async (prompt): Promise<Verdict | undefined> => {
      const review = createReview({ prompt, fetchArguments, view, signal })
      const decisions: Decision[] = []
      for (const [index, decision] of known.entries()) {
        const decided = decision ?? (await review(request, index))
        if (signal.aborted) return undefined
        if (!decided) return leaveOpen(request)
        decisions.push(decided)
      }
      return { decisions, byPerson: true }
    })

  return async (request: ApprovalRequest, signal: AbortSignal): Promise<Verdict | undefined> => {
    const known = decideByRule(request)
    if (known.every((decision) => decision !== undefined)) return { decisions: known, byPerson: false }
    if (withPrompt) return askPerson(request, known, signal)
    for (const [index, decision] of known.entries()) if (!decision) showRequest(view, request, index)
    return leaveOpen(request)
  }
}

/** Has what a paused turn waits for decided. */
export type Approval = ReturnType<typeof createApproval>
