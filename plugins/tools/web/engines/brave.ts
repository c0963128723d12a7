import { cutText, defineSearchEngine, readSearchAnswer, toObject, toObjects, toText } from '#plugin-api'
import { below, keyedSchema } from './settings.ts'

/** The longest query that Brave takes, in characters. */
const MAX_QUERY_CHARS = 400

const AGES = { day: 'pd', week: 'pw', month: 'pm', year: 'py' } as const

/** The web search API of Brave. */
export const brave = defineSearchEngine({
  name: 'brave',
  label: { en: 'Brave Search', zh: 'Brave 搜索' },
  config_schema: keyedSchema('https://api.search.brave.com'),
  guidance: {
    bad_request: {
      en: 'Brave answers 422 for a subscription token that it does not know, and for queries of more than 50 words. Check the API key.',
      zh: 'Brave 对无法识别的订阅令牌或超过 50 个词的查询返回 422。请检查 API 密钥。',
    },
    rate_limit: {
      en: 'The plan of this key allows no more searches at the moment: Brave limits them by second and by month. Wait a moment; if that does not help, the month is used up.',
      zh: '此密钥的套餐暂时不允许更多搜索：Brave 按秒和按月限制次数。请稍候；若仍失败，则当月额度已用尽。',
    },
  },
  async search({ text, count, freshness }, { config: { api_key, base_url }, fetch, signal }) {
    const url = below(base_url, '/res/v1/web/search')
    url.search = new URLSearchParams({
      q: cutText(text, MAX_QUERY_CHARS),
      count: String(count),
      result_filter: 'web',
      text_decorations: 'false',
      ...(freshness && { freshness: AGES[freshness] }),
    }).toString()
    const headers = { accept: 'application/json', 'x-subscription-token': api_key }
    const { web } = await readSearchAnswer(await fetch(url, { headers, signal }))
    return toObjects(toObject(web).results).map(({ title, url, description, page_age, age }) => ({
      title: toText(title),
      url: toText(url),
      snippet: toText(description),
      published_at: toText(page_age) || toText(age),
    }))
  },
})
