import type { Block, MessageDocument } from './documents.ts'

/** How long a block is as a model is told it, in characters; thoughts are not told, and of files only their names. */
export function sizeOfBlock(block: Block): number {
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

/** How long a message is as a model is told it, in characters. */
export const sizeOfMessage = ({ content }: Pick<MessageDocument, 'content'>): number =>
  content.reduce((sum, block) => sum + sizeOfBlock(block), 0)
