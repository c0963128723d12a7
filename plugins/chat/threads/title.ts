import type { MessageDocument } from '../documents.ts'

const LENGTH = 40

/** A thread's title from the first thing that was said in it, or its files: one line of at most 40 characters. */
export function titleOf({ content }: Pick<MessageDocument, 'content'>): string {
  const words = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const names = content.flatMap((block) => ('filename' in block ? [block.filename] : []))
  // Twice as long as a title can be, so that a long text is not taken apart for it.
  const characters = [...(oneLine(words) || oneLine(names)).slice(0, 4 * LENGTH)]
  return characters.length > LENGTH ? `${characters.slice(0, LENGTH - 1).join('')}…` : characters.join('')
}

const oneLine = (texts: string[]) => texts.join(' ').replace(/\s+/g, ' ').trim()
