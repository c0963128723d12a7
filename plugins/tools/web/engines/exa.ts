import { defineSearchEngine, readSearchAnswer, toObjects, toText } from '#plugin-api'
import { postJSON } from './post-json.ts'
import { below, keyedSchema } from './settings.ts'

const DAY_MS = 86_400_000
const AGE_DAYS = { day: 1, week: 7, month: 31, year: 366 } as const

/** The search API of Exa. */
export const exa = defineSearchEngine({
  name: 'exa',
  label: { en: 'Exa', zh: 'Exa' },
  config_schema: keyedSchema('https://api.exa.ai'),
  async search({ text, count, freshness }, { config: { api_key, base_url }, fetch, signal }) {
    const body = {
      query: text,
      numResults: count,
      contents: { highlights: true },
      ...(freshness && {
        startPublishedDate: new Date(Date.now() - AGE_DAYS[freshness] * DAY_MS).toISOString(),
      }),
    }
    const response = await fetch(below(base_url, '/search'), {
      ...postJSON(body, { 'x-api-key': api_key }),
      signal,
    })
    const { results } = await readSearchAnswer(response)
    return toObjects(results).map(({ title, url, highlights, publishedDate }) => ({
      title: toText(title),
      url: toText(url),
      snippet: Array.isArray(highlights) ? highlights.map(toText).join(' … ') : '',
      published_at: toText(publishedDate),
    }))
  },
})
