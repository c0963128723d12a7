import { setMaxListeners } from 'node:events'
import type { LanguageModelV3Content, LanguageModelV3Message } from '@ai-sdk/provider'
import type { Ids } from '#kernel'
import type { ModelCallOptions } from '#plugin-api'
import { createSemaphore, type Semaphore, untilAborted } from '#toolbox'
import type { ModelPart } from '../../providers/types.ts'
import type { Request } from './approvals.ts'
import type { CallSettings } from './call-settings.ts'
import { readAnswer } from './model-answer.ts'
import { assistantMessage } from './model-context.ts'
import type { RecordedCall, RecordedStep } from './recorded-loop.ts'
import type { HeldCallsOfTurn } from './running-call.ts'
import { type CallFacts, type Delegated, describeTools, MAX_CALLS, runToolCall } from './tool-calls.ts'
import type { TurnTools } from './turn-tools.ts'
import type { LoopWriter } from './turn-writer.ts'

/** The most model calls of one turn, and of one delegated task, unless its agent says otherwise. */
const MAX_STEPS = 25

const DELEGATE = `You carry out one task for the agent described above, alone.
Your last message is all that the agent learns of it. Make it complete: what you found or did, and what is left.`

/** Identifies a model call of a turn: the number of its step, and the tool call that delegated it, if any. */
export interface ModelStep {
  call_id: string
  step: number
  delegated_by: string | undefined
}

/** The parts that a loop works with. */
export interface LoopParts {
  /** Calls the model. */
  call(options: ModelCallOptions, step: ModelStep): AsyncIterable<ModelPart>
  settings: CallSettings
  max_steps?: number
  ids: Ids
  system: string
  messages: readonly LanguageModelV3Message[]
  tools: TurnTools
  facts: CallFacts
  writer: LoopWriter
  /** The calls that kept running while the turn was paused. */
  held: HeldCallsOfTurn
  /** The recorded steps from before the turn paused. */
  recorded: readonly RecordedStep[]
  /** Creates the writer for the task that a tool call delegates. */
  delegate(tool_call_id: string): LoopWriter
  /** Describes a failed model call for a model. */
  explain(error: unknown): string
}

/**
 * The end of a loop with the text of its last answer, or the requests that a person must decide before it can continue.
 */
export type LoopEnd =
  | { stop_reason: 'end' | 'max_steps'; text: string }
  | { stop_reason: 'paused'; requests: Request[] }

/**
 * Lets a model write and call tools until it is done or must wait for a person; everything is written to the turn as it
 * happens. Rejects as soon as the signal is aborted, whether or not the model or the tools react to it.
 */
export function runTurnLoop(parts: LoopParts): Promise<LoopEnd> {
  // As many calls as a model makes at once listen to it. With 0, Node 20 cannot tell the number, for which undici asks.
  setMaxListeners(Number.POSITIVE_INFINITY, parts.facts.signal)
  return untilAborted(parts.facts.signal, loop(parts, createSemaphore()))
}

/** Carries out an instruction in a conversation of its own; returns the last answer, or why there is none. */
async function carryOut(
  instruction: string,
  parts: LoopParts,
  permits: Semaphore,
  tool_call_id: string,
  recorded: readonly RecordedStep[],
): Promise<Delegated> {
  const { system, tools, facts, delegate, explain, max_steps = MAX_STEPS } = parts
  try {
    const end = await loop(
      {
        ...parts,
        system: `${system}\n\n${DELEGATE}`,
        messages: [{ role: 'user', content: [{ type: 'text', text: instruction }] }],
        tools: tools.delegable(),
        writer: delegate(tool_call_id),
        recorded,
      },
      permits,
      tool_call_id,
    )
    if (end.stop_reason === 'paused') return end
    return { text: end.stop_reason === 'end' ? end.text : `${end.text}\n[ended after ${max_steps} steps]` }
  } catch (error) {
    facts.signal.throwIfAborted()
    // The original message of an upstream may contain something that a model must not see, such as a key.
    throw new Error(explain(error), { cause: error })
  }
}

