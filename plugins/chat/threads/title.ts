import type { Locale } from '#kernel'
import type { MessageDocument } from '../documents.ts'

const LENGTH = 40

const FORK: Record<Locale, string> = { en: ' (fork)', zh: '（分支）' }

/** A thread's title from the first thing that was said in it, or its files: one line of at most 40 characters. */
export function titleOf({ content }: Pick<MessageDocument, 'content'>): string {
  const words = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const names = content.flatMap((block) => ('filename' in block ? [block.filename] : []))
  return clip(oneLine(words) || oneLine(names), LENGTH)
}

/** A fork's title from that of its source, as long as titles are; null where that has none yet. */
export const forkTitleOf = (title: string | null, locale: Locale): string | null =>
  title ? clip(title, LENGTH - FORK[locale].length) + FORK[locale] : null

const oneLine = (texts: string[]) => texts.join(' ').replace(/\s+/g, ' ').trim()

function clip(text: string, length: number): string {
  // Twice as long as a title can be, so that a long text is not taken apart for it.
  const characters = [...text.slice(0, 4 * length)]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('')
}
