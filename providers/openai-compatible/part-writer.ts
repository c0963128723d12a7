import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { toFinishReason } from '../finish-reason.ts'
import { createThoughtSplitter, type ThoughtSplitter } from '../think-tags.ts'
import { type CallDelta, type CallWriter, createCallWriter } from './call-writer.ts'
import {
  type Choice,
  type Chunk,
  type ContentPart,
  type Delta,
  describe,
  findChoice,
  joinTexts,
  toCalls,
  toFile,
  toList,
} from './chunk.ts'
import { createThoughtLists, METADATA_KEY, type ThoughtField, type ThoughtLists } from './thoughts.ts'
import { createUsageReader } from './usage.ts'

/** Creates the writer of one answer, in order; `startsInside` is explained at the splitter of thoughts. */
export function createPartWriter(
  emit: (part: LanguageModelV3StreamPart) => void,
  { startsInside = false } = {},
) {
  let open: 'text' | 'reasoning' | undefined
  let id = ''
  let blocks = 0
  let described = false
  let hasBegun = false
  let isStreamed = false
  let isRefused = false
  let finishReason: string | undefined
  let field: ThoughtField = 'reasoning_content'
  let splitter: ThoughtSplitter | undefined
  let calls: CallWriter | undefined
  let lists: ThoughtLists | undefined
  const usage = createUsageReader()

  function close(data?: object): void {
    if (open === 'text') emit({ type: 'text-end', id })
    else if (open) emit({ type: 'reasoning-end', id, providerMetadata: describeThought(data) })
    open = undefined
  }

  function describeThought(data?: object) {
    if (field === 'reasoning_content' && !data) return undefined
    return { [METADATA_KEY]: { ...(field !== 'reasoning_content' && { field }), ...data } }
  }

  function begin(type: 'text' | 'reasoning'): void {
    close()
    open = type
    id = `${type}-${blocks++}`
    emit({ type: `${type}-start`, id })
  }

  function add(type: 'text' | 'reasoning', delta: string): void {
    if (open !== type) begin(type)
    emit({ type: `${type}-delta`, id, delta })
  }

  function addThought(from: ThoughtField, thought: string): void {
    if (thought === '') return
    field = from
    add('reasoning', thought)
  }

  function addText(text: string): void {
    if (splitter?.isPast) {
      add('text', text)
      return
    }
    splitter ??= createThoughtSplitter(addSplit, { startsInside: startsInside && blocks === 0 })
    splitter.write(text)
  }

  function addSplit(type: 'text' | 'reasoning', piece: string): void {
    if (type === 'reasoning') field = 'tags'
    add(type, piece)
  }

  function addContent(content: unknown): void {
    if (typeof content === 'string') addText(content)
    else if (typeof content === 'number') addText(String(content))
    else for (const part of toList(content)) addPart(part)
  }

  function addPart(part: unknown): void {
    if (typeof part === 'string') {
      addText(part)
      return
    }
    const { type, text, thinking, refusal, image_url } = part as ContentPart
    if (thinking) addThought('parts', joinTexts(thinking))
    else if (type === 'reasoning') addThought('parts', joinTexts(text))
    else if (refusal) addRefusal(refusal)
    else if (image_url) addImage(part)
    else if (typeof text === 'string' && text !== '') addText(text)
  }

  function addRefusal(refusal: unknown): void {
    if (typeof refusal !== 'string') return
    isRefused = true
    add('text', refusal)
  }

  function addImage(image: unknown): void {
    const part = toFile(image)
    if (part) emit(part)
  }

  function addDelta(delta: Delta): void {
    addRareParts(delta)
    addParts(delta)
    if (!isStreamed) isStreamed = hasParts()
  }

  function addParts(delta: Delta): void {
    const thought = delta.reasoning_content || delta.reasoning
    if (thought) addThought(delta.reasoning_content ? 'reasoning_content' : 'reasoning', joinTexts(thought))
    if (delta.reasoning_details) addLists(delta, !thought)
    if (delta.content) addContent(delta.content)
    if (delta.tool_calls) toCalls(delta.tool_calls).forEach(addCall)
  }

  function addRareParts(delta: Delta): void {
    if (delta.reasoning_text) addThought('reasoning', joinTexts(delta.reasoning_text))
    if (delta.thinking_blocks && !delta.reasoning_details) addLists(delta, !delta.reasoning_content)
    if (delta.refusal) addRefusal(delta.refusal)
    if (delta.images) toList(delta.images).forEach(addImage)
    if (delta.function_call && !delta.tool_calls) addCall({ index: 0, function: delta.function_call })
  }

  function addLists(delta: Delta, hasText: boolean): void {
    lists ??= createThoughtLists()
    const text = lists.add(delta)
    if (hasText) addThought('reasoning', text)
  }

  function addCall(delta: CallDelta): void {
    calls ??= createCallWriter(emit, close)
    calls.add(delta)
  }

  /** Adds an answer that is not streamed; some upstreams send the whole once more after its deltas. */
  function addWhole({ object }: Chunk, { message, text }: Choice): void {
    if (message) usage.read(message.usage)
    if (isStreamed || (object === 'chat.completion' && hasParts())) return
    if (message) {
      addParts(message)
      addRareParts(message)
    } else if (typeof text === 'string') addText(text)
  }

  const hasParts = () => blocks > 0 || calls !== undefined

  function finishThoughts(): void {
    const data = lists?.convert()
    if (data && open !== 'reasoning') begin('reasoning')
    close(data)
  }

  return {
    /** True once a chunk had a part of an answer. */
    get hasBegun(): boolean {
      return hasBegun
    },
    /** Returns the error that a choice reports. */
    write(chunk: Chunk): unknown {
      if (!described) emit(describe(chunk))
      described = true
      if (chunk.usage) usage.read(chunk.usage)
      else if (chunk.usageMetadata) usage.read(chunk.usageMetadata)
      const choice = findChoice(chunk.choices)
      if (!choice) return undefined
      hasBegun = true
      const { delta, finish_reason: reason } = choice
      if (typeof delta !== 'object' || !delta) addWhole(chunk, choice)
      else {
        addDelta(delta)
        if (delta.usage) usage.read(delta.usage)
        if (choice.message) addWhole(chunk, choice)
      }
      if (choice.usage) usage.read(choice.usage)
      else if (chunk.x_groq?.usage) usage.read(chunk.x_groq.usage)
      if (reason && typeof reason === 'string' && reason !== 'null') finishReason = reason
      return choice.error
    },
    /**
     * Closes open blocks and writes tool calls and the finish; does nothing and returns false if the answer is not
     * complete: without a finish reason, unless `isDone` and the answer is one that could end here.
     */
    finish(isDone: boolean): boolean {
      const hasCalls = calls !== undefined && calls.count > 0
      if (finishReason === undefined) {
        const couldEnd = hasCalls ? calls!.isWhole() : blocks > 0
        if (!isDone || !couldEnd) return false
      }
      splitter?.end(hasCalls)
      finishThoughts()
      calls?.finish()
      emit({
        type: 'finish',
        finishReason: toFinishReason(isRefused ? 'refusal' : finishReason, hasCalls),
        usage: usage.convert(),
      })
      return true
    },
  }
}
