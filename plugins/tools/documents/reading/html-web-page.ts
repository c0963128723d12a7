import type { Block } from './blocks.ts'
import { parsePage } from './html.ts'
import { selectMainText } from './html-main-text.ts'
import { chooseContent } from './html-page.ts'
import { createPlaceIndex } from './html-places.ts'
import { addPlaces } from './html-runs.ts'
import { findArticleText } from './html-structured-data.ts'
import { createHidingRules, type HidingRules } from './html-styles.ts'

/** A page with less text than that may have it in its data, in characters. */
const MAX_SHELL_CHARS = 400

/** The text of a page. */
export interface WebPageText {
  title?: string
  blocks: Block[]
}

/**
 * Reads the main text of the web page of an address, without menus and boxes, and what its own styles hide. Links have
 * their addresses behind them, pictures are marked, and blocks have their places. Throws like readHtml.
 */
export function readWebPage(source: string, address: string): WebPageText {
  const rules = createHidingRules()
  for (const css of listContents(source, /<style\b[^>]{0,300}>/gi, /<\/style/gi)) rules.add(css)
  const shown = readShown(source, address, rules)
  // A page that hides all of its text shows it by a script.
  const page = shown.blocks.length > 0 ? shown : readShown(source, address)
  const { title, blocks } = page
  const length = blocks.reduce((sum, { text }) => sum + text.length, 0)
  if (length > MAX_SHELL_CHARS) return page
  const data = listContents(source, /<script\b[^>]{0,300}application\/ld\+json[^>]{0,300}>/gi, /<\/script/gi)
  const article = findArticleText(data)
  if (article === undefined || article.length <= 2 * length) return page
  return { title, blocks: article.split(/\n+/).map((text) => ({ kind: 'text', text })) }
}

function readShown(source: string, base: string, rules?: HidingRules): WebPageText {
  const index = createPlaceIndex()
  const { title, pieces, regions } = parsePage(source, { base, index, rules })
  return { title, blocks: addPlaces(selectMainText(chooseContent(pieces), regions, title), index) }
}

/** Returns the contents of the elements that begin and end in some ways. */
function listContents(source: string, begin: RegExp, end: RegExp): string[] {
  const contents: string[] = []
  while (begin.test(source)) {
    end.lastIndex = begin.lastIndex
    const match = end.exec(source)
    if (!match) break
    contents.push(source.slice(begin.lastIndex, match.index))
    begin.lastIndex = end.lastIndex
  }
  return contents
}