async function loop(parts: LoopParts, permits: Semaphore, delegated_by?: string): Promise<LoopEnd> {
  const { system, messages, tools, facts, writer, recorded, held, max_steps = MAX_STEPS } = parts
  const prompt: LanguageModelV3Message[] = [{ role: 'system', content: system }, ...messages]
  let text = ''
  for (let step = 0; step < max_steps; step += 1) {
    const before = recorded[step]
    if (before) writer.resume(before)
    const content = before ? before.content : await askModel(parts, prompt, { step, delegated_by })
    text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const calls = content.filter((part) => part.type === 'tool-call')
    if (calls.length === 0) return { stop_reason: 'end', text }

    if (!recorded[step + 1]) await tools.refresh()
    const outcomes = await Promise.all(
      calls.map(({ toolCallId, toolName, input }, index) => {
        const known = before?.calls.get(toolCallId.toWellFormed())
        let hasDelegated = false
        return runToolCall({
          call: { toolCallId, toolName, input, place: toPlace(toolCallId, step + 1, delegated_by) },
          tools,
          facts,
          writer,
          recorded: known,
          held,
          permits,
          isExcess: index >= MAX_CALLS,
          async delegate(instruction) {
            if (delegated_by !== undefined) throw new Error('what is delegated cannot be delegated further')
            if (hasDelegated) throw new Error('a call can delegate only once')
            hasDelegated = true
            return carryOut(instruction, parts, permits, toolCallId, known?.delegated ?? [])
          },
        })
      }),
    )
    const requests = outcomes.flatMap((outcome) => ('requests' in outcome ? outcome.requests : []))
    if (requests.length > 0) return { stop_reason: 'paused', requests }
    prompt.push(
      assistantMessage(before ? asEdited(content, before.calls) : content),
      ...outcomes.flatMap((outcome) =>
        'result' in outcome ? [{ role: 'tool' as const, content: [outcome.result] }] : [],
      ),
    )
  }
  return { stop_reason: 'max_steps', text }
}

async function askModel(
  { call, settings, ids, tools, facts, writer }: LoopParts,
  prompt: LanguageModelV3Message[],
  place: Omit<ModelStep, 'call_id'>,
): Promise<LanguageModelV3Content[]> {
  const call_id = ids.make('call_')
  const options = {
    prompt,
    tools: describeTools(tools.list()),
    ...settings,
    abortSignal: facts.signal,
  }
  writer.beginMessage()
  const parts = call(options, { call_id, ...place })
  const { content, finishReason, usage, first_token_ms, ms } = await readAnswer(parts, writer)
  // The frames contain the text of the last answer; a turn that continues needs everything else.
  const isTold =
    place.delegated_by === undefined && content.every(({ type }) => type === 'text' || type === 'reasoning')
  const answer = isTold ? undefined : JSON.stringify(content)
  const { unified } = finishReason
  const finish_reason = unified === 'length' || unified === 'content-filter' ? unified : undefined
  writer.onUsage({ call_id, usage, answer, finish_reason, first_token_ms, ms })
  return content
}

/** The ids of a delegated task's calls are numbered, because several answers may contain the same ids. */
const toPlace = (id: string, step: number, delegated_by: string | undefined) =>
  delegated_by === undefined
    ? { id: id.toWellFormed() }
    : {
        id: `${delegated_by}/${step}/${id}`.toWellFormed(),
        parent_tool_call_id: delegated_by.toWellFormed(),
      }

/** Returns the model's answer with the arguments that a person changed. */
const asEdited = (
  content: readonly LanguageModelV3Content[],
  calls: ReadonlyMap<string, RecordedCall>,
): LanguageModelV3Content[] =>
  content.map((part) => {
    const approval =
      part.type === 'tool-call' ? calls.get(part.toolCallId.toWellFormed())?.approval : undefined
    if (part.type !== 'tool-call' || approval?.type !== 'edit') return part
    return { ...part, input: JSON.stringify(approval.edited_action.args) }
  })
