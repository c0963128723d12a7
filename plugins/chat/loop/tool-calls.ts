import type { LanguageModelV3FunctionTool, LanguageModelV3ToolResultPart } from '@ai-sdk/provider'
import type { Tool, ToolContext } from '#plugin-api'
import { bounded, storable } from '../storable.ts'
import type { Request } from './approvals.ts'
import { type HeldOfTurn, type Round, startCall } from './call-at-work.ts'
import { argumentsOf } from './model-context.ts'
import type { RecordedCall } from './recorded-loop.ts'
import type { TurnTools } from './turn-tools.ts'
import type { LoopWriter } from './turn-writer.ts'

/** What became of a held call whose server stopped, or whose agent did. */
const INTERRUPTED = 'This was interrupted while it waited for a decision. What it had done until then stands.'

/** Tells a model which tools there are. */
export function describeTools(tools: readonly Tool[]): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, input_schema }) => ({
    type: 'function',
    name,
    description,
    inputSchema: input_schema as LanguageModelV3FunctionTool['inputSchema'],
  }))
}

/** What is the same for all calls of a turn. */
export type CallFacts = Pick<
  ToolContext,
  'workspace' | 'agent_id' | 'thread_id' | 'user_id' | 'locale' | 'signal'
>

/** One call of a tool; `id` is unique within its turn, `input` JSON as the model wrote it. */
export interface LoopCall {
  toolCallId: string
  toolName: string
  input: string
  /** The id that readers know it by, and the call that delegated it. */
  place: { id: string; parent_tool_call_id?: string }
}

/** What a call came to: a result, or what a person must be asked first. */
export type CallOutcome = { result: LanguageModelV3ToolResultPart } | { requests: Request[] }

/** The end of what a call delegates: its last words, or what a person must be asked first. */
export type Delegated = { text: string } | { requests: Request[] }

/**
 * Runs one call; what it came to is written to the turn before the model is told. One that ran before gives what it gave
 * then; one that is held goes on with what a person decided of its step; one that they were asked about otherwise runs
 * again from its start. Rejects only when aborted.
 */
export async function runToolCall({
  call,
  tools,
  facts,
  writer,
  recorded = { answers: [], steps: [], delegated: [] },
  held,
  delegate,
}: {
  call: LoopCall
  tools: TurnTools
  facts: CallFacts
  writer: LoopWriter
  recorded?: RecordedCall
  held: HeldOfTurn
  delegate(instruction: string): Promise<Delegated>
}): Promise<CallOutcome> {
  const { toolCallId, toolName, input, place } = call
  const part = (output: string, is_error: boolean): CallOutcome => ({
    result: {
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: is_error ? 'error-text' : 'text', value: output },
    },
  })
  if (recorded.result) return part(recorded.result.output, recorded.result.is_error)

  const args = storable(bounded(argumentsOf(input))) as Record<string, unknown>
  const request = { ...place, name: toolName, args }
  const round: Round = { tools, signal: facts.signal, writer, delegate }
  const before = held.take(place.id)
  if (!before && recorded.steps.length > 0) {
    const end = { output: INTERRUPTED, is_error: true }
    writer.onToolResult({ tool_call_id: toolCallId, name: toolName, ...end })
    return part(end.output, end.is_error)
  }
  const end = before
    ? await before.resume(round, recorded.steps)
    : await startCall({ call, request, facts, recorded, held, round })
  return 'requests' in end ? end : part(end.output, end.is_error)
}
