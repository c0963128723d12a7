import { setTimeout as pause } from 'node:timers/promises'
import {
  APICallError,
  type LanguageModelV3FinishReason,
  type LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { AppError } from '#kernel'
import type { ExplainedFailure, ModelCallOptions, ProviderFailure, StreamingModel } from '#plugin-api'
import type { Pace } from './pace.ts'

const MAX_RETRIES = 2

/** The pause before the first retry; the second pause is three times as long. */
const FIRST_PAUSE_MS = 400

/** The longest `retry-after` of an upstream that is respected; after a longer one, its refusal is final. */
const MAX_PAUSE_MS = 30_000

/** The longest answer, including thoughts and arguments: the stored answer must fit in one document. */
const MAX_ANSWER_CHARS = 4 * 1024 * 1024

/** The failures that a retry may resolve. */
const TRANSIENT: readonly ProviderFailure[] = ['rate_limit', 'outage', 'unreachable']

/**
 * Calls a model at its provider's pace and yields the parts of its answer. A transient failure is retried before the
 * first delta and never afterwards; the `retry-after` of an upstream holds for all calls of the provider. Throws the
 * errors that the model throws or reports, and MODEL_ANSWER_TOO_LONG.
 */
export async function* streamModel({
  model,
  options,
  pace,
  account_id,
  maxConcurrency,
  explain,
}: {
  model: StreamingModel
  options: ModelCallOptions
  pace: Pace
  account_id: string
  /** The most concurrent calls to the provider. */
  maxConcurrency: number
  explain(error: unknown): ExplainedFailure
}): AsyncGenerator<LanguageModelV3StreamPart, void, void> {
  const { abortSignal: signal } = options
  const release = await pace.acquire(maxConcurrency, account_id, signal)
  try {
    for (let retries = 0; ; retries += 1) {
      await pace.waitForRest(signal)
      let reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart> | undefined
      /** Parts before the first delta are yielded together with it, so that a retry does not yield them twice. */
      const heldBack: LanguageModelV3StreamPart[] = []
      let length = 0
      try {
        reader = (await model.doStream(options)).stream.getReader()
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          const part = next.value
          if (part.type === 'error') throw part.error
          if (part.type === 'finish') assertFinished(part)
          length += countCharacters(part)
          if (length > MAX_ANSWER_CHARS)
            throw new AppError('MODEL_ANSWER_TOO_LONG', { limit: MAX_ANSWER_CHARS })
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
        if (!TRANSIENT.includes(reason) || (asked ?? 0) > MAX_PAUSE_MS) throw error
        const ms = asked ?? FIRST_PAUSE_MS * 3 ** retries
        if (reason === 'rate_limit') pace.rest(ms)
        else await pause(ms, undefined, { signal })
      } finally {
        // Rejects only with the error of the stream itself.
        void reader?.cancel().catch(() => undefined)
      }
    }
  } finally {
    release()
  }
}

/** Throws for an answer that was cut off: client libraries report it as finished for an unknown reason. */
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

function countCharacters(part: LanguageModelV3StreamPart): number {
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
