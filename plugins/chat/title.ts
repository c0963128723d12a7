import type { MessageDocument } from './documents.ts'

const LENGTH = 40

/** A thread's title from the first thing that was said in it: one line of at most 40 characters. */
export function titleOf({ content }: Pick<MessageDocument, 'content'>): string {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join(' ')
  const characters = [...text.replace(/\s+/g, ' ').trim()]
  return characters.length > LENGTH ? `${characters.slice(0, LENGTH - 1).join('')}…` : characters.join('')
}
