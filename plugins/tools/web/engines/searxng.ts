import { defineSearchEngine, readSearchAnswer, SearchFailure, toObjects, toText } from '#plugin-api'
import { address, below } from './settings.ts'

/** SearXNG, which asks other engines and which anybody can run. */
export const searxng = defineSearchEngine({
  name: 'searxng',
  label: { en: 'SearXNG', zh: 'SearXNG' },
  config_schema: {
    type: 'object',
    properties: {
      base_url: {
        ...address,
        description:
          'The address of your instance. The JSON format must be listed in its settings.yml (search.formats).',
        examples: ['http://searxng:8080'],
      },
      language: {
        type: 'string',
        title: 'Language',
        pattern: '^[A-Za-z]{2,3}(-[A-Za-z]{2,4})?$|^all$|^auto$',
        description: 'A language code such as en or zh-CN; by default that of the instance',
        examples: ['en'],
      },
      engines: {
        type: 'string',
        title: 'Engines',
        maxLength: 500,
        description: 'The engines that the instance asks, separated by commas; by default its own choice',
        examples: ['duckduckgo,wikipedia'],
      },
    },
    required: ['base_url'],
    additionalProperties: false,
  },
  guidance: {
    not_enabled: {
      en: 'SearXNG answers 403 until its JSON format is enabled: add "json" to search.formats in settings.yml, set server.limiter to false, and restart it.',
      zh: 'SearXNG 在启用 JSON 格式之前返回 403：请在 settings.yml 的 search.formats 中加入 json，将 server.limiter 设为 false，然后重启。',
    },
    unreadable: {
      en: 'SearXNG answered with a page instead of JSON. Check that the address is that of the instance itself, without a sign-in page before it, and that "json" is in search.formats of settings.yml.',
      zh: 'SearXNG 返回的是网页而不是 JSON。请检查地址是否为实例本身（前面没有登录页面），以及 settings.yml 的 search.formats 中是否包含 json。',
    },
    rate_limit: {
      en: 'The limiter of SearXNG blocks this server. Set server.limiter to false in settings.yml, or allow the address of this server in limiter.toml.',
      zh: 'SearXNG 的限流器阻止了本服务器。请在 settings.yml 中将 server.limiter 设为 false，或在 limiter.toml 中允许本服务器的地址。',
    },
    outage: {
      en: 'None of the engines that SearXNG asks answered, or SearXNG itself is down. Open the page of the instance and see which engines it reports.',
      zh: 'SearXNG 查询的引擎均未响应，或 SearXNG 本身出现故障。请打开实例页面查看其报告的引擎。',
    },
  },
  async search({ text, freshness }, { config: { base_url, language, engines }, fetch, signal }) {
    const url = below(base_url, '/search')
    url.search = new URLSearchParams({
      q: text,
      format: 'json',
      ...(language && { language }),
      ...(engines && { engines }),
      ...(freshness && { time_range: freshness }),
    }).toString()
    const response = await fetch(url, { headers: { accept: 'application/json' }, signal })
    const { results, unresponsive_engines } = await readSearchAnswer(response, { 403: 'not_enabled' })
    const rows = toObjects(results)
    // An instance of which all engines are blocked finds nothing, whatever is asked.
    if (rows.length === 0 && Array.isArray(unresponsive_engines) && unresponsive_engines.length > 0)
      throw new SearchFailure('outage', `Its engines do not answer: ${describe(unresponsive_engines)}.`)
    return rows.map(({ title, url, content, publishedDate }) => ({
      title: toText(title),
      url: toText(url),
      snippet: toText(content),
      published_at: toText(publishedDate),
    }))
  },
})

/** Describes pairs of a name and a reason. */
const describe = (unresponsive: readonly unknown[]): string =>
  unresponsive.map((pair) => (Array.isArray(pair) ? pair.join(' ') : '')).join(', ')
