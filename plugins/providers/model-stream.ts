import { setTimeout as pause } from 'node:timers/promises'
import {
  APICallError,
  type LanguageModelV3FinishReason,
  type LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { AppError } from '#kernel'
import type { ExplainedFailure, ModelCallOptions, ProviderFailure, StreamingModel } from '#plugin-api'
import type { Pace } from './pace.ts'

/** How often a call is repeated. */
const MAX_RETRIES = 2

/** Milliseconds before the first repetition; three times as many before the next. */
const FIRST_PAUSE = 400

/** Milliseconds that an upstream may ask to be left alone; when it asks for more, its refusal is final. */
const LONGEST_PAUSE = 30_000

/** Characters of one answer, thoughts and arguments included: what is stored of it must fit in one document. */
const MAX_ANSWER = 4 * 1024 * 1024

/** Failures that may be gone a moment later. */
const PASSING: readonly ProviderFailure[] = ['rate_limit', 'outage', 'unreachable']

/**
 * Calls a model at its provider's pace and gives the parts of its answer. A passing failure is repeated before the first
 * delta and never afterwards; what an upstream asks for in `retry-after` counts for all calls of the provider. Throws
 * what the model throws or reports, and MODEL_ANSWER_TOO_LONG.
 */
export async function* streamModel({
  model,
  options,
  pace,
  account_id,
  places,
  explain,
}: {
  model: StreamingModel
  options: ModelCallOptions
  pace: Pace
  account_id: string
  /** Calls that the provider takes at a time. */
  places: number
  explain(error: unknown): ExplainedFailure
}): AsyncGenerator<LanguageModelV3StreamPart, void, void> {
  const { abortSignal: signal } = options
  const leave = await pace.enter(places, account_id, signal)
  try {
    for (let retries = 0; ; retries += 1) {
      await pace.rested(signal)
      let reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart> | undefined
      /** What comes before the first delta is given with it, so that a repetition begins anew. */
      const heldBack: LanguageModelV3StreamPart[] = []
      let length = 0
      try {
        reader = (await model.doStream(options)).stream.getReader()
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          const part = next.value
          if (part.type === 'error') throw part.error
          if (part.type === 'finish') assertFinished(part)
          length += lengthOf(part)
          if (length > MAX_ANSWER) throw new AppError('MODEL_ANSWER_TOO_LONG', { limit: MAX_ANSWER })
          if (length === 0) {
            heldBack.push(part)
            continue
          }
          if (heldBack.length > 0) yield* heldBack.splice(0)
          yield part
        }
        signal?.throwIfAborted()
        yield* heldBack
        return
      } catch (error) {
        if (length > 0 || signal?.aborted || retries === MAX_RETRIES) throw error
        const { reason, retry_after_ms: asked } = explain(error)
        if (!PASSING.includes(reason) || (asked ?? 0) > LONGEST_PAUSE) throw error
        const ms = asked ?? FIRST_PAUSE * 3 ** retries
        if (reason === 'rate_limit') pace.rest(ms)
        else await pause(ms, undefined, { signal })
      } finally {
        // It fails only with what the stream itself has failed with.
        void reader?.cancel().catch(() => undefined)
      }
    }
  } finally {
    leave()
  }
}

/** Client libraries end an answer that was cut off like this, though its upstream told no end. */
function assertFinished({
  finishReason: { unified, raw },
}: {
  finishReason: LanguageModelV3FinishReason
}): void {
  if (unified !== 'other' || raw !== undefined) return
  throw new APICallError({
    message: 'The answer ended before it was finished.',
    url: '',
    requestBodyValues: undefined,
  })
}

function lengthOf(part: LanguageModelV3StreamPart): number {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta':
      return part.delta.length
    case 'tool-input-start':
      return part.toolName.length
    case 'tool-call':
      return part.toolName.length + part.input.length
    default:
      return 0
  }
}
