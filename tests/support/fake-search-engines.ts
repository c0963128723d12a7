import assert from 'node:assert/strict'
import type { SearchResult } from '../../plugin-api/search-engine.ts'
import {
  type FakeSearchEngine,
  type SearchRequest,
  type SearchWire,
  startFakeSearchEngine as startFake,
} from '../../plugin-api/testing/fake-search-engine.ts'
import type { Test } from '../run/file-test.ts'

/** The key that all fakes know. */
export const SEARCH_KEY = 'key-0123456789-of-an-engine'

const withKey = (base_url: string) => ({ base_url, api_key: SEARCH_KEY })

const AGES: Record<string, string> = { d: 'day', w: 'week', m: 'month', y: 'year' }

/** Returns the fields of an object; throws if it has others. */
function pick(fields: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const strange = Object.keys(fields).filter((name) => !names.includes(name))
  assert.deepEqual(strange, [], 'the vendor knows no such parameter')
  return fields
}

function assertRequest({ method, path }: SearchRequest, expected: { method: string; path: string }): void {
  assert.deepEqual({ method, path }, expected)
}

function assertJSON({ headers }: SearchRequest): void {
  assert.equal(headers['content-type'], 'application/json')
}

function countOf(value: unknown, most: number): number {
  const count = Number(value)
  assert.ok(Number.isInteger(count) && count >= 1 && count <= most, `a count of ${value}`)
  return count
}

const optional = (freshness: string | undefined) => (freshness === undefined ? {} : { freshness })

