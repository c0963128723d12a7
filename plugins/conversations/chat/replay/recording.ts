import type { LanguageModelV3Content } from '@ai-sdk/provider'
import type { ApprovalStep, TokenUsage } from '#plugin-api'
import type { Artifact, Source } from '../documents.ts'
import type { LedgerEvent } from '../ledger/ledger-event.ts'
import type { AnswerEnding } from '../loop/model-answer.ts'

/** The recorded output of a tool call. */
export interface RecordedOutput {
  output: string
  is_error: boolean
  sources: Source[]
}

/** A recorded answer of a model; without usage if the answer was interrupted. */
export interface RecordedAnswer {
  content: LanguageModelV3Content[]
  ending: AnswerEnding
  usage: TokenUsage | null
}

/** The events of a turn, sorted by what returns them in a replay; tool calls have the keys of `toCallKey`. */
export interface Recording {
  /** Answers in order, by the tool call that delegated the conversation; undefined is the turn's own. */
  answers: Map<string | undefined, RecordedAnswer[]>
  /** Outputs in order, by tool call. */
  outputs: Map<string, RecordedOutput[]>
  /** Files in order, by tool call. */
  files: Map<string, Artifact[]>
  /** Questions in order, by tool call. */
  questions: Map<string, string[]>
  /** Steps of running calls that a person decided, in order, by tool call. */
  approvalSteps: Map<string, ApprovalStep[]>
  /** Tool calls that needed a person's approval to run. */
  approvedCalls: Set<string>
}

/**
 * Returns the key of a tool call, because some upstreams use the same ids in each answer. `step` is that of the turn
 * itself.
 */
export const toCallKey = (step: number, tool_call_id: string): string => `${step} ${tool_call_id}`

/** Sorts the events of one turn. */
export function readRecording(events: readonly LedgerEvent[]): Recording {
  const recording: Recording = {
    answers: new Map(),
    outputs: new Map(),
    files: new Map(),
    questions: new Map(),
    approvalSteps: new Map(),
    approvedCalls: new Set(),
  }
  const said = new Map<string, LanguageModelV3Content[]>()
  let step = -1
  for (const [index, event] of events.entries()) {
    switch (event.type) {
      case 'content':
      case 'reasoning': {
        const { message_id, content: text } = event.frame
        const type = event.type === 'content' ? 'text' : 'reasoning'
        const content = said.get(message_id) ?? []
        const last = content.at(-1)
        if (last?.type === type) last.text += text
        else content.push({ type, text })
        said.set(message_id, content)
        break
      }
      case 'tool_call': {
        const { message_id, parent_tool_call_id, tool_call_id: toolCallId, name, input } = event.frame
        if (parent_tool_call_id !== undefined) break
        const call = { type: 'tool-call', toolCallId, toolName: name, input: JSON.stringify(input) } as const
        said.set(message_id, [...(said.get(message_id) ?? []), call])
        break
      }
      case 'usage': {
        const { message_id, parent_tool_call_id, usage } = event.frame
        if (message_id === undefined) break
        const texts = parent_tool_call_id === undefined ? (said.get(message_id) ?? []) : []
        said.delete(message_id)
        const content = event.answer === undefined ? texts : JSON.parse(event.answer)
        if (parent_tool_call_id === undefined) step += 1
        const key = parent_tool_call_id && toCallKey(step, parent_tool_call_id)
        append(recording.answers, key, { content, ending: event.finish_reason ?? 'complete', usage })
        break
      }
      case 'tool_result': {
        const { tool_call_id, output, is_error, sources = [] } = event.frame
        append(recording.outputs, toCallKey(step, tool_call_id), { output, is_error, sources })
        break
      }
      case 'attachment': {
        const { path, filename, media_type } = event.frame
        append(recording.files, toCallKey(step, findMaker(events, index)), { path, filename, media_type })
        break
      }
      case 'hitl_required':
        for (const [n, { id, description, args, is_step }] of event.frame.action_requests.entries())
          if (is_step) append(recording.approvalSteps, toCallKey(step, id), { description, args })
          else if (event.frame.review_configs[n]?.allowed_decisions.includes('approve'))
            recording.approvedCalls.add(toCallKey(step, id))
          else append(recording.questions, toCallKey(step, id), description)
    }
  }
  // The model was still writing this when the turn ended.
  for (const content of said.values())
    append(recording.answers, undefined, { content, ending: 'complete', usage: null })
  return recording
}

/** Finds the tool call that made a file: the next one of the same message and delegation that has a result. */
function findMaker(events: readonly LedgerEvent[], index: number): string {
  const { frame } = events[index] as Extract<LedgerEvent, { type: 'attachment' }>
  const result = events
    .slice(index)
    .find(
      (event) =>
        event.type === 'tool_result' &&
        event.frame.message_id === frame.message_id &&
        event.frame.parent_tool_call_id === frame.parent_tool_call_id,
    )
  return result?.type === 'tool_result' ? result.frame.tool_call_id : ''
}

function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
