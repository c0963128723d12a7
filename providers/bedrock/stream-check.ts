import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { VENDOR_RESULT } from './converse-reader.ts'

type Part = LanguageModelV3StreamPart
type ToolCall = Extract<Part, { type: 'tool-call' }>

/** The reasons of an end that the client library does not know. */
const REASONS: Record<string, LanguageModelV3FinishReason['unified']> = {
  model_context_window_exceeded: 'length',
  refusal: 'content-filter',
  pause_turn: 'stop',
}

/** The reasons that mean that the model has failed. */
const MALFORMED = /^malformed_/

interface RawEvent {
  message?: string
  stopReason?: string
  start?: { toolUse?: { toolUseId?: string; type?: string } }
  toolUseId?: string
  content?: unknown
  status?: string
}

/**
 * Creates a filter that reads and removes the raw events of an answer: with them it names exceptions, whose names the
 * client library omits, reports exceptions that the library ignores and an answer that ends too early, and marks calls
 * that the vendor ran itself.
 */
export function createStreamCheck(
  initialState: 'open' | 'stopped' = 'open',
): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  let state: 'open' | 'stopped' | 'failed' = initialState
  /** The calls that the vendor runs, by their ids. */
  const vendorCalls = new Map<string, ToolCall | undefined>()

  function* read(part: Part): Generator<Part> {
    if (part.type === 'raw') {
      const [name = '', event] = Object.entries(part.rawValue ?? {})[0] ?? []
      yield* readRaw(name, (event ?? {}) as RawEvent)
    } else if (part.type === 'tool-call' && vendorCalls.has(part.toolCallId)) {
      const call = { ...part, providerExecuted: true, dynamic: true }
      vendorCalls.set(part.toolCallId, call)
      yield call
    } else if (part.type !== 'finish') yield part
    else if (state === 'stopped') yield correctEnd(part)
    else yield fail('ModelStreamErrorException', 'The answer ended before it was finished.')
  }

  function* readRaw(name: string, event: RawEvent): Generator<Part> {
    const { toolUse } = event.start ?? {}
    if (toolUse?.type === 'server_tool_use') vendorCalls.set(toolUse.toolUseId!, undefined)
    if (name === 'messageStop') state = 'stopped'
    if (name === 'messageStop' && MALFORMED.test(event.stopReason ?? ''))
      yield fail('ModelErrorException', `The model returned an unusable answer: ${event.stopReason}.`)
    if (name === VENDOR_RESULT) yield* readVendorResult(event)
    if (name.endsWith('Exception')) yield fail(name, event.message || 'The answer was interrupted.')
  }

  function* readVendorResult({ toolUseId = '', content, status }: RawEvent): Generator<Part> {
    const call = vendorCalls.get(toolUseId)
    if (!call) return
    const { toolCallId, toolName } = call
    // The text of JSON is a value that every reader of results takes.
    const result = JSON.stringify(content ?? null)
    yield { type: 'tool-result', toolCallId, toolName, result, isError: status === 'error', dynamic: true }
  }

  function fail(name: string, message: string): Part {
    state = 'failed'
    return { type: 'error', error: createException(name, message) }
  }

  return new TransformStream({
    transform(part, controller) {
      if (state === 'failed') return
      for (const next of read(part)) controller.enqueue(next)
    },
  })
}

/** Corrects the reason of an end, and tokens that were not counted. */
function correctEnd(part: Extract<Part, { type: 'finish' }>): Part {
  const { finishReason, usage } = part
  const { inputTokens, outputTokens } = usage
  return {
    ...part,
    finishReason: { ...finishReason, unified: REASONS[finishReason.raw ?? ''] ?? finishReason.unified },
    usage: {
      ...usage,
      inputTokens: { ...inputTokens, total: inputTokens.total || undefined },
      outputTokens: { ...outputTokens, total: outputTokens.total || undefined },
    },
  }
}

/** Creates an error with the name that AWS uses. */
const createException = (name: string, message: string) =>
  Object.assign(new Error(message), { name: name[0]!.toUpperCase() + name.slice(1) })
