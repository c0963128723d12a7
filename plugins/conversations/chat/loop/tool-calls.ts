import type { LanguageModelV3FunctionTool, LanguageModelV3ToolResultPart } from '@ai-sdk/provider'
import type { Semaphore, Tool, ToolContext } from '#plugin-api'
import { boundJson, sanitizeForStorage } from '../sanitize.ts'
import type { Request } from './approvals.ts'
import { parseArguments } from './call-arguments.ts'
import { isRemote } from './client-tools.ts'
import type { RecordedCall } from './recorded-loop.ts'
import { type HeldCallsOfTurn, type Round, startCall } from './running-call.ts'
import type { MaterialLog } from './turn-material.ts'
import type { TurnTools } from './turn-tools.ts'
import type { LoopWriter } from './turn-writer.ts'

/** The result of a held call whose server or agent was stopped. */
const INTERRUPTED =
  'This was interrupted while it waited for a decision. What it had done before then is not undone.'

/** The most calls of one answer of a model that are carried out. */
export const MAX_CALLS = 64

/** The result of a call of an answer that has too many. */
export const TOO_MANY_CALLS = `This was not carried out: at most ${MAX_CALLS} calls can be made at once.`

/** Describes tools for a model. */
export function describeTools(tools: readonly Tool[]): LanguageModelV3FunctionTool[] {
  return tools.map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.input_schema as LanguageModelV3FunctionTool['inputSchema'],
    ...(isRemote(tool) && tool.strict !== undefined && { strict: tool.strict }),
  }))
}

/** The facts that all calls of a turn share. */
export interface CallFacts
  extends Pick<ToolContext, 'workspace' | 'agent_id' | 'thread_id' | 'user_id' | 'locale' | 'signal'> {
  material: MaterialLog
  /** Returns the number of a source in the turn. */
  numberOf(source_id: string): number
}

/** One call of a tool; `id` is unique within its turn, `input` is JSON as the model wrote it. */
export interface LoopCall {
  toolCallId: string
  toolName: string
  input: string
  /** The id that readers see, and the call that delegated it. */
  position: { id: string; parent_tool_call_id?: string }
  /** True if the limit of output ended the answer in or after this call. */
  isCut: boolean
}

/** The outcome of a call: its result with the paths of its pictures, or the requests that a person must decide first. */
type CallOutcome =
  | { result: LanguageModelV3ToolResultPart; pictures: readonly string[] }
  | { requests: Request[] }

/** The outcome of a delegated task: its last text, or the requests that a person must decide first. */
export type Delegated = { text: string } | { requests: Request[] }

/** Has an instruction carried out by the same agent or another one. */
export type Delegate = (instruction: string, to?: { agent_id: string }) => Promise<Delegated>

/**
 * Runs one call; its outcome is written to the turn before the model receives it. A call that ran before returns its
 * recorded output. A held call continues with the decision about its step; a call that was paused otherwise runs again
 * from its start. Rejects only when aborted.
 */
export async function runToolCall({
  call,
  tools,
  facts,
  writer,
  recorded = { answers: [], steps: [], delegated: [] },
  heldCalls,
  permits,
  refusal,
  delegate,
}: {
  call: LoopCall
  tools: TurnTools
  facts: CallFacts
  writer: LoopWriter
  recorded?: RecordedCall
  heldCalls: HeldCallsOfTurn
  /** The slots of the turn's calls. */
  permits: Semaphore
  /** The result of a call that is not carried out. */
  refusal: string | undefined
  delegate: Delegate
}): Promise<CallOutcome> {
  const { toolCallId, toolName, input, position } = call
  const part = (output: string, is_error: boolean, pictures: readonly string[] = []): CallOutcome => ({
    pictures,
    result: {
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: is_error ? 'error-text' : 'text', value: output },
    },
  })
  if (recorded.result) return part(recorded.result.output, recorded.result.is_error)

  const args = sanitizeForStorage(boundJson(parseArguments(input))) as Record<string, unknown>
  const request = { ...position, name: toolName, args }
  const round: Round = { tools, signal: facts.signal, writer, delegate }
  const heldCall = heldCalls.take(position.id)
  if (refusal !== undefined || (!heldCall && recorded.steps.length > 0)) {
    const end = { output: refusal ?? INTERRUPTED, is_error: true }
    writer.onToolResult({ tool_call_id: toolCallId, name: toolName, ...end })
    return part(end.output, end.is_error)
  }
  const end = heldCall
    ? await heldCall.resume(round, recorded.steps)
    : await startCall({ call, request, facts, recorded, heldCalls, permits, round })
  return 'requests' in end ? end : part(end.output, end.is_error, end.pictures)
}
