import { Parser } from 'htmlparser2'
import { cutText, isObject, type SearchResult, toLine, toText } from '#plugin-api'

const MAX_TITLE_CHARS = 200
const MAX_SNIPPET_CHARS = 600
const MAX_DATE_CHARS = 40
const MAX_URL_CHARS = 2048

/** HTML of engines that is read for one text; snippets are far shorter. */
const MAX_HTML_CHARS = 8192

/** Elements whose text is not for people. */
const HIDDEN = new Set(['script', 'style'])

/**
 * Returns results as people and models see them: addresses of http and https without credentials, each once; titles, snippets
 * and dates in one line, without HTML. Engines and the pages that they find may contain anything.
 */
export function toPlainResults(results: unknown, count: number): SearchResult[] {
  const byAddress = new Map<string, SearchResult>()
  for (const entry of Array.isArray(results) ? results : []) {
    if (byAddress.size === count) break
    const { url, title, snippet, published_at } = isObject(entry) ? entry : {}
    const address = toAddress(toText(url))
    if (address === undefined || byAddress.has(address)) continue
    const date = toDate(toText(published_at))
    byAddress.set(address, {
      title: toPlainText(toText(title), MAX_TITLE_CHARS) || address,
      url: address,
      snippet: toPlainText(toText(snippet), MAX_SNIPPET_CHARS),
      ...(date && { published_at: date }),
    })
  }
  return [...byAddress.values()]
}

/** Returns an address without its fragment; undefined for one that a page cannot be fetched from. */
function toAddress(text: string): string | undefined {
  if (text.length > MAX_URL_CHARS || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const { protocol, username, password } = url
  if ((protocol !== 'http:' && protocol !== 'https:') || username || password) return undefined
  url.hash = ''
  return url.href.length <= MAX_URL_CHARS ? url.href : undefined
}

/** Returns the day of an ISO date; other dates, such as `3 days ago`, as they are. */
const toDate = (text: string): string =>
  /^\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? cutText(toLine(text), MAX_DATE_CHARS)

function toPlainText(html: string, most: number): string {
  const texts: string[] = []
  let hidden = 0
  const parser = new Parser({
    ontext: (text) => void (hidden === 0 && texts.push(text)),
    onopentag: (name) => void (HIDDEN.has(name) && hidden++),
    onclosetag: (name) => void (HIDDEN.has(name) && hidden--),
  })
  parser.end(cutText(html, MAX_HTML_CHARS))
  return cutText(toLine(texts.join('')), most)
}
