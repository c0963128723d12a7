import type {
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import {
  addUsage,
  CHARACTERS_PER_TOKEN,
  type Cost,
  IMAGE_TOKENS,
  type ModelCallOptions,
  type ModelPrice,
  type TokenUsage,
} from '#plugin-api'
import { costOf, estimateCost, readReportedCost } from './call-cost.ts'
import { usageOf } from './counted-usage.ts'
import type { Cradle } from './manifest.ts'
import type { ModelCall, ModelCalled, ModelPart } from './types.ts'

/** The tokens reserved for an answer if the limit of the model is not known. */
const OUTPUT_TOKENS = 16_384
/** An output limit that every model accepts, for answers that must be shorter than that. */
const SAFE_OUTPUT_TOKENS = 4096

/** A part of an answer as its model sends it. */
export type ReceivedPart = Exclude<ModelPart, { type: 'finish' }> | LanguageModelV3StreamPart

/** The meter of one call of a model. */
export type CallMeter = ReturnType<typeof createCallMeter>

/** Creates the meter of one call, which reserves its tokens, counts its answer and stores its usage. */
export function createCallMeter(
  { options, ...call }: ModelCall,
  {
    model,
    price,
    currency,
    provider,
    events,
    extensions,
  }: {
    model: string
    price: ModelPrice | undefined
    /** The currency of the server. */
    currency: string
    provider: ModelCalled['provider']
  } & Pick<Cradle, 'events' | 'extensions'>,
) {
  let usage = null as TokenUsage | null
  let outputChars = 0
  /** Arguments of a call that is not complete. */
  let inputChars = 0
  let first_part_ms: number | null = null
  let started_ms = 0
  let startedAt = 0
  const estimateAnswer = () => ({
    input_tokens: estimateInput(options),
    output_tokens: Math.ceil((outputChars + inputChars) / CHARACTERS_PER_TOKEN),
  })
  const estimateUsage = (): TokenUsage => {
    const tokens = estimateAnswer()
    return { ...tokens, total_tokens: tokens.input_tokens + tokens.output_tokens, is_estimated: true }
  }

  /** Prices an answer; what the upstream itself reports wins. */
  const costOfCall = (tokens: TokenUsage, reported?: LanguageModelV3Usage): Cost | null => {
    const reportedCost = readReportedCost(reported?.raw)
    if (reportedCost?.currency === currency) return reportedCost
    const cache_write_tokens = reported?.inputTokens.cacheWrite
    return costOf(price, { ...tokens, ...(cache_write_tokens !== undefined && { cache_write_tokens }) })
  }

  const settle = (reported?: LanguageModelV3Usage): TokenUsage => {
    first_part_ms ??= performance.now() - startedAt
    const tokens = reported ? usageOf(reported, estimateAnswer) : estimateUsage()
    const priced = { ...tokens, cost: costOfCall(tokens, reported) }
    usage = usage ? addUsage(usage, priced) : priced
    outputChars = 0
    inputChars = 0
    return usage
  }

  return {
    /** Reserves the tokens of the call, which may refuse it; returns its options with the limit of its answer. */
    async begin(): Promise<ModelCallOptions> {
      const maxOutputTokens = await reserve({ options, ...call }, { model, price, extensions })
      started_ms = Date.now()
      startedAt = performance.now()
      return { ...options, maxOutputTokens }
    },

    /** Counts a part of the answer; returns the number of its characters. */
    count(part: ReceivedPart): number {
      let size = 0
      switch (part.type) {
        case 'text-delta':
        case 'reasoning-delta':
          size = part.delta.length
          outputChars += size
          break
        case 'tool-input-start':
          size = part.toolName.length
          break
        case 'tool-input-delta':
          size = part.delta.length
          inputChars += size
          break
        case 'tool-call':
          // Most of it was counted as it came.
          size = part.toolName.length + Math.max(part.input.length - inputChars, 0)
          outputChars += part.toolName.length + part.input.length
          inputChars = 0
      }
      if (size > 0) first_part_ms ??= performance.now() - startedAt
      return size
    },

    /** Counts the tokens of an answer at its end, or when it begins anew; they are estimated if none are `reported`. */
    settle,

    /** Stores the usage of the call and announces its end. */
    async end(outcome: ModelCalled['outcome']): Promise<void> {
      const ms = performance.now() - startedAt
      if (outcome !== 'ok' && outputChars + inputChars > 0) settle()
      const spent = {
        usage,
        is_estimated: usage?.is_estimated === true,
        outcome,
        started_ms,
        ms,
        first_part_ms,
      }
      const called = { ...call, model, provider, ...spent }
      await extensions['providers.usage'].ask(called)
      await events.emit('model.called', called)
    },
  }
}

/** Reserves the tokens of a call; returns the limit of its answer, undefined to send none. */
async function reserve(
  { options, ...call }: ModelCall,
  { model, price, extensions }: { model: string; price: ModelPrice | undefined } & Pick<Cradle, 'extensions'>,
): Promise<number | undefined> {
  const { maxOutputTokens: limit, abortSignal: signal } = options
  const output = limit ?? OUTPUT_TOKENS
  let granted = output
  await extensions['providers.reservations'].ask({
    ...call,
    model,
    signal,
    estimate() {
      const tokens = { prompt: estimateInput(options), output }
      return { ...tokens, cost: estimateCost(price, tokens) }
    },
    limitOutput(tokens) {
      granted = Math.min(granted, tokens)
    },
  })
  if (limit !== undefined) return granted
  // Upstreams refuse a limit above the model's own, which is not known here.
  return granted < output ? Math.min(granted, SAFE_OUTPUT_TOKENS) : undefined
}

/** Estimates the tokens that a call sends. */
function estimateInput({ prompt, tools = [] }: ModelCallOptions): number {
  const messages = prompt.reduce((sum, message) => sum + estimateMessage(message), 0)
  return messages + Math.ceil(JSON.stringify(tools).length / CHARACTERS_PER_TOKEN)
}

function estimateMessage({ content }: LanguageModelV3Message): number {
  if (typeof content === 'string') return Math.ceil(content.length / CHARACTERS_PER_TOKEN)
  let tokens = 0
  for (const part of content) {
    if (part.type === 'file') tokens += IMAGE_TOKENS
    else if (part.type === 'text' || part.type === 'reasoning')
      tokens += part.text.length / CHARACTERS_PER_TOKEN
    else tokens += JSON.stringify(part).length / CHARACTERS_PER_TOKEN
  }
  return Math.ceil(tokens)
}
