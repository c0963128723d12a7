import { setTimeout as pause } from 'node:timers/promises'
import { APICallError, type LanguageModelV3StreamPart } from '@ai-sdk/provider'
import {
  AppError,
  type ExplainedFailure,
  type ModelCallOptions,
  type ProviderFailure,
  type StreamingModel,
} from '#plugin-api'
import type { AdaptedCall } from './lessons.ts'
import type { CallMeter } from './metered-call.ts'
import type { Pace } from './pace.ts'
import type { ModelCalled, ModelPart } from './types.ts'
import { readReport } from './upstream-report.ts'

const MAX_RETRIES = 2

/** The pause before the first retry; the second pause is three times as long. */
const FIRST_PAUSE_MS = 400

/** The longest `retry-after` of an upstream that is respected; after a longer one, its refusal is final. */
const MAX_PAUSE_MS = 30_000

/**
 * The longest answer, including thoughts and arguments: more than any model writes at once. The stored answer must fit
 * in one document, and regular expressions fail with one match of three million characters.
 */
const MAX_ANSWER_CHARS = 2.5 * 1024 * 1024

/** The failures that a retry may resolve. */
const TRANSIENT: readonly ProviderFailure[] = ['rate_limit', 'outage', 'unreachable']

/** The answers of a call without any text, call or file after which the model is asked again. */
const MAX_EMPTY_ANSWERS = 1

/**
 * Calls a model at its provider's pace and yields the parts of its answer, which its meter counts. A transient failure and
 * an empty answer are retried as long as the model has said nothing but thoughts; the `retry-after` of an upstream holds
 * for all calls of the provider. A call that the upstream refuses is repeated with the change that the refusal asks for.
 * Throws the errors that the model throws or reports, and MODEL_ANSWER_TOO_LONG.
 */
export async function* streamModel({
  model,
  admit,
  meter,
  adapt,
  pace,
  account_id,
  maxConcurrency,
  explain,
  describeAdapted,
}: {
  model: StreamingModel
  /** Throws if the call is not allowed. */
  admit?: () => Promise<void>
  meter: CallMeter
  /** Applies what earlier refusals of the upstream have shown. */
  adapt(options: ModelCallOptions): AdaptedCall
  pace: Pace
  account_id: string
  /** The most concurrent calls to the provider. */
  maxConcurrency: number
  explain(error: unknown): ExplainedFailure
  /** Describes a call that went without its pictures. */
  describeAdapted(): Extract<ModelPart, { type: 'notice' }>
}): AsyncGenerator<ModelPart, void, void> {
  await admit?.()
  const options = await meter.begin()
  const { abortSignal: signal } = options
  let outcome: ModelCalled['outcome'] = 'aborted'
  let release: (() => void) | undefined
  let retries = 0
  let emptyAnswers = 0
  try {
    const call = adapt(options)
    release = await pace.acquire(maxConcurrency, account_id, signal)
    for (;;) {
      await pace.waitForRest(signal)
      let reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart> | undefined
      /** Parts before a thought wait for it, and text for the first words, so that a retry does not yield them twice. */
      const heldBack: LanguageModelV3StreamPart[] = []
      let length = 0
      let hasAnswer = false
      let isRepeated = false
      try {
        reader = (await model.doStream(call.options)).stream.getReader()
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          const part = next.value
          if (part.type === 'error') throw part.error
          if (part.type === 'finish') {
            assertFinished(part)
            isRepeated = !hasAnswer && shouldHaveAnswered(part) && emptyAnswers < MAX_EMPTY_ANSWERS
            if (isRepeated) {
              meter.settle(part.usage)
              yield { type: 'restarted', usage: part.usage }
              break
            }
          }
          hasAnswer ||= isAnswer(part)
          const isBlank = !hasAnswer && isText(part)
          const size = isBlank ? 0 : meter.count(part)
          length += size
          if (length > MAX_ANSWER_CHARS)
            throw new AppError('MODEL_ANSWER_TOO_LONG', { limit: MAX_ANSWER_CHARS })
          if (isBlank || (size === 0 && (length === 0 || heldBack.length > 0))) {
            heldBack.push(part)
            continue
          }
          if (heldBack.length > 0) {
            if (call.accept()) yield describeAdapted()
            yield* countAll(hasAnswer ? heldBack.splice(0) : takeUnspoken(heldBack), meter)
          }
          yield part.type === 'finish' ? { ...part, tokens: meter.settle(part.usage) } : part
        }
        signal?.throwIfAborted()
        if (isRepeated) {
          emptyAnswers += 1
          continue
        }
        if (heldBack.length > 0 && call.accept()) yield describeAdapted()
        yield* countAll(heldBack, meter)
        outcome = 'ok'
        return
      } catch (error) {
        if (hasAnswer || signal?.aborted) throw error
        const failure = explain(error)
        if (!call.adapt(readReport(error), failure)) {
          if (retries === MAX_RETRIES) throw error
          const { reason, retry_after_ms: retryAfterMs } = failure
          if (!TRANSIENT.includes(reason) || (retryAfterMs ?? 0) > MAX_PAUSE_MS) throw error
          const ms = retryAfterMs ?? FIRST_PAUSE_MS * 3 ** retries
          if (reason === 'rate_limit') pace.rest(ms)
          else await pause(ms, undefined, { signal })
          retries += 1
        }
        if (length > 0) {
          // An answer that failed after a thought has spent tokens as well.
          meter.settle()
          yield { type: 'restarted' }
        }
      } finally {
        // Rejects only with the error of the stream itself.
        void reader?.cancel().catch(() => undefined)
      }
    }
  } catch (error) {
    if (!signal?.aborted) outcome = 'failed'
    throw error
  } finally {
    release?.()
    await meter.end(outcome)
  }
}

/** Counts parts that were held back. */
function* countAll(parts: readonly LanguageModelV3StreamPart[], meter: CallMeter): Generator<ModelPart> {
  for (const part of parts) {
    meter.count(part)
    yield part.type === 'finish' ? { ...part, tokens: meter.settle(part.usage) } : part
  }
}

const isText = ({ type }: LanguageModelV3StreamPart) => type.startsWith('text-')

/** Takes the parts that are not text out of those that wait. */
function takeUnspoken(heldBack: LanguageModelV3StreamPart[]): LanguageModelV3StreamPart[] {
  const unspoken = heldBack.filter((part) => !isText(part))
  heldBack.splice(0, heldBack.length, ...heldBack.filter(isText))
  return unspoken
}

type Finish = Extract<LanguageModelV3StreamPart, { type: 'finish' }>

/**
 * Throws for an answer that was cut off, which client libraries report as finished for an unknown reason, and for one
 * that the upstream ended with an error.
 */
function assertFinished({ finishReason: { unified, raw } }: Finish): void {
  const isCut = unified === 'other' && raw === undefined
  if (!isCut && unified !== 'error') return
  const message = isCut
    ? 'The answer ended before it was finished.'
    : `The answer ended with "${raw ?? 'error'}".`
  throw new APICallError({ message, url: '', requestBodyValues: undefined, data: { message } })
}

/** True for an end that an answer without any content does not explain. */
const shouldHaveAnswered = ({ finishReason: { unified, raw } }: Finish) =>
  unified !== 'length' && unified !== 'content-filter' && raw !== 'refusal' && raw !== 'pause_turn'

/** True for a part of what the model answers, after which the call is not repeated. */
function isAnswer(part: LanguageModelV3StreamPart): boolean {
  if (part.type === 'text-delta') return part.delta.trim() !== ''
  return part.type === 'tool-input-start' || part.type === 'tool-call' || part.type === 'file'
}
