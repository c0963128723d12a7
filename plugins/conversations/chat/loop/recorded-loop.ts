import type { LanguageModelV3Content } from '@ai-sdk/provider'
import type { Decision, LedgerEvent, PendingApproval } from '../ledger/ledger-event.ts'
import type { AnswerEnding } from './model-answer.ts'

/** The recorded facts of one tool call. */
export interface RecordedCall {
  result?: { output: string; is_error: boolean }
  /** The decision whether it may run. */
  approval?: Decision
  /** The answers to its questions, in order. */
  answers: Decision[]
  /** The decisions about its steps while it was running, in order. */
  steps: Decision[]
  /** The steps of the task that it delegated. */
  delegated: RecordedStep[]
}

/** One recorded model call of a loop and what followed; tool calls are found by their ids. */
export interface RecordedStep {
  message_id: string
  /** The reference of the model that answered. */
  model: string
  content: LanguageModelV3Content[]
  ending: AnswerEnding
  calls: Map<string, RecordedCall>
  /** The paths of the pictures that the model sees with the results. */
  pictures: string[]
  /** The messages that contain the results of calls. */
  result_ids: Map<string, string>
}

/** One fact of a loop; `parent` is the tool call that delegated it. */
type Fact = { parent: string | undefined } & (
  | { type: 'said'; message_id: string; kind: 'text' | 'reasoning'; text: string }
  | {
      type: 'answered'
      message_id: string
      model: string
      answer: string | undefined
      ending: AnswerEnding
    }
  | { type: 'returned'; message_id: string; id: string; result: NonNullable<RecordedCall['result']> }
  | { type: 'attached'; path: string }
  | { type: 'decided'; id: string; about: 'call' | 'step' | 'question'; decision: Decision }
)

/**
 * Extracts the steps of a turn from its events, so that its loop can run again with the recorded answers of models,
 * outputs of tools and decisions of people, until it paused or was interrupted.
 */
export const readRecordedLoop = (events: readonly LedgerEvent[]): RecordedStep[] =>
  groupSteps(collectFacts(events), undefined, readParents(events))

/** The delegating call of each call within a delegated task, by the ids that readers see. */
type Parents = ReadonlyMap<string, string>

const readParents = (events: readonly LedgerEvent[]): Parents =>
  new Map(
    events.flatMap(({ type, frame }) =>
      type === 'tool_call' && frame.parent_tool_call_id !== undefined
        ? [[frame.tool_call_id, frame.parent_tool_call_id]]
        : [],
    ),
  )

function collectFacts(events: readonly LedgerEvent[]): Fact[] {
  let pending: PendingApproval | undefined
  return events.flatMap((event): Fact[] => {
    switch (event.type) {
      case 'content':
      case 'reasoning': {
        const { message_id, content: text } = event.frame
        const kind = event.type === 'content' ? 'text' : 'reasoning'
        return [{ type: 'said', parent: undefined, message_id, kind, text }]
      }
      case 'usage': {
        const { message_id, parent_tool_call_id: parent, model } = event.frame
        // Model calls outside of the loop are not repeated.
        if (message_id === undefined) return []
        const { answer, finish_reason: ending = 'complete' } = event
        return [{ type: 'answered', parent, message_id, model, answer, ending }]
      }
      case 'tool_result': {
        const { message_id, tool_call_id: id, output, is_error, parent_tool_call_id: parent } = event.frame
        return [{ type: 'returned', parent, message_id, id, result: { output, is_error } }]
      }
      case 'attachment': {
        const { parent_tool_call_id: parent, path } = event.frame
        return event.for_model && path !== undefined ? [{ type: 'attached', parent, path }] : []
      }
      case 'hitl_required':
        pending = event.frame
        return []
      case 'hitl_resolved':
        return pending ? toDecisionFacts(pending, event.frame.decisions, event.results) : []
      default:
        return []
    }
  })
}

const toDecisionFacts = (
  { action_requests, review_configs }: PendingApproval,
  decisions: Decision[],
  results: readonly string[] = [],
): Fact[] =>
  decisions.map((recorded, index) => {
    const result = results[index]
    const decision: Decision = result === undefined ? recorded : { type: 'respond', message: result }
    const { id, parent_tool_call_id: parent, is_step } = action_requests[index]!
    const isApproval = review_configs[index]!.allowed_decisions.includes('approve')
    const about = is_step ? 'step' : isApproval ? 'call' : 'question'
    return { type: 'decided', parent, id, about, decision }
  })

function groupSteps(
  facts: readonly Fact[],
  delegated_by: string | undefined,
  parents: Parents,
): RecordedStep[] {
  const steps: RecordedStep[] = []
  const said = new Map<string, LanguageModelV3Content[]>()
  const below = new Map<RecordedCall, { id: string; facts: Fact[] }>()

  const callOf = (step: RecordedStep, id: string) => {
    const call = step.calls.get(id) ?? { answers: [], steps: [], delegated: [] }
    step.calls.set(id, call)
    return call
  }
  /** The ids of a delegated task's calls are prefixed with the delegating call and the number of the step. */
  const localId = (id: string) =>
    delegated_by === undefined ? id : id.slice(`${delegated_by}/${steps.length}/`.length)

  /** Returns the call of this loop within which a fact belongs. */
  const callAbove = ({ parent }: Fact): string => {
    let id = parent!
    for (let next = parents.get(id); next !== undefined && next !== delegated_by; next = parents.get(id))
      id = next
    return id
  }

  for (const fact of facts) {
    if (fact.type === 'said') {
      extend(said, fact)
      continue
    }
    const step = steps.at(-1)
    if (fact.parent === delegated_by && fact.type === 'answered') {
      const { message_id, model, answer, ending } = fact
      const content = answer === undefined ? (said.get(message_id) ?? []) : JSON.parse(answer)
      const nothing = { calls: new Map(), pictures: [], result_ids: new Map() }
      steps.push({ message_id, model, content, ending, ...nothing })
    } else if (!step) {
      throw new Error('the events of a turn do not begin with a model call')
    } else if (fact.parent !== delegated_by) {
      const id = callAbove(fact)
      const call = callOf(step, localId(id))
      below.set(call, { id, facts: [...(below.get(call)?.facts ?? []), fact] })
      if ('message_id' in fact) step.result_ids.set(id, fact.message_id)
    } else if (fact.type === 'attached') {
      step.pictures.push(fact.path)
    } else if (fact.type === 'returned') {
      callOf(step, localId(fact.id)).result = fact.result
      step.result_ids.set(fact.id, fact.message_id)
    } else if (fact.type === 'decided') {
      const call = callOf(step, localId(fact.id))
      if (fact.about === 'call') call.approval = fact.decision
      else (fact.about === 'step' ? call.steps : call.answers).push(fact.decision)
    }
  }
  for (const [call, { id, facts }] of below) call.delegated = groupSteps(facts, id, parents)
  return steps
}

function extend(
  said: Map<string, LanguageModelV3Content[]>,
  { message_id, kind: type, text }: Extract<Fact, { type: 'said' }>,
): void {
  const content = said.get(message_id) ?? []
  const last = content.at(-1)
  if (last?.type === type) last.text += text
  else content.push({ type, text })
  said.set(message_id, content)
}
