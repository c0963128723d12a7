import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { test as nodeTest } from 'node:test'
import { SEARCH_AGES, type SearchFailureReason, type SearchResult } from '../search-engine.ts'
import { type AgentBench, type BenchSettings, startAgentBench } from './agent-bench.ts'
import { assertPart, assertSame } from './assert-part.ts'
import { type FakeSearchEngine, type SearchWire, startFakeSearchEngine } from './fake-search-engine.ts'
import { declareTests, type TestFunction } from './test-function.ts'

/** A search engine, and the protocol that it speaks. */
export interface SearchEngineSubject extends BenchSettings, SearchWire {
  /** The name of the engine. */
  engine: string
  /** Declares the tests: `test` of `node:test` unless another is given, e.g. `(name, run) => t.test(name, run)` of tap. */
  test?: TestFunction
}

const PATH = '/admin/web-search'

/** The time that the engine has for an answer in these tests, in seconds. */
const SEARCH_SECONDS = 3

const QUERY = 'Größe & "Mond" 月亮 100% +a=b'

const PAGES: readonly SearchResult[] = [
  {
    title: 'The Moon',
    url: 'https://example.com/moon?a=1&b=2',
    snippet: 'It is round.',
    published_at: '2026-03-03',
  },
  { title: '月亮', url: 'https://example.com/%E6%9C%88', snippet: '月亮是圆的。' },
]

const json =
  (status: number, body: unknown): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const text =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)

/** Answers that are no results, each with the reasons that are right for it. */
const ODD_ANSWERS: Record<string, { serve: RequestListener; reasons: readonly SearchFailureReason[] }> = {
  'a wrong key (401)': { serve: json(401, { message: 'no' }), reasons: ['auth'] },
  'a used up plan (402)': { serve: json(402, { message: 'no' }), reasons: ['quota'] },
  'a wrong address (404)': { serve: text(404, 'Not Found'), reasons: ['not_found'] },
  'too many searches (429)': { serve: json(429, { message: 'no' }), reasons: ['rate_limit', 'quota'] },
  'an outage (503)': { serve: text(503, 'Down'), reasons: ['outage'] },
  'a page instead of JSON': {
    serve: text(200, '<!doctype html><title>Hello</title>'),
    reasons: ['unreadable'],
  },
  'broken JSON': { serve: text(200, '{"results": ['), reasons: ['unreadable'] },
  'a list instead of an object': { serve: json(200, [1, 2]), reasons: ['unreadable'] },
  'a deep object': {
    serve: text(500, `${'{"error":'.repeat(50_000)}1${'}'.repeat(50_000)}`),
    reasons: ['outage'],
  },
  'an answer that is too large': {
    serve: text(200, `{"results": "${'x'.repeat(3 * 1024 * 1024)}"}`),
    reasons: ['unknown', 'unreadable'],
  },
  'a redirect': {
    serve: text(302, '', { location: 'http://169.254.169.254/latest' }),
    reasons: ['redirected'],
  },
  'no answer in time': { serve: () => undefined, reasons: ['timeout'] },
  'half an answer': {
    serve: (_, response) => void response.writeHead(200, { 'content-length': '1000' }).write('{'),
    reasons: ['timeout'],
  },
  'a cut connection': { serve: (request) => void request.socket.destroy(), reasons: ['unreachable'] },
}

const ADVICE =
  'Let search send query.text, query.count and query.freshness with fetch and signal of the context, read the answer with readSearchAnswer, and return { title, url, snippet, published_at? } of each result.'

/**
 * Tests a search engine on a real server against a fake that speaks its protocol: that searches arrive as they were meant,
 * that results come back, and that each failure has its reason and shows no secret.
 */
