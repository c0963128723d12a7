import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { type EventBus, type TokenUsage, usageOf } from '#kernel'
import type { ModelCall } from './types.ts'

/** Characters that stand for a token when none is counted yet. */
const CHARACTERS_PER_TOKEN = 3
/** About what upstreams count for a picture. */
const FILE_TOKENS = 1500
/** The longest answer that is reckoned with where a model's own limit is not lower, in tokens. */
const OUTPUT_TOKENS = 4096

/** Makes a call known before and after it: listeners may refuse it, and learn what it took. */
export async function* meterCall(
  { options, ...call }: ModelCall,
  {
    model,
    events,
    stream,
  }: {
    model: string
    events: EventBus
    stream: (options: LanguageModelV3CallOptions) => AsyncIterable<LanguageModelV3StreamPart>
  },
): AsyncGenerator<LanguageModelV3StreamPart, void, void> {
  const longest = Math.min(options.maxOutputTokens ?? OUTPUT_TOKENS, OUTPUT_TOKENS)
  await events.emit('model.calling', { ...call, estimateTokens: () => estimateInput(options) + longest })
  let usage: TokenUsage | null = null
  let said = 0
  try {
    for await (const part of stream(options)) {
      if (part.type === 'finish') usage = usageOf(part.usage)
      if ('delta' in part) said += part.delta.length
      yield part
    }
  } finally {
    const is_estimated = usage === null && said > 0
    if (is_estimated) {
      const input_tokens = estimateInput(options)
      const output_tokens = Math.ceil(said / CHARACTERS_PER_TOKEN)
      usage = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens }
    }
    await events.emit('model.called', { ...call, model, usage, is_estimated })
  }
}

/** About how many tokens a call sends. */
function estimateInput({ prompt, tools = [] }: LanguageModelV3CallOptions): number {
  const told = prompt.reduce((sum, message) => sum + tokensOf(message), 0)
  return told + Math.ceil(JSON.stringify(tools).length / CHARACTERS_PER_TOKEN)
}

function tokensOf({ content }: LanguageModelV3Message): number {
  if (typeof content === 'string') return Math.ceil(content.length / CHARACTERS_PER_TOKEN)
  let tokens = 0
  for (const part of content) {
    if (part.type === 'file') tokens += FILE_TOKENS
    else if (part.type === 'text' || part.type === 'reasoning')
      tokens += part.text.length / CHARACTERS_PER_TOKEN
    else tokens += JSON.stringify(part).length / CHARACTERS_PER_TOKEN
  }
  return Math.ceil(tokens)
}
