import { definePlugin, defineSearchEngine, readSearchAnswer } from 'agent-platform-service/plugin-api'

const engine = defineSearchEngine({
  name: '{{name}}',
  label: { en: '{{name}}', zh: '{{name}}' },
  config_schema: {
    type: 'object',
    properties: {
      base_url: { type: 'string', title: 'Address', format: 'url', default: 'https://api.example.com' },
      api_key: { type: 'string', title: 'API key', minLength: 1, writeOnly: true },
    },
    required: ['api_key'],
    additionalProperties: false,
  },
  async search({ text, count, freshness }, { config: { base_url, api_key }, fetch, signal }) {
    const url = new URL('/search', base_url)
    url.search = new URLSearchParams({
      q: text,
      limit: `${count}`,
      ...(freshness && { age: freshness }),
    }).toString()
    const headers = { authorization: `Bearer ${api_key}` }
    const { hits } = (await readSearchAnswer(await fetch(url, { headers, signal }))) as {
      hits: { title: string; link: string; text: string; date?: string }[]
    }
    return hits.map(({ title, link, text, date: published_at }) => ({
      title,
      url: link,
      snippet: text,
      published_at,
    }))
  },
})

export default definePlugin({
  name: '{{name}}',
  summary: 'Searches the web with {{name}}',
  kernel: 1,
  setup: (host) => host.extend('web.search_engines', engine),
})