/** The protocols of the engines that are built in. */
export const searchWires: Record<string, SearchWire> = {
  searxng: {
    settings: (base_url) => ({ base_url }),
    read(request) {
      assertRequest(request, { method: 'GET', path: '/search' })
      const { query } = request
      pick(query, ['q', 'format', 'language', 'engines', 'categories', 'time_range', 'pageno', 'safesearch'])
      assert.equal(query.format, 'json')
      assert.ok(['day', 'week', 'month', 'year', undefined].includes(query.time_range))
      return { text: query.q!, ...optional(query.time_range) }
    },
    answer: (results) => ({
      body: {
        query: 'as it was asked',
        number_of_results: 0,
        results: results.map(({ title, url, snippet, published_at }, index) => ({
          title,
          url,
          content: snippet,
          publishedDate: published_at ? `${published_at}T00:00:00` : null,
          engine: 'duckduckgo',
          engines: ['duckduckgo'],
          positions: [index + 1],
          score: 1 / (index + 1),
          category: 'general',
        })),
        answers: [],
        corrections: [],
        infoboxes: [],
        suggestions: [],
        unresponsive_engines: [],
      },
    }),
  },
  brave: {
    settings: withKey,
    read(request) {
      assertRequest(request, { method: 'GET', path: '/res/v1/web/search' })
      const { headers, query } = request
      assert.equal(headers['x-subscription-token'], SEARCH_KEY)
      pick(query, ['q', 'count', 'freshness', 'result_filter', 'text_decorations'])
      assert.ok(query.q!.length <= 400, 'a query of more than 400 characters')
      const age = /^p([dwmy])$/.exec(query.freshness ?? '')?.[1]
      assert.equal(age === undefined, query.freshness === undefined)
      return { text: query.q!, count: countOf(query.count, 20), ...optional(age && AGES[age]) }
    },
    answer: (results) => ({
      body: {
        type: 'search',
        query: { original: 'as it was asked' },
        ...(results.length > 0 && {
          web: {
            type: 'search',
            results: results.map(({ title, url, snippet, published_at }) => ({
              type: 'search_result',
              title,
              url,
              description: snippet,
              ...(published_at && { page_age: `${published_at}T00:00:00`, age: 'March 3, 2026' }),
            })),
          },
        }),
      },
    }),
  },
  tavily: {
    settings: withKey,
    read(request) {
      assertRequest(request, { method: 'POST', path: '/search' })
      assertJSON(request)
      assert.equal(request.headers.authorization, `Bearer ${SEARCH_KEY}`)
      const { query, max_results, time_range } = pick(request.body, ['query', 'max_results', 'time_range'])
      assert.ok(String(query).length <= 400, 'a query of more than 400 characters')
      assert.ok(['day', 'week', 'month', 'year', undefined].includes(time_range as undefined))
      return {
        text: String(query),
        count: countOf(max_results, 20),
        ...optional(time_range as string | undefined),
      }
    },
    answer: (results) => ({
      body: {
        query: 'as it was asked',
        answer: null,
        images: [],
        results: results.map(({ title, url, snippet, published_at }) => ({
          title,
          url,
          content: snippet,
          score: 0.9,
          raw_content: null,
          ...(published_at && { published_date: published_at }),
        })),
        response_time: 0.5,
      },
    }),
  },
  serper: {
    settings: withKey,
    read(request) {
      assertRequest(request, { method: 'POST', path: '/search' })
      assertJSON(request)
      assert.equal(request.headers['x-api-key'], SEARCH_KEY)
      const { q, num, tbs } = pick(request.body, ['q', 'num', 'tbs', 'hl', 'gl'])
      const age = /^qdr:([dwmy])$/.exec(String(tbs ?? ''))?.[1]
      assert.equal(age === undefined, tbs === undefined)
      return { text: String(q), count: countOf(num, 100), ...optional(age && AGES[age]) }
    },
    answer: (results) => ({
      body: {
        searchParameters: { q: 'as it was asked', type: 'search', engine: 'google' },
        organic: results.map(({ title, url, snippet, published_at }, index) => ({
          title,
          link: url,
          snippet,
          position: index + 1,
          ...(published_at && { date: published_at }),
        })),
        credits: 1,
      },
    }),
  },
  exa: {
    settings: withKey,
    read(request) {
      assertRequest(request, { method: 'POST', path: '/search' })
      assertJSON(request)
      assert.equal(request.headers['x-api-key'], SEARCH_KEY)
      const names = ['query', 'numResults', 'contents', 'startPublishedDate', 'type']
      const { query, numResults, startPublishedDate } = pick(request.body, names)
      const days = startPublishedDate && (Date.now() - Date.parse(String(startPublishedDate))) / 86_400_000
      const ages: Record<number, string> = { 1: 'day', 7: 'week', 31: 'month', 366: 'year' }
      const age = days === undefined ? undefined : ages[Math.round(Number(days))]
      assert.equal(age === undefined, startPublishedDate === undefined)
      return { text: String(query), count: countOf(numResults, 100), ...optional(age) }
    },
    answer: (results) => ({
      body: {
        requestId: 'b5947044c4b78efa9552a7c89b306d95',
        results: results.map(({ title, url, snippet, published_at }) => ({
          id: url,
          title,
          url,
          author: null,
          publishedDate: published_at ? `${published_at}T00:00:00.000Z` : null,
          highlights: snippet ? [snippet] : [],
          highlightScores: [0.4],
        })),
      },
    }),
  },
  jina: {
    settings: withKey,
    read(request) {
      assertRequest(request, { method: 'POST', path: '/' })
      assertJSON(request)
      const { authorization, accept } = request.headers
      assert.deepEqual(
        { authorization, accept },
        { authorization: `Bearer ${SEARCH_KEY}`, accept: 'application/json' },
      )
      assert.equal(request.headers['x-respond-with'], 'no-content')
      const { q, num } = pick(request.body, ['q', 'num', 'gl', 'hl'])
      return { text: String(q), count: countOf(num, 20) }
    },
    answer: (results) =>
      results.length === 0
        ? {
            status: 422,
            body: {
              data: null,
              code: 422,
              name: 'AssertionFailureError',
              status: 42206,
              message: 'No search results available for query as it was asked',
            },
          }
        : {
            body: {
              code: 200,
              status: 20000,
              data: results.map(({ title, url, snippet, published_at }) => ({
                title,
                url,
                description: snippet,
                ...(published_at && { date: published_at }),
                content: '',
                usage: { tokens: 1000 },
              })),
              meta: { usage: { tokens: 10_000 } },
            },
          },
  },
}

/** A page that fakes find. */
export const somePage = (name: string, more: Partial<SearchResult> = {}): SearchResult => ({
  title: `The ${name}`,
  url: `https://example.com/${name}`,
  snippet: `All about the ${name}.`,
  ...more,
})

/** Starts a fake of a search engine that knows two pages; `entry` is for the settings of web search. */
export async function startFakeSearchEngine(
  t: Test,
  kind: string,
): Promise<FakeSearchEngine & { entry: Record<string, unknown> & { kind: string } }> {
  const wire = searchWires[kind]!
  const fake = await startFake(wire)
  t.teardown(() => fake.close())
  fake.pages = [somePage('moon'), somePage('sun')]
  return Object.assign(fake, { entry: { kind, ...wire.settings(fake.url) } })
}
