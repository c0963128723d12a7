import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'
import { type FilterBlock, type FilterMessage, toResultText } from '#plugin-api'

type Part = Exclude<LanguageModelV3Message['content'], string>[number]

/** The text in place of a text of which a filter has left nothing: upstreams refuse empty ones. */
const REMOVED = '[removed]'

/** Converts a prompt to the messages that filters see. */
export const toFilterMessages = (prompt: LanguageModelV3Prompt): FilterMessage[] =>
  prompt.map((message) => {
    const content =
      message.role === 'system'
        ? [{ type: 'text' as const, text: message.content }]
        : (message.content as Part[]).flatMap((part) => toBlock(part) ?? [])
    return Object.freeze({
      role: message.role,
      content: Object.freeze(content.map((block) => Object.freeze(block))),
    })
  })

function toBlock(part: Part): FilterBlock | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'reasoning':
      return { type: 'thinking', thinking: part.text }
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input } = part
      return { type: 'tool_use', id, name, input: freezeDeep(structuredClone(input)) }
    }
    case 'tool-result': {
      const { toolCallId: id, toolName: name, output } = part
      const is_error = output.type.startsWith('error')
      return { type: 'tool_result', id, name, output: toResultText(output), is_error }
    }
    case 'file': {
      const { mediaType: media_type } = part
      return { type: media_type.startsWith('image/') ? 'image' : 'file', media_type }
    }
    default:
      return undefined
  }
}

function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const item of Object.values(value)) freezeDeep(item)
  return Object.freeze(value)
}

/**
 * Puts the texts that filters have returned into a prompt. An answer of a model that has changed loses its thoughts and
 * signatures, which belong to what the model wrote.
 */
export const applyMessages = (
  prompt: LanguageModelV3Prompt,
  original: readonly FilterMessage[],
  filtered: readonly FilterMessage[],
): LanguageModelV3Prompt =>
  prompt.map((message, index) => {
    const changes = readChanges(original[index]!.content, filtered[index]!.content)
    if (!changes) return message
    if (message.role === 'system')
      return { ...message, content: (filtered[index]!.content[0] as { text: string }).text }
    let position = -1
    const content = (message.content as Part[]).flatMap((part): Part[] => {
      if (!toBlock(part)) return [part]
      position += 1
      const block = changes[position]
      if (message.role === 'assistant' && part.type === 'reasoning') return []
      const changed = block === null ? undefined : block ? withBlock(part, block) : part
      if (!changed) return []
      return [message.role === 'assistant' ? { ...changed, providerOptions: undefined } : changed]
    })
    return { ...message, content } as LanguageModelV3Message
  })

/**
 * Returns for each block what takes its place: undefined if it stays as it is, null if it is left out. Returns undefined
 * if nothing has changed. The lists differ only in texts and in left out files.
 */
function readChanges(
  original: readonly FilterBlock[],
  filtered: readonly FilterBlock[],
): (FilterBlock | null | undefined)[] | undefined {
  if (original === filtered) return undefined
  let next = 0
  let hasChanged = false
  const changes = original.map((block) => {
    const replacement = filtered[next]
    const isLeftOut = (block.type === 'image' || block.type === 'file') && replacement !== block
    if (!isLeftOut) next += 1
    const change = isLeftOut ? null : isSame(block, replacement!) ? undefined : replacement!
    hasChanged ||= change !== undefined
    return change
  })
  return hasChanged ? changes : undefined
}

function isSame(block: FilterBlock, other: FilterBlock): boolean {
  if (block === other) return true
  if (block.type === 'text') return block.text === (other as typeof block).text
  if (block.type === 'thinking') return block.thinking === (other as typeof block).thinking
  if (block.type === 'tool_result') return block.output === (other as typeof block).output
  return block.type !== 'tool_use' || block.input === (other as typeof block).input
}

function withBlock(part: Part, block: FilterBlock): Part {
  if (part.type === 'text' && block.type === 'text')
    return { ...part, text: block.text.trim() === '' ? REMOVED : block.text.toWellFormed() }
  if (part.type === 'tool-call' && block.type === 'tool_use') return { ...part, input: block.input }
  if (part.type === 'tool-result' && block.type === 'tool_result')
    return {
      ...part,
      output: { type: block.is_error ? 'error-text' : 'text', value: block.output.toWellFormed() },
    }
  return part
}
