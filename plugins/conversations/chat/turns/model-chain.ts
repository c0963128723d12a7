import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { AppError, CHARACTERS_PER_TOKEN, type Locale, type ModelCallOptions } from '#plugin-api'
import type { ModelCall, ModelOwner, Models, OpenedModel } from '../../../models/providers/types.ts'
import { type BegunAnswer, beginAnswer } from '../loop/model-answer.ts'
import { forOtherModel, hasPicture, withoutPictures } from '../loop/prompt-changes.ts'
import { MOST_SHORTENINGS, measurePrompt, shortenPrompt } from '../loop/shortened-prompt.ts'
import type { Authors } from '../loop/turn-loop.ts'
import type { TurnNotice } from '../loop/turn-writer.ts'

/** The failures after which another model is asked. */
const FALLBACK_CODES: readonly string[] = ['MODEL_RATE_LIMITED', 'MODEL_UNAVAILABLE']

/** The models of a turn: the one that was chosen, and those that answer in its place. */
export type ModelChain = ReturnType<typeof createModelChain>

/** Creates the chain of a turn; each fallback is asked at most once. */
export function createModelChain(
  opened: OpenedModel,
  {
    fallbacks,
    agent,
    user_id,
    locale,
    models,
    onNotice,
  }: {
    fallbacks: readonly string[]
    /** Names the models. */
    agent: ModelOwner
    user_id: string
    locale: Locale
    models: Pick<Models, 'open' | 'first_token_ms'>
    onNotice(notice: TurnNotice): void
  },
) {
  let current = opened
  let switching: Promise<unknown> = Promise.resolve()
  const shortenings = new WeakMap<readonly LanguageModelV3Message[], number>()
  const notified = new Set<string>()
  const remaining = fallbacks.filter((reference) => reference !== opened.reference)

  /** Opens the next model that can be used. */
  const openNext = async (): Promise<OpenedModel | undefined> => {
    for (let next = remaining.shift(); next !== undefined; next = remaining.shift()) {
      try {
        return await models.open([next], user_id, agent)
      } catch (error) {
        // A fallback that the user cannot use is passed over, like one that does not answer.
        if (!(error instanceof AppError)) throw error
      }
    }
    return undefined
  }

  /** Notifies the reader, once for each model. */
  const notify = (code: TurnNotice['code']) => {
    const model = current.reference
    if (notified.has(`${code} ${model}`)) return
    notified.add(`${code} ${model}`)
    onNotice({ code, details: { model } })
  }

  /** Makes the next model the current one, unless another call of the turn has; false if there is none. */
  const switchFrom = (model: OpenedModel, reason: string): Promise<boolean> => {
    const switched = switching.then(async () => {
      if (current !== model) return true
      const next = await openNext()
      if (!next) return false
      current = next
      onNotice({ code: 'MODEL_FALLBACK', details: { from: model.reference, to: next.reference, reason } })
      return true
    })
    // The caller receives its error.
    switching = switched.catch(() => undefined)
    return switched
  }

  const shortened = (prompt: LanguageModelV3Message[], level: number) =>
    level === 0 ? prompt : shortenPrompt(prompt, level)

  /** Lets this prompt be sent shorter from now on; false if nothing can be left out. */
  const shorten = (prompt: LanguageModelV3Message[]): boolean => {
    const level = shortenings.get(prompt) ?? 0
    const size = measurePrompt(shortened(prompt, level))
    for (let next = level + 1; next <= MOST_SHORTENINGS; next += 1)
      if (measurePrompt(shortenPrompt(prompt, next)) < size) {
        shortenings.set(prompt, next)
        notify('SHORTENED')
        return true
      }
    return false
  }

  /** Fits a call to the current model. */
  const fit = (options: ModelCallOptions, authors: Authors): ModelCallOptions => {
    const { reference, description } = current
    let { prompt, maxOutputTokens } = options
    const isForeign = (message: LanguageModelV3Message) =>
      (authors.get(message) ?? opened.reference) !== reference
    if (prompt.some((message) => message.role === 'assistant' && isForeign(message)))
      prompt = forOtherModel(prompt, isForeign)
    if (current === opened) {
      const level = shortenings.get(options.prompt) ?? 0
      return level === 0 && prompt === options.prompt
        ? options
        : { ...options, prompt: shortened(prompt, level) }
    }
    if (description.input && !description.input.includes('image') && prompt.some(hasPicture)) {
      prompt = withoutPictures(prompt)
      notify('PICTURES_NOT_SEEN')
    }
    const { context_window: window, max_output_tokens: most = Number.POSITIVE_INFINITY } = description
    if (!shortenings.has(options.prompt) && window && measurePrompt(prompt) > window * CHARACTERS_PER_TOKEN)
      shorten(options.prompt)
    if (maxOutputTokens !== undefined) maxOutputTokens = Math.min(maxOutputTokens, most)
    return { ...options, prompt: shortened(prompt, shortenings.get(options.prompt) ?? 0), maxOutputTokens }
  }

  return {
    get current(): OpenedModel {
      return current
    },
    /**
     * Calls the current model and returns its answer from the first part on. If it fails before that by a rate limit, an
     * outage or a time-out, the next model is asked, and stays the model of the turn. If the upstream says that the prompt
     * is too long, the model is asked once more with a shorter one, which later calls with the same list of messages send
     * at once. `authors` tells who wrote which message; the others are fit for the first model.
     */
    async ask(call: ModelCall, authors: Authors): Promise<{ answer: BegunAnswer; model: string }> {
      const { abortSignal: signal, prompt } = call.options
      let shortenedFor: OpenedModel | undefined
      for (;;) {
        const limit_ms = remaining.length > 0 ? models.first_token_ms : undefined
        const model = current
        try {
          const options = fit(call.options, authors)
          return { answer: await begin(model, { ...call, options }, limit_ms), model: model.reference }
        } catch (error) {
          signal?.throwIfAborted()
          const { code, details } =
            error instanceof FirstTokenTimeout
              ? { code: 'MODEL_UNAVAILABLE', details: { reason: 'timeout' } }
              : model.explain(error, locale)
          if (code === 'MODEL_CONTEXT_TOO_LONG' && shortenedFor !== model && shorten(prompt)) {
            shortenedFor = model
            continue
          }
          if (!FALLBACK_CODES.includes(code) || !(await switchFrom(model, String(details.reason))))
            throw error
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
): Promise<BegunAnswer> {
  if (limit_ms === undefined) return beginAnswer(model.stream(call))
  const expired = new AbortController()
  const timer = setTimeout(() => expired.abort(new FirstTokenTimeout()), limit_ms)
  const signals = [expired.signal, ...(call.options.abortSignal ? [call.options.abortSignal] : [])]
  try {
    const options = { ...call.options, abortSignal: AbortSignal.any(signals) }
    return await beginAnswer(model.stream({ ...call, options }))
  } catch (error) {
    throw expired.signal.aborted ? expired.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}
