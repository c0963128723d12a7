import type { FilterBlock, FilterMessage } from '#plugin-api'
import { FilterFailure } from './form.ts'

/** The most characters of what takes the place of a paragraph. */
const MAX_REPLY_CHARS = 65_536

/** Returns the text of a result. Throws a FilterFailure. */
export function readText(text: unknown): string {
  if (typeof text !== 'string') throw new FilterFailure('its result has neither a text nor a refusal')
  if (text.length > MAX_REPLY_CHARS)
    throw new FilterFailure(`its text is longer than ${MAX_REPLY_CHARS} characters`)
  return text.toWellFormed()
}

/**
 * Returns the messages of a result, which may differ from the original ones in their texts alone, and in images and files that
 * are left out. Throws a FilterFailure.
 */
export function readMessages(
  messages: unknown,
  original: readonly FilterMessage[],
): readonly FilterMessage[] {
  if (messages === original) return original
  if (!Array.isArray(messages)) throw new FilterFailure('its result has neither messages nor a refusal')
  if (messages.length !== original.length)
    throw new FilterFailure(`it returned ${messages.length} messages of ${original.length}`)
  return original.map((message, index) => {
    const returned: unknown = messages[index]
    if (returned === message) return message
    const { role, content } = Object(returned) as Partial<FilterMessage>
    if (role !== message.role || !Array.isArray(content))
      throw new FilterFailure(`its message ${index} is not the one that it received`)
    if (content === message.content) return message
    return Object.freeze({ role, content: readContent(content, message.content, index) })
  })
}

function readContent(
  content: readonly unknown[],
  original: readonly FilterBlock[],
  index: number,
): readonly FilterBlock[] {
  let next = 0
  const blocks = original.flatMap((block): FilterBlock[] => {
    const returned = Object(content[next]) as Record<string, unknown>
    const isSame = content[next] === block
    // Two images may look the same here, so that only the very object tells which one is left out.
    if (!isSame && (block.type === 'image' || block.type === 'file')) return []
    next += 1
    if (isSame) return [block]
    const replacement = returned.type === block.type ? readBlock(block, returned) : undefined
    if (!replacement)
      throw new FilterFailure(`its message ${index} has other blocks than the one that it received`)
    return [Object.freeze(replacement)]
  })
  if (next !== content.length)
    throw new FilterFailure(`its message ${index} has other blocks than the one that it received`)
  return Object.freeze(blocks)
}

/** Returns a block with the text of another one; undefined if that is not of the same form. */
function readBlock(block: FilterBlock, { ...returned }: Record<string, unknown>): FilterBlock | undefined {
  const { text, thinking, id, input, output } = returned
  switch (block.type) {
    case 'text':
      return typeof text === 'string' ? { ...block, text } : undefined
    case 'thinking':
      return typeof thinking === 'string' ? { ...block, thinking } : undefined
    case 'tool_use': {
      const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
      return id === block.id && (isObject || input === block.input) ? { ...block, input } : undefined
    }
    case 'tool_result':
      return id === block.id && typeof output === 'string' ? { ...block, output } : undefined
    default:
      return block
  }
}
