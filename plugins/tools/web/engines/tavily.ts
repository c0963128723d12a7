import { cutText, defineSearchEngine, readSearchAnswer, toObjects, toText } from '#plugin-api'
import { postJSON } from './post-json.ts'
import { below, keyedSchema } from './settings.ts'

/** The longest query that Tavily takes, in characters. */
const MAX_QUERY_CHARS = 400

/** The search API of Tavily. */
export const tavily = defineSearchEngine({
  name: 'tavily',
  label: { en: 'Tavily', zh: 'Tavily' },
  config_schema: keyedSchema('https://api.tavily.com'),
  guidance: {
    quota: {
      en: 'The plan of this key is used up (432), or its pay-as-you-go limit is reached (433). Raise it in the dashboard of Tavily.',
      zh: '此密钥的套餐额度已用尽（432），或已达到按量付费上限（433）。请在 Tavily 控制台提高额度。',
    },
  },
  async search({ text, count, freshness }, { config: { api_key, base_url }, fetch, signal }) {
    const response = await fetch(below(base_url, '/search'), {
      ...postJSON(
        {
          query: cutText(text, MAX_QUERY_CHARS),
          max_results: count,
          ...(freshness && { time_range: freshness }),
        },
        { authorization: `Bearer ${api_key}` },
      ),
      signal,
    })
    const { results } = await readSearchAnswer(response, { 432: 'quota', 433: 'quota' })
    return toObjects(results).map(({ title, url, content, published_date }) => ({
      title: toText(title),
      url: toText(url),
      snippet: toText(content),
      published_at: toText(published_date),
    }))
  },
})
