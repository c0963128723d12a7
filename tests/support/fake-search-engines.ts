import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { SearchResult } from '../../plugin-api/search-engine.ts'
import type { Test } from '../run/file-test.ts'

/** A request of an engine, as it arrived. */
export interface SearchRequest {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: each vendor's body has another form
  body: any
}

/** The meaning of a request. */
export interface ReadSearch {
  text: string
  count?: number
  freshness?: string
}

/** The protocol of an engine: `read` throws for a request that the vendor would refuse. */
export interface SearchWire {
  settings(url: string): Record<string, unknown>
  read(request: SearchRequest): ReadSearch
  /** Returns the answer with these results. */
  answer(results: readonly SearchResult[]): { status?: number; body: unknown }
}

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

/** A running fake of a search engine. */
export interface FakeSearchEngine {
  url: string
  /** The entry for the settings of web search. */
  entry: Record<string, unknown> & { kind: string }
  /** The searches that arrived and that the vendor would have answered. */
  searches: ReadSearch[]
  requests: SearchRequest[]
  /** The pages that it finds. */
  pages: SearchResult[]
  /** Answers all requests in place of the protocol while it is set. */
  serve: RequestListener | undefined
}

/** Starts a fake of a search engine on loopback. */
export async function startFakeSearchEngine(t: Test, kind: string): Promise<FakeSearchEngine> {
  const wire = searchWires[kind]!
  const server = createServer(async (incoming, response) => {
    const bytes = await buffer(incoming)
    const { pathname: path, searchParams } = new URL(incoming.url!, 'http://localhost')
    const request: SearchRequest = {
      method: incoming.method!,
      path,
      query: Object.fromEntries(searchParams),
      headers: incoming.headers,
      body: bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
    }
    fake.requests.push(request)
    if (fake.serve) return fake.serve(incoming, response)
    let reply: { status?: number; body: unknown }
    try {
      fake.searches.push(wire.read(request))
      reply = wire.answer(fake.pages)
    } catch (error) {
      reply = { status: 400, body: { error: (error as Error).message } }
    }
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply.body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeSearchEngine = {
    url,
    entry: { kind, ...wire.settings(url) },
    searches: [],
    requests: [],
    pages: [somePage('moon'), somePage('sun')],
    serve: undefined,
  }
  return fake
}
