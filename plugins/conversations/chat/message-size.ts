import type { Block, MessageDocument } from './documents.ts'

/**
 * Returns the length of a block as a model receives it, in characters; thoughts are left out, and of a file only the
 * path counts.
 */
export function measureBlock(block: Block): number {
  switch (block.type) {
    case 'text':
      return block.text.length
    case 'thinking':
      return 0
    case 'tool_use':
      return JSON.stringify(block.input).length
    case 'tool_result':
      return block.output.length
    default:
      return block.path.length
  }
}

/** Returns the length of a message as its own model receives it, with its thoughts, in characters. */
export function measureMessage({ content, thoughts }: Pick<MessageDocument, 'content' | 'thoughts'>): number {
  let size = thoughts?.length ?? 0
  for (const block of content) size += measureBlock(block)
  return size
}
