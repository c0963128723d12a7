import type { LanguageModelV3Message, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { addUsage, type ModelCallOptions, type TokenUsage } from '#plugin-api'
import { CHARACTERS_PER_TOKEN, IMAGE_TOKENS } from '#toolbox'
import { usageOf } from './counted-usage.ts'
import type { Cradle } from './manifest.ts'
import type { ModelCall, ModelCalled, ModelPart } from './types.ts'

/** The tokens reserved for an answer if the limit of the model is not known. */
const OUTPUT_TOKENS = 16_384
/** An output limit that every model accepts, for answers that must be shorter than that. */
const SAFE_OUTPUT_TOKENS = 4096

/** A part of an answer whose tokens are not counted yet. */
export type UncountedPart = Exclude<ModelPart, { type: 'finish' }> | LanguageModelV3StreamPart

/** Reserves the tokens of a call, which may refuse it or limit its answer, makes the call, and stores its usage. */
export async function* meterCall(
  { options, ...call }: ModelCall,
  {
    model,
    provider,
    events,
    extensions,
    stream,
  }: {
    model: string
    provider: ModelCalled['provider']
    stream: (options: ModelCallOptions) => AsyncIterable<UncountedPart>
  } & Pick<Cradle, 'events' | 'extensions'>,
): AsyncGenerator<ModelPart, void, void> {
  const maxOutputTokens = await reserve({ options, ...call }, extensions)
  let usage = null as TokenUsage | null
  let outputChars = 0
  /** Arguments of a call that is not complete. */
  let inputChars = 0
  const estimateAnswer = () => ({
    input_tokens: estimateInput(options),
    output_tokens: Math.ceil((outputChars + inputChars) / CHARACTERS_PER_TOKEN),
  })
  const count = (tokens: TokenUsage) => {
    usage = usage ? addUsage(usage, tokens) : tokens
    outputChars = 0
    inputChars = 0
  }
  const countEstimate = () => {
    const tokens = estimateAnswer()
    count({ ...tokens, total_tokens: tokens.input_tokens + tokens.output_tokens, is_estimated: true })
  }
  let outcome: ModelCalled['outcome'] = 'aborted'
  let first_part_ms: number | null = null
  const started_ms = Date.now()
  const begun = performance.now()
  try {
    for await (const part of stream({ ...options, maxOutputTokens })) {
      first_part_ms ??= performance.now() - begun
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') outputChars += part.delta.length
      else if (part.type === 'tool-input-delta') inputChars += part.delta.length
      else if (part.type === 'tool-call') {
        outputChars += part.toolName.length + part.input.length
        inputChars = 0
      }
      if (part.type !== 'finish' && part.type !== 'restarted') {
        yield part
        continue
      }
      // An answer that failed after a thought has spent tokens as well.
      if (part.usage) count(usageOf(part.usage, estimateAnswer))
      else countEstimate()
      yield part.type === 'finish' ? { ...part, tokens: usage! } : part
    }
    outcome = 'ok'
  } catch (error) {
    if (!options.abortSignal?.aborted) outcome = 'failed'
    throw error
  } finally {
    const ms = performance.now() - begun
    if (outcome !== 'ok' && outputChars + inputChars > 0) countEstimate()
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
  }
}

/** Reserves the tokens of a call; returns the limit of its answer, undefined to send none. */
async function reserve(
  { options, ...call }: ModelCall,
  extensions: Cradle['extensions'],
): Promise<number | undefined> {
  const { maxOutputTokens: limit, abortSignal: signal } = options
  const output = limit ?? OUTPUT_TOKENS
  let granted = output
  await extensions['providers.reservations'].ask({
    ...call,
    signal,
    estimate: () => ({ prompt: estimateInput(options), output }),
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
