import type { AgentContext, PermissionOption, SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Approval } from '../approval.ts'
import type { ApprovalRequest, Decision } from '../frames.ts'
import { describeRequest, isQuestion } from '../request-text.ts'
import { fence } from './prompt-content.ts'
import { toolText } from './session-updates.ts'
import { describeCall } from './tool-calls.ts'

const COLUMNS = 100

const CHOICES: readonly { option: PermissionOption; decision: Decision }[] = [
  { option: { optionId: 'allow', name: 'Allow', kind: 'allow_once' }, decision: { type: 'approve' } },
  {
    option: { optionId: 'allow_thread', name: 'Allow in this thread', kind: 'allow_always' },
    decision: { type: 'approve', for_thread: true },
  },
  { option: { optionId: 'reject', name: 'Reject', kind: 'reject_once' }, decision: { type: 'reject' } },
]

const LATE = 'The previous question was answered elsewhere, so your answer was not sent.\n\n'

/**
 * Creates the function that gets the decisions of a paused turn from an editor: calls are decided by permission
 * requests, one after the other; a question is shown, stays open, and is answered by the next prompt.
 */
export const createPermissions = ({
  session_id,
  client,
  send,
  say,
  note,
  stop,
}: {
  session_id: string
  client: AgentContext
  send(update: SessionUpdate): void
  say(text: string): void
  note(text: string): void
  /** Ends the turn if the person does not decide. */
  stop(): void
}) => {
  /** The question shown last, with the decisions about the requests before it. */
  let open: { request: ApprovalRequest; decisions: Decision[] } | undefined
  let answer: string | undefined

  const ask = async (request: ApprovalRequest, index: number, signal: AbortSignal) => {
    const { id, name, args } = request.action_requests[index]!
    const { allowed_decisions } = request.review_configs[index]!
    const choices = CHOICES.filter(({ decision }) => allowed_decisions.includes(decision.type))
    const toolCall: ToolCallUpdate = {
      toolCallId: id,
      status: 'pending',
      ...describeCall(name, args),
      content: [toolText(fence(describeRequest(request, index, COLUMNS).join('\n')))],
    }
    const { outcome } = await client.request(
      'session/request_permission',
      { sessionId: session_id, toolCall, options: choices.map(({ option }) => option) },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    )
    if (outcome.outcome === 'cancelled') return undefined
    const { decision } = choices.find(({ option }) => option.optionId === outcome.optionId) ?? {}
    if (decision?.type === 'approve')
      send({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'in_progress' })
    return decision
  }

  /** Returns a decision; undefined if the person made none or cannot be asked. */
  const askPerson = async (request: ApprovalRequest, index: number, signal: AbortSignal) => {
    try {
      return await ask(request, index, signal)
    } catch (error) {
      if (!signal.aborted) note(`The editor did not ask for permission: ${(error as Error).message}`)
      return undefined
    }
  }

  const approval: Approval = async (request, signal) => {
    const isOpen = open?.request.pending_id === request.pending_id
    const earlierDecisions = isOpen ? open!.decisions : []
    const words = isOpen ? answer : undefined
    if (!isOpen && answer !== undefined) say(LATE)
    const decisions = [...earlierDecisions]
    open = undefined
    answer = undefined
    for (let index = earlierDecisions.length; index < request.action_requests.length; index++) {
      if (isQuestion(request, index)) {
        if (words === undefined || index > earlierDecisions.length) {
          open = { request, decisions }
          say(request.action_requests[index]!.description)
          return undefined
        }
        decisions.push({ type: 'respond', message: words })
        continue
      }
      const decision = await askPerson(request, index, signal)
      if (signal.aborted) return undefined
      if (!decision) {
        stop()
        return undefined
      }
      decisions.push(decision)
    }
    return { decisions, byPerson: true }
  }

  return {
    approval,

    /** The request with the question that the next prompt answers, if there is one. */
    get question() {
      return open?.request
    },

    /** Answers the open question once the turn that asks it is followed again. */
    answer(words: string) {
      answer = words
    },

    /** Withdraws the answer if the turn did not ask for it; returns true if there was one. */
    withdrawAnswer() {
      const isUnused = answer !== undefined
      answer = undefined
      return isUnused
    },

    /** Forgets the open question, which somebody else has answered. */
    forget() {
      open = undefined
    },
  }
}
