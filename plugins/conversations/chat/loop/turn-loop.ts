import { setMaxListeners } from 'node:events'
import type {
  LanguageModelV3Content,
  LanguageModelV3File,
  LanguageModelV3Message,
  LanguageModelV3ToolCall,
} from '@ai-sdk/provider'
import {
  AppError,
  createSemaphore,
  type Ids,
  type ModelCallOptions,
  type Semaphore,
  untilAborted,
} from '#plugin-api'
import type { Request } from './approvals.ts'
import { type CallSettings, MAX_STEPS } from './call-settings.ts'
import { type AskedAgent, carryOut, type DelegatedLoop, MAX_DEPTH } from './delegated-task.ts'
import { type AnswerEnding, type BegunAnswer, readAnswer } from './model-answer.ts'
import { joinMessages, toAnswerMessages } from './model-context.ts'
import { createResultPictures, type ReadPictures } from './pictures.ts'
import { listCallIds, withUniqueIds } from './prompt-changes.ts'
import type { RecordedCall, RecordedStep } from './recorded-loop.ts'
import type { HeldCallsOfTurn } from './running-call.ts'
import { type CallFacts, describeTools, MAX_CALLS, runToolCall, TOO_MANY_CALLS } from './tool-calls.ts'
import type { TurnTools } from './turn-tools.ts'
import type { LoopWriter } from './turn-writer.ts'

/** The answers in a row whose calls the limit of output may cut before the loop ends. */
const MAX_CUT_ANSWERS = 3

/** The result of a call in an answer that the upstream or a filter has withheld or the model has refused. */
const WITHHELD = 'This was not carried out, because a content filter withheld the answer that asked for it.'

/** Identifies a model call of a turn: the number of its step, and the tool call that delegated it, if any. */
export interface ModelStep {
  call_id: string
  step: number
  delegated_by: string | undefined
  /** The references of the models that wrote the answers of this loop. */
  authors: Authors
}

/** The references of the models that wrote messages. */
export type Authors = ReadonlyMap<LanguageModelV3Message, string>

/** The parts that a loop works with. */
export interface LoopParts {
  /** Calls the model; resolves once its answer begins. */
  call(options: ModelCallOptions, step: ModelStep): Promise<{ answer: BegunAnswer; model: string }>
  settings: CallSettings
  max_steps?: number
  ids: Ids
  system: string
  messages: readonly LanguageModelV3Message[]
  tools: TurnTools
  facts: CallFacts
  writer: LoopWriter
  /** The calls that kept running while the turn was paused. */
  heldCalls: HeldCallsOfTurn
  /** The recorded steps from before the turn paused. */
  recorded: readonly RecordedStep[]
  /** Stores a file that the model has made in the workspace. */
  keepFile(file: LanguageModelV3File): Promise<{ path: string; media_type: string }>
  /** Reads the pictures of results for the model. */
  readPictures: ReadPictures
  /** Opens the agent that a task is delegated to. Throws a sentence for the model if the account cannot use it. */
  openAgent(agent_id: string): Promise<AskedAgent>
  /** Describes a failed model call for a model. */
  explain(error: unknown): string
}

/**
 * The end of a loop with the text of its last answer, or the requests that a person must decide before it can continue.
 */
export type LoopEnd =
  | { stop_reason: 'end' | 'length' | 'filtered' | 'refused' | 'max_steps'; text: string }
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

