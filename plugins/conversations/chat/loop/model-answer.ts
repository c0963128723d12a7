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

/** Converts the result of a call that the upstream has carried out: texts stay as they are, all else is JSON. */
const toResultText = (result: unknown): string =>
  Array.isArray(result) && result.every((part) => typeof part === 'string')
    ? result.join('\n')
    : typeof result === 'string'
      ? result
      : JSON.stringify(result)

/** Adds metadata such as signatures, which any part of a block may carry; upstreams expect them back with the whole block. */
function addMetadata(block: Spoken, metadata: SharedV3ProviderMetadata): void {
  for (const [provider, values] of Object.entries(metadata))
    block.providerMetadata = {
      ...block.providerMetadata,
      [provider]: { ...block.providerMetadata?.[provider], ...values },
    }
}

/** An answer that has begun: its first part has been read, so that it is known to arrive. */
export interface BegunAnswer {
  first: IteratorResult<ModelPart, unknown>
  iterator: AsyncIterator<ModelPart, unknown>
}

/** Reads the first part of an answer. */
export async function beginAnswer(parts: AsyncIterable<ModelPart>): Promise<BegunAnswer> {
  const iterator = parts[Symbol.asyncIterator]()
  return { first: await iterator.next(), iterator }
}

/** Reads one answer of a model that was asked at `begun`, passes on every delta as it arrives, and returns the outcome. */
export async function readAnswer(
  { first, iterator }: BegunAnswer,
  listener: ModelListener,
  begun: number,
): Promise<ModelAnswer> {
  const content: LanguageModelV3Content[] = []
  const files: LanguageModelV3File[] = []
  const spoken = new Map<string, Spoken>()
  const callIds = new Set<string>()
  let firstDeltaAt: number | undefined
  let finish: FinishPart | undefined

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
  try {
    for (let next = first; !next.done; next = await iterator.next()) {
      const part = next.value
      if ('delta' in part) firstDeltaAt ??= performance.now()
      switch (part.type) {
        case 'text-start':
        case 'text-delta':
        case 'text-end':
        case 'reasoning-start':
        case 'reasoning-delta':
        case 'reasoning-end': {
          const type = part.type.startsWith('text') ? 'text' : 'reasoning'
          const key = `${type} ${part.id}`
          // A later block may reuse the id of an earlier one.
          let block = part.type.endsWith('-start') ? undefined : spoken.get(key)
          if (!block) {
            block = { type, text: '' } as Spoken
            spoken.set(key, block)
            content.push(block)
          }
          if (part.providerMetadata) addMetadata(block, part.providerMetadata)
          if (!('delta' in part)) break
          block.text += part.delta
          listener.onText(type === 'text' ? 'content' : 'reasoning', part.delta)
          break
        }
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
  } finally {
    await iterator.return?.()
  }
  if (!finish) throw new Error('the model ended its answer without finishing it')
  return {
    content,
    files,
    ending: toEnding(finish.finishReason),
    usage: finish.tokens,
    first_token_ms: firstDeltaAt === undefined ? null : Math.round(firstDeltaAt - begun),
    ms: Math.round(performance.now() - begun),
  }
}
