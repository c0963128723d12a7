import type {
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider'
import type { TokenUsage } from '#plugin-api'
import type { FinishPart, ModelPart } from '../../providers/types.ts'

/** Receives a model's answer while it arrives. */
export interface ModelListener {
  onText(text: string): void
  onReasoning(text: string): void
  onToolCall(call: { id: string; name: string; input: string }): void
}

/** The outcome of one model call; times are in milliseconds, `first_token_ms` is null if nothing was said. */
export interface ModelAnswer {
  content: LanguageModelV3Content[]
  finishReason: LanguageModelV3FinishReason
  usage: TokenUsage
  first_token_ms: number | null
  ms: number
}

type Spoken = Extract<LanguageModelV3Content, { type: 'text' | 'reasoning' }>
type BlockPart = { type: string; id: string; delta?: string; providerMetadata?: SharedV3ProviderMetadata }

/** Reads one answer of a model, passes on every delta as it arrives, and returns the outcome. */
export async function readAnswer(
  parts: AsyncIterable<ModelPart>,
  listener: ModelListener,
): Promise<ModelAnswer> {
  const content: LanguageModelV3Content[] = []
  const spoken = new Map<string, Spoken>()
  const callIds = new Set<string>()
  const begun = performance.now()
  let first: number | undefined
  let finish: FinishPart | undefined

  const begin = (kind: Spoken['type'], key: string): Spoken => {
    const block: Spoken = { type: kind, text: '' }
    spoken.set(key, block)
    content.push(block)
    return block
  }
  /** Any part of a block may carry metadata such as signatures, which upstreams expect back with the whole block. */
  const extend = (kind: Spoken['type'], { type, id, delta = '', providerMetadata }: BlockPart) => {
    const key = `${kind} ${id}`
    // A later block may reuse the id of an earlier one.
    const block = (type.endsWith('-start') ? undefined : spoken.get(key)) ?? begin(kind, key)
    block.text += delta
    for (const [provider, values] of Object.entries(providerMetadata ?? {}))
      block.providerMetadata = {
        ...block.providerMetadata,
        [provider]: { ...block.providerMetadata?.[provider], ...values },
      }
  }
  /** Some upstreams use the same id for several calls, but decisions and results find their call by its id. */
  const ownId = (given: string): string => {
    const id = given.toWellFormed()
    let own = id
    for (let n = 2; callIds.has(own); n += 1) own = `${id}_${n}`
    callIds.add(own)
    return own
  }
  const add = (part: ModelPart): void => {
    if ('delta' in part) first ??= performance.now()
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        extend('text', part)
        if (part.type === 'text-delta') listener.onText(part.delta)
        return
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        extend('reasoning', part)
        if (part.type === 'reasoning-delta') listener.onReasoning(part.delta)
        return
      case 'tool-call': {
        const call = { ...part, toolCallId: ownId(part.toolCallId) }
        content.push(call)
        listener.onToolCall({ id: call.toolCallId, name: call.toolName, input: call.input })
        return
      }
      case 'finish':
        finish = part
        return
    }
  }

  for await (const part of parts) add(part)
  if (!finish) throw new Error('the model ended its answer without finishing it')
  return {
    content,
    finishReason: finish.finishReason,
    usage: finish.tokens,
    first_token_ms: first === undefined ? null : Math.round(first - begun),
    ms: Math.round(performance.now() - begun),
  }
}
