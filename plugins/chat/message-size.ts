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

/** Returns the length of a message as a model receives it, in characters. */
export const measureMessage = ({ content }: Pick<MessageDocument, 'content'>): number =>
  content.reduce((sum, block) => sum + measureBlock(block), 0)
