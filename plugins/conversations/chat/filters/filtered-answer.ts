import type { SharedV3ProviderMetadata } from '@ai-sdk/provider'
import type { ModelPart } from '../../../models/providers/types.ts'
import { createParagraphs, type Paragraph, type Paragraphs } from './paragraphs.ts'

/** A block of text or thoughts; upstreams may use an id for several blocks, so that each has another one here. */
interface SpokenBlock {
  type: 'text' | 'reasoning'
  id: string
  paragraphs: Paragraphs
  signature?: SharedV3ProviderMetadata
}

type Delta = Extract<ModelPart, { type: 'text-delta' | 'reasoning-delta' }>

/** Thrown in place of a paragraph to end an answer. */
export class AnswerWithheld extends Error {}

/**
 * Yields the parts of an answer with its text and thoughts as `pass` returns them: each paragraph once it is whole, and the
 * last one before what follows the text. Signatures come last, and not at all if a text has changed. If `pass` throws an
 * AnswerWithheld, the answer ends with what has passed, and with the part that `toEnd` returns.
 */
export async function* filterAnswer(
  parts: AsyncIterable<ModelPart>,
  {
    pass,
    toEnd,
    signal,
  }: { pass(text: string): Promise<string>; toEnd(): ModelPart; signal: AbortSignal | undefined },
): AsyncGenerator<ModelPart, void, void> {
  const blocks: SpokenBlock[] = []
  const open = new Map<string, SpokenBlock>()
  let hasChanged = false

  const toDelta = async (
    { type, id }: SpokenBlock,
    { text, space }: Paragraph,
  ): Promise<Delta | undefined> => {
    const passed = text === '' ? '' : await pass(text)
    hasChanged ||= passed !== text
    const delta = passed + space
    return delta === '' ? undefined : { type: `${type}-delta`, id, delta }
  }
  async function* passOn(block: SpokenBlock, paragraphs: readonly Paragraph[]) {
    for (const paragraph of paragraphs) {
      const delta = await toDelta(block, paragraph)
      if (delta) yield delta
    }
  }
  async function* endBlocks() {
    for (const block of open.values()) yield* passOn(block, block.paragraphs.end())
  }
  const begin = (type: SpokenBlock['type'], id: string): SpokenBlock => {
    const block = { type, id: String(blocks.length), paragraphs: createParagraphs() }
    blocks.push(block)
    open.set(`${type} ${id}`, block)
    return block
  }
  const blockOf = (type: SpokenBlock['type'], id: string) => open.get(`${type} ${id}`) ?? begin(type, id)
  const sign = (block: SpokenBlock, metadata: SharedV3ProviderMetadata = {}) => {
    for (const [name, values] of Object.entries(metadata))
      block.signature = { ...block.signature, [name]: { ...block.signature?.[name], ...values } }
  }

  try {
    for await (const part of parts) {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start': {
          yield* endBlocks()
          const block = begin(part.type === 'text-start' ? 'text' : 'reasoning', part.id)
          sign(block, part.providerMetadata)
          yield { type: part.type, id: block.id }
          break
        }
        case 'text-delta':
        case 'reasoning-delta': {
          const block = blockOf(part.type === 'text-delta' ? 'text' : 'reasoning', part.id)
          sign(block, part.providerMetadata)
          yield* passOn(block, block.paragraphs.add(part.delta))
          break
        }
        case 'text-end':
        case 'reasoning-end': {
          const block = blockOf(part.type === 'text-end' ? 'text' : 'reasoning', part.id)
          sign(block, part.providerMetadata)
          yield* passOn(block, block.paragraphs.end())
          break
        }
        case 'tool-input-start':
        case 'tool-result':
        case 'file':
          yield* endBlocks()
          yield part
          break
        case 'tool-call': {
          yield* endBlocks()
          const { providerMetadata, ...call } = part
          yield hasChanged ? call : part
          break
        }
        case 'restarted':
          yield* endBlocks()
          open.clear()
          blocks.length = 0
          hasChanged = false
          yield part
          break
        case 'finish':
          yield* endBlocks()
          if (!hasChanged)
            for (const { type, id, signature } of blocks)
              if (signature) yield { type: `${type}-end`, id, providerMetadata: signature }
          yield part
          break
        default:
          yield part
      }
    }
  } catch (error) {
    if (error instanceof AnswerWithheld) {
      yield toEnd()
      return
    }
    // The text before a failure is kept, as without filters.
    if (!signal?.aborted) yield* endBlocks()
    throw error
  }
}
