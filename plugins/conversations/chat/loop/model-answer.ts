import type {
  LanguageModelV3Content,
  LanguageModelV3File,
  LanguageModelV3FinishReason,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider'
import type { TokenUsage } from '#plugin-api'
import type { CallNotice, FinishPart, ModelPart } from '../../../models/providers/types.ts'

/** Receives a model's answer while it arrives. */
export interface ModelListener {
  onText(type: 'content' | 'reasoning', text: string): void
  /** `by_provider` if the upstream carries out the call itself. */
  onToolCall(call: { id: string; name: string; input: string; by_provider?: true }): void
  /** Receives the result of a call that the upstream has carried out. */
  onProviderResult?(result: { tool_call_id: string; name: string; output: string; is_error: boolean }): void
  onNotice?(notice: CallNotice): void
}

/**
 * The way in which an answer ends: `filtered` by the upstream, `refused` by the model, or `to_be_continued` once the
 * upstream has it back.
 */
export type AnswerEnding = 'complete' | 'length' | 'filtered' | 'refused' | 'to_be_continued'

/** The outcome of one model call; times are in milliseconds, `first_token_ms` is null if nothing was said. */
export interface ModelAnswer {
  content: LanguageModelV3Content[]
  /** The files that the model has made, such as pictures. */
  files: LanguageModelV3File[]
  ending: AnswerEnding
  usage: TokenUsage
  first_token_ms: number | null
  ms: number
}

const toEnding = ({ unified, raw }: LanguageModelV3FinishReason): AnswerEnding => {
  if (raw === 'refusal') return 'refused'
  if (raw === 'pause_turn') return 'to_be_continued'
  if (unified === 'content-filter') return 'filtered'
  return unified === 'length' ? 'length' : 'complete'
}

type Spoken = Extract<LanguageModelV3Content, { type: 'text' | 'reasoning' }>
type BlockPart = { type: string; id: string; delta?: string; providerMetadata?: SharedV3ProviderMetadata }

/** Converts the result of a call that the upstream has carried out: texts stay as they are, all else is JSON. */
const toResultText = (result: unknown): string =>
  Array.isArray(result) && result.every((part) => typeof part === 'string')
    ? result.join('\n')
    : typeof result === 'string'
      ? result
      : JSON.stringify(result)

/** Reads one answer of a model that was asked at `begun`, passes on every delta as it arrives, and returns the outcome. */
export async function readAnswer(
  parts: AsyncIterable<ModelPart>,
  listener: ModelListener,
  begun: number = performance.now(),
): Promise<ModelAnswer> {
  const content: LanguageModelV3Content[] = []
  const files: LanguageModelV3File[] = []
  const spoken = new Map<string, Spoken>()
  const callIds = new Set<string>()
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
    if (!providerMetadata) return
    for (const [provider, values] of Object.entries(providerMetadata))
      block.providerMetadata = {
        ...block.providerMetadata,
        [provider]: { ...block.providerMetadata?.[provider], ...values },
      }
  }
  /** Some upstreams use the same id for several calls, but decisions and results find their call by its id. */
  const toUniqueId = (sentId: string): string => {
    const id = sentId.toWellFormed()
    let uniqueId = id
    for (let n = 2; callIds.has(uniqueId); n += 1) uniqueId = `${id}_${n}`
    callIds.add(uniqueId)
    return uniqueId
  }
  const restart = () => {
    if (content.some(({ type }) => type === 'reasoning')) listener.onText('reasoning', '\n\n')
    content.length = 0
    files.length = 0
    spoken.clear()
  }
  for await (const part of parts) {
    if ('delta' in part) first ??= performance.now()
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        extend('text', part)
        if (part.type === 'text-delta') listener.onText('content', part.delta)
        break
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        extend('reasoning', part)
        if (part.type === 'reasoning-delta') listener.onText('reasoning', part.delta)
        break
      case 'tool-call': {
        const call = { ...part, toolCallId: toUniqueId(part.toolCallId) }
        content.push(call)
        const { toolCallId: id, toolName: name, input, providerExecuted } = call
        listener.onToolCall({ id, name, input, ...(providerExecuted && { by_provider: true }) })
        break
      }
      case 'tool-result': {
        const { toolCallId: tool_call_id, toolName: name, result, isError: is_error = false } = part
        if (!callIds.has(tool_call_id) || part.preliminary) break
        content.push(part)
        listener.onProviderResult?.({ tool_call_id, name, output: toResultText(result), is_error })
        break
      }
      case 'file':
        files.push(part)
        break
      case 'notice':
        listener.onNotice?.(part)
        break
      case 'restarted':
        restart()
        break
      case 'finish':
        finish = part
        break
    }
  }
  if (!finish) throw new Error('the model ended its answer without finishing it')
  return {
    content,
    files,
    ending: toEnding(finish.finishReason),
    usage: finish.tokens,
    first_token_ms: first === undefined ? null : Math.round(first - begun),
    ms: Math.round(performance.now() - begun),
  }
}
