/** The longest data that is looked at, in characters, and how deep. */
const MAX_DATA_CHARS = 2 * 1024 * 1024
const MAX_DEPTH = 10

/** Returns the text of the article that the structured data (JSON-LD) of a page have; undefined if they have none. */
export function findArticleText(sources: readonly string[]): string | undefined {
  for (const source of sources) {
    if (source.length > MAX_DATA_CHARS) continue
    try {
      const text = findBody(JSON.parse(source), MAX_DEPTH)
      if (text !== undefined) return text
    } catch (error) {
      // Pages often have data with errors.
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  return undefined
}

function findBody(data: unknown, depth: number): string | undefined {
  if (typeof data !== 'object' || data === null || depth === 0) return undefined
  if ('articleBody' in data && typeof data.articleBody === 'string') return data.articleBody
  for (const value of Object.values(data)) {
    const text = findBody(value, depth - 1)
    if (text !== undefined) return text
  }
  return undefined
}
