import { defineSearchEngine, readSearchAnswer, SearchFailure, toObjects, toText } from '#plugin-api'
import { postJSON } from './post-json.ts'
import { below, keyedSchema } from './settings.ts'

/** The words of Jina for a search that finds nothing, which it answers with 422. */
const NOTHING = /no search results/i

/** The search API of Jina. It cannot limit the age of pages. */
export const jina = defineSearchEngine({
  name: 'jina',
  label: { en: 'Jina', zh: 'Jina' },
  config_schema: keyedSchema('https://s.jina.ai'),
  async search({ text, count }, { config: { api_key, base_url }, fetch, signal }) {
    const headers = { authorization: `Bearer ${api_key}`, 'x-respond-with': 'no-content' }
    const response = await fetch(below(base_url, '/'), {
      ...postJSON({ q: text, num: count }, headers),
      signal,
    })
    const { data } = await readSearchAnswer(response).catch(unlessNothing)
    return toObjects(data).map(({ title, url, description, date }) => ({
      title: toText(title),
      url: toText(url),
      snippet: toText(description),
      published_at: toText(date),
    }))
  },
})

function unlessNothing(error: unknown): { data: [] } {
  if (error instanceof SearchFailure && error.status === 422 && NOTHING.test(error.message))
    return { data: [] }
  throw error
}
