import type { ReadDocument } from '../../agents/agents/types.ts'

/** The pages of a document that are asked for: one, a range, or one and all that follow, such as `3`, `3-7`, `3-`. */
export const PAGES_PATTERN = '^[1-9]\\d{0,6}(-([1-9]\\d{0,6})?)?$'

/** Some pages of a document; `next_page` is the first one that is left if there are more. */
export interface SelectedPages {
  pages: { page: number; text: string }[]
  next_page?: number
}

/** Selects pages of a document: at least one, and further ones as long as their texts have no more than `most` characters. */
export async function selectPages(
  document: ReadDocument,
  range: string | undefined,
  most: number,
): Promise<SelectedPages> {
  const { first, last } = readRange(range)
  const pages: SelectedPages['pages'] = []
  let length = 0
  for await (const page of document.pages()) {
    if (page.page < first) continue
    if (page.page > last) break
    length += page.text.length
    if (pages.length > 0 && length > most) return { pages, next_page: page.page }
    pages.push(page)
  }
  return { pages }
}

/** Returns the first and the last page of a range; of none, all. */
export function readRange(range: string | undefined) {
  if (range === undefined) return { first: 1, last: Infinity }
  const [first, last] = range.split('-')
  return { first: Number(first), last: last === undefined ? Number(first) : Number(last || Infinity) }
}