export function testSearchEngine({
  engine: kind,
  settings,
  read,
  answer,
  test = nodeTest,
  plugins = [],
  config: { plugins: sections = {}, ...config } = {},
  databaseUrl,
}: SearchEngineSubject): unknown {
  return declareTests(test, `search engine ${kind}`, async (t, add) => {
    const fake: FakeSearchEngine = await startFakeSearchEngine({ settings, read, answer })
    let bench: AgentBench | undefined
    t.after(async () => {
      await bench?.close()
      await fake.close()
    })
    const entry: Record<string, unknown> = { kind, ...settings(fake.url) }

    const search = async (query = QUERY) => {
      fake.refusal = undefined
      const reply = await bench!.server.request('POST', `${PATH}/test`, { query, kind })
      if (fake.refusal !== undefined) throw fake.refusal
      return reply
    }

    await add(
      'it is listed, and its settings are stored without showing a secret',
      async () => {
        const settings = sections as Record<string, object>
        const web = { ...settings.web, search_seconds: SEARCH_SECONDS }
        bench = await startAgentBench({
          plugins,
          config: { ...config, plugins: { ...settings, web } },
          databaseUrl,
        })
        const { server } = bench
        const { body: kinds } = await server.request('GET', `${PATH}/kinds`)
        const names = (kinds as { kind: string }[]).map((row) => row.kind)
        assert.ok(
          names.includes(kind),
          `${kind} must be in web.search_engines, but there are ${names.join(', ')}`,
        )
        const { status, body } = await server.request('PUT', PATH, { engines: [entry], per_day: null })
        assertSame(status, 200, `the status of the settings, ${JSON.stringify(body)}`)
        assertNoSecret(body)
      },
      'Let the entry have name, label, config_schema without further properties, and search; mark keys writeOnly.',
    )

    await add(
      'a search arrives as it was meant, and its results come back',
      async () => {
        fake.pages = PAGES
        const { status, body } = await search()
        assertSame(status, 200, `the status of a search, ${JSON.stringify(body)}`)
        const { results } = body as { results: SearchResult[] }
        assertSame(
          results.map(({ published_at: _, ...result }) => result),
          PAGES.map(({ published_at: _, ...result }) => result),
          'the results',
        )
        assertPart(results[0]!.published_at ?? '2026-03-03', '2026-03-03', 'the date of the first result')
        assertSame(fake.searches.at(-1)?.text, QUERY, 'the query that arrived')
      },
      ADVICE,
    )

    await add(
      'a search without results is no failure',
      async () => {
        fake.pages = []
        const { status, body } = await search('nothing')
        assertSame({ status, results: body.results }, { status: 200, results: [] }, 'the answer')
      },
      'Return an empty list if the engine finds nothing, also if it says so with an error of its own.',
    )

    await add(
      'agents search with it, and the count and the age arrive if the engine has them',
      async () => {
        fake.pages = PAGES
        const { server, fake: model, agent_id } = bench!
        const socket = await server.connect(`/agents/${agent_id}/chat/ws`)
        for (const freshness of SEARCH_AGES) {
          const call = { id: 'call_1', name: 'web_search', arguments: { query: QUERY, count: 7, freshness } }
          model.next({ toolCalls: [call] }, { text: 'done' })
          fake.refusal = undefined
          socket.send({ type: 'user_turn', client_message_id: freshness, text: 'Search!' })
          await socket.next('done')
          if (fake.refusal !== undefined) throw fake.refusal
          const { text, count = 7, freshness: age = freshness } = fake.searches.at(-1)!
          assertSame(
            { text, count, age },
            { text: QUERY, count: 7, age: freshness },
            'the search that arrived',
          )
          const output = String(model.requests.at(-1)!.body.messages.at(-1)!.content)
          assert.ok(
            output.includes('[1] The Moon'),
            `the model must read the results, but it reads ${output}`,
          )
        }
        socket.close()
      },
      ADVICE,
    )

    for (const [title, { serve, reasons }] of Object.entries(ODD_ANSWERS))
      await add(
        `${title} is explained, and the next search works`,
        async () => {
          fake.serve = serve
          const { body } = await search('odd')
          fake.serve = undefined
          const { code, details = {} } = (body.error ?? {}) as {
            code?: string
            details?: Record<string, unknown>
          }
          assertSame(code, 'WEB_SEARCH_FAILED', `the code of ${JSON.stringify(body)}`)
          const reason = details.reason as SearchFailureReason
          const isExplained = reasons.includes(reason) || reason === 'not_enabled'
          assert.ok(isExplained, `the reason must be ${reasons.join(' or ')}, but it is ${reason}`)
          assert.ok(String(details.guidance).length > 20, 'there must be guidance')
          assertNoSecret(body)
          assertSame((await search()).status, 200, 'the status of the next search')
        },
        'Let search throw what readSearchAnswer throws, or a SearchFailure with the reason, and pass the signal of the context to fetch.',
      )

    await add(
      'its secrets are not in the log',
      async () => assertNoSecret(bench!.server.logged()),
      'Do not put secrets into messages of errors; the settings of the engine are masked, parts of them are not.',
    )

    function assertNoSecret(shown: unknown): void {
      const shownText = typeof shown === 'string' ? shown : JSON.stringify(shown)
      for (const [name, value] of Object.entries(entry))
        if (/key|token|secret|password/.test(name))
          assert.ok(!shownText.includes(String(value)), `${name} must not be shown, but it is`)
    }
  })
}