async function loop(parts: LoopParts, permits: Semaphore, task?: DelegatedLoop): Promise<LoopEnd> {
  const { delegated_by, depth = 0 } = task ?? {}
  const { system, messages, tools, facts, writer, recorded, heldCalls, max_steps = MAX_STEPS } = parts
  const prompt: LanguageModelV3Message[] = [{ role: 'system', content: system }, ...joinMessages(messages)]
  const usedIds = new Set(listCallIds(prompt))
  const showPictures = createResultPictures(parts.readPictures)
  const authors = new Map<LanguageModelV3Message, string>()
  let text = ''
  let hasSpoken = false
  let cutAnswers = 0
  for (let step = 0; step < max_steps; step += 1) {
    const recordedStep = recorded[step]
    if (recordedStep) writer.resume(recordedStep)
    const answer = recordedStep
      ? { ...recordedStep, isEmpty: false }
      : await askModel(parts, prompt, { step, delegated_by, authors })
    const { content, ending } = answer
    const add = (messages: readonly LanguageModelV3Message[]) => {
      for (const message of messages) authors.set(message, answer.model)
      prompt.push(...messages)
    }
    text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    hasSpoken ||= text.trim() !== ''
    const calls = content.filter(
      (part): part is LanguageModelV3ToolCall => part.type === 'tool-call' && !part.providerExecuted,
    )
    // The model reads the results from its next step on.
    for (const part of content) if (part.type === 'tool-result') facts.material.note(part.toolName)
    const isWithheld = ending === 'filtered' || ending === 'refused'
    if (calls.length === 0 && ending === 'to_be_continued') {
      add(toAnswerMessages(content, { isContinued: true }))
      continue
    }
    if (calls.length === 0 && !isWithheld) {
      if (ending === 'length') return { stop_reason: 'length', text }
      if (answer.isEmpty && !hasSpoken) throw new AppError('EMPTY_ANSWER')
      return { stop_reason: 'end', text }
    }
    cutAnswers = ending === 'length' ? cutAnswers + 1 : 0

    if (!recorded[step + 1]) await tools.refresh()
    const outcomes = await Promise.all(
      calls.map(({ toolCallId, toolName, input }, index) => {
        const recordedCall = recordedStep?.calls.get(toolCallId.toWellFormed())
        let hasDelegated = false
        return runToolCall({
          call: {
            toolCallId,
            toolName,
            input,
            position: toPlace(toolCallId, step + 1, delegated_by),
            isCut: ending === 'length' && index === calls.length - 1,
          },
          tools,
          facts,
          writer,
          recorded: recordedCall,
          heldCalls,
          permits,
          refusal: isWithheld ? WITHHELD : index >= MAX_CALLS ? TOO_MANY_CALLS : undefined,
          async delegate(instruction, to) {
            if (depth === MAX_DEPTH) throw new Error('this task cannot be delegated further')
            if (hasDelegated) throw new Error('a call can delegate only once')
            hasDelegated = true
            // Its instruction is not the person's own words.
            facts.material.note(toolName)
            return carryOut({ instruction, to }, parts, (inner, task) => loop(inner, permits, task), {
              tool_call_id: toolCallId,
              delegated_by: toPlace(toolCallId, step + 1, delegated_by).id,
              depth: depth + 1,
              recorded: recordedCall?.delegated ?? [],
            })
          },
        })
      }),
    )
    if (isWithheld) return { stop_reason: ending, text }
    for (const { toolName } of calls) facts.material.note(toolName)
    const requests = outcomes.flatMap((outcome) => ('requests' in outcome ? outcome.requests : []))
    if (requests.length > 0) return { stop_reason: 'paused', requests }
    if (cutAnswers === MAX_CUT_ANSWERS) return { stop_reason: 'length', text }
    const exchange = [
      ...toAnswerMessages(recordedStep ? asEdited(content, recordedStep.calls) : content),
      ...outcomes.flatMap((outcome) =>
        'result' in outcome ? [{ role: 'tool' as const, content: [outcome.result] }] : [],
      ),
    ]
    add(withUniqueIds(exchange, usedIds, step))
    const pictures = outcomes.flatMap((outcome) => ('pictures' in outcome ? outcome.pictures : []))
    await showPictures([...(recordedStep?.pictures ?? []), ...pictures], prompt)
  }
  return { stop_reason: 'max_steps', text }
}

/** The part of a model's answer that the loop uses. */
interface StepAnswer {
  content: LanguageModelV3Content[]
  ending: AnswerEnding
  /** True if it neither says anything nor has a file. */
  isEmpty: boolean
  /** The reference of the model that answered. */
  model: string
}

async function askModel(
  { call, settings, ids, tools, facts, writer, keepFile }: LoopParts,
  prompt: LanguageModelV3Message[],
  step: Omit<ModelStep, 'call_id'>,
): Promise<StepAnswer> {
  const call_id = ids.make('call_')
  const options = {
    prompt,
    tools: describeTools(tools.list()),
    ...settings,
    abortSignal: facts.signal,
  }
  writer.beginMessage()
  const begun = performance.now()
  const { answer: begunAnswer, model } = await call(options, { call_id, ...step })
  const { content, files, ending, usage, first_token_ms, ms } = await readAnswer(begunAnswer, writer, begun)
  // The frames contain the text of the last answer; a turn that continues needs everything else.
  const isInFrames =
    step.delegated_by === undefined && content.every(({ type }) => type === 'text' || type === 'reasoning')
  const answer = isInFrames ? undefined : JSON.stringify(content)
  writer.onUsage({
    call_id,
    usage,
    model,
    answer,
    ...(ending !== 'complete' && { finish_reason: ending }),
    first_token_ms,
    ms,
  })
  // The frame of the usage makes the message, also if that has no text.
  for (const file of files) writer.onDrawnFile(await keepFile(file))
  const isEmpty = files.length === 0 && !content.some((part) => part.type === 'text' && part.text.trim())
  return { content, ending, isEmpty, model }
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
