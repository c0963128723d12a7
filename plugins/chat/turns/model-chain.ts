import { AppError, type Locale } from '#kernel'
import type { ModelCall, ModelPart, Models, OpenedModel } from '../../providers/types.ts'
import { forOtherModel } from '../loop/model-context.ts'
import { shortenPrompt } from '../loop/shortened-prompt.ts'
import type { TurnNotice } from '../loop/turn-writer.ts'

/** The failures after which another model is asked. */
const FALLBACK_CODES: readonly string[] = ['MODEL_RATE_LIMITED', 'MODEL_UNAVAILABLE']

/** The models of a turn: the one that was chosen, and those that answer in its place. */
export interface ModelChain {
  readonly current: OpenedModel
  /**
   * Calls the current model and returns its answer from the first part on. If it fails before that by a rate limit, an
   * outage or a time-out, the next model is asked, and stays the model of the turn. If the upstream says that the prompt
   * is too long, the model is asked once more with a shorter one.
   */
  ask(call: ModelCall): Promise<AsyncIterable<ModelPart>>
}

/** Creates the chain of a turn; each fallback is asked at most once. */
export function createModelChain(
  opened: OpenedModel,
  {
    fallbacks,
    user_id,
    locale,
    models,
    onNotice,
  }: {
    fallbacks: readonly string[]
    user_id: string
    locale: Locale
    models: Pick<Models, 'open' | 'first_token_ms'>
    onNotice(notice: TurnNotice): void
  },
): ModelChain {
  let current = opened
  let isShortened = false
  const remaining = fallbacks.filter((reference) => reference !== opened.reference)

  /** Opens the next model that can be used. */
  const openNext = async (): Promise<OpenedModel | undefined> => {
    for (let next = remaining.shift(); next !== undefined; next = remaining.shift()) {
      try {
        return await models.open([next], user_id)
      } catch (error) {
        // A fallback that the user cannot use is passed over, like one that does not answer.
        if (!(error instanceof AppError)) throw error
      }
    }
    return undefined
  }

  return {
    get current() {
      return current
    },
    async ask(call) {
      const { abortSignal: signal } = call.options
      let { options } = call
      for (;;) {
        const limit_ms = remaining.length > 0 ? models.first_token_ms : undefined
        try {
          return await begin(current, { ...call, options }, limit_ms)
        } catch (error) {
          signal?.throwIfAborted()
          const { code, details } =
            error instanceof FirstTokenTimeout
              ? { code: 'MODEL_UNAVAILABLE', details: { reason: 'timeout' } }
              : current.explain(error, locale)
          if (code === 'MODEL_CONTEXT_TOO_LONG' && !isShortened) {
            isShortened = true
            options = { ...options, prompt: shortenPrompt(options.prompt) }
            onNotice({ code: 'SHORTENED', details: { model: current.reference } })
            continue
          }
          const next = FALLBACK_CODES.includes(code) ? await openNext() : undefined
          if (!next) throw error
          const from = current.reference
          current = next
          options = { ...options, prompt: forOtherModel(options.prompt) }
          onNotice({
            code: 'MODEL_FALLBACK',
            details: { from, to: current.reference, reason: String(details.reason) },
          })
        }
      }
    },
  }
}

/** The first token of an answer did not come in time. */
class FirstTokenTimeout extends Error {}

/** Waits for the first part of an answer; `limit_ms` is the time that the model has for it, without a limit if undefined. */
async function begin(
  model: OpenedModel,
  call: ModelCall,
  limit_ms: number | undefined,
): Promise<AsyncIterable<ModelPart>> {
  if (limit_ms === undefined) return withFirst(model.stream(call))
  const expired = new AbortController()
  const timer = setTimeout(() => expired.abort(new FirstTokenTimeout()), limit_ms)
  const signals = [expired.signal, ...(call.options.abortSignal ? [call.options.abortSignal] : [])]
  try {
    const options = { ...call.options, abortSignal: AbortSignal.any(signals) }
    return await withFirst(model.stream({ ...call, options }))
  } catch (error) {
    throw expired.signal.aborted ? expired.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

/** Reads the first part ahead. The iterator passes the others on as they are: a generator would cost more for each. */
async function withFirst(parts: AsyncIterable<ModelPart>): Promise<AsyncIterable<ModelPart>> {
  const iterator = parts[Symbol.asyncIterator]()
  let first: Promise<IteratorResult<ModelPart>> | undefined = Promise.resolve(await iterator.next())
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        const next = first ?? iterator.next()
        first = undefined
        return next
      },
      return: (value) => iterator.return?.(value) ?? Promise.resolve({ done: true, value }),
    }),
  }
}
