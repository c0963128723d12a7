import type { Locale } from '#kernel'
import type { MessageDocument } from '../documents.ts'

const MAX_TITLE_CHARS = 40

const FORK: Record<Locale, string> = { en: ' (fork)', zh: '（分支）' }

/** Returns a thread's title: the first message, or the names of its files, as one line of at most 40 characters. */
export function toTitle({ content }: Pick<MessageDocument, 'content'>): string {
  const words = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const names = content.flatMap((block) => ('filename' in block ? [block.filename] : []))
  return clip(oneLine(words) || oneLine(names), MAX_TITLE_CHARS)
}

/**
 * Returns the title of a fork: that of its source with a suffix, within the same length; null if the source has none.
 */
export const toForkTitle = (title: string | null, locale: Locale): string | null =>
  title ? clip(title, MAX_TITLE_CHARS - FORK[locale].length) + FORK[locale] : null

const oneLine = (texts: string[]) => texts.join(' ').replace(/\s+/g, ' ').trim()

function clip(text: string, length: number): string {
  // Long texts are cut first, generously, so that they are not split into characters as a whole.
  const characters = [...text.slice(0, 4 * length)]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('')
}
