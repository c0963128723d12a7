import { defineSearchEngine, readSearchAnswer, SearchFailure, toObjects, toText } from '#plugin-api'
import { postJSON } from './post-json.ts'
import { below, keyedSchema } from './settings.ts'

const AGES = { day: 'qdr:d', week: 'qdr:w', month: 'qdr:m', year: 'qdr:y' } as const

/** Serper, which searches with Google. */
export const serper = defineSearchEngine({
  name: 'serper',
  label: { en: 'Serper', zh: 'Serper' },
  config_schema: keyedSchema('https://google.serper.dev'),
  async search({ text, count, freshness, locale }, { config: { api_key, base_url }, fetch, signal }) {
    const body = {
      q: text,
      num: count,
      hl: locale === 'zh' ? 'zh-cn' : 'en',
      ...(freshness && { tbs: AGES[freshness] }),
    }
    const response = await fetch(below(base_url, '/search'), {
      ...postJSON(body, { 'x-api-key': api_key }),
      signal,
    })
    const { organic } = await readSearchAnswer(response).catch(explain)
    return toObjects(organic).map(({ title, link, snippet, date }) => ({
      title: toText(title),
      url: toText(link),
      snippet: toText(snippet),
      published_at: toText(date),
    }))
  },
})

/** Serper answers 400 if the credits of a key are used up. */
function explain(error: unknown): never {
  if (error instanceof SearchFailure && error.status === 400 && /credits/i.test(error.message))
    throw new SearchFailure('quota', error.message, { status: 400, cause: error })
  throw error
}
