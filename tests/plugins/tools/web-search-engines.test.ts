import { eventually, testSearchEngine } from '../../../plugin-api/testing/index.ts'
import t from '../../run/file-test.ts'
import { SEARCH_KEY, searchWires, startFakeSearchEngine } from '../../support/fake-search-engines.ts'
import { builtIn } from '../../support/kit.ts'
import { startServer } from '../../support/server.ts'

for (const [engine, wire] of Object.entries(searchWires))
  await testSearchEngine({ ...builtIn(t), ...wire, engine })

const server = await startServer(t)
const PATH = '/admin/web-search'

/** Tests web search with one engine, which answers this; returns the details of the failure. */
async function fail(kind: string, status: number, body: unknown, locale = 'en') {
  const fake = await startFakeSearchEngine(t, kind)
  fake.serve = (_, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  await server.call('PUT', PATH, { engines: [fake.entry], per_day: null })
  return test(locale)
}

async function test(locale = 'en') {
  const headers = { 'accept-language': locale }
  const { body } = await server.request('POST', `${PATH}/test`, { body: { query: 'x' }, headers })
  return { ...body.error.details, message: body.error.message }
}

t.test('The usual failures of engines are explained in both languages', async (t) => {
  const page = '<!doctype html><title>403 Forbidden</title>'
  t.match(await fail('searxng', 403, page), {
    reason: 'not_enabled',
    status: 403,
    guidance: /^SearXNG: .*"json" to search\.formats in settings\.yml.*limiter/,
    message: /search\.formats/,
  })
  t.match(await fail('searxng', 403, page, 'zh'), { guidance: /search\.formats 中加入 json/ })
  t.match(await fail('searxng', 200, page), { reason: 'unreadable', guidance: /a page instead of JSON/ })
  t.match(await fail('searxng', 429, 'Too Many Requests'), {
    reason: 'rate_limit',
    guidance: /limiter\.toml/,
  })
  const blocked = { results: [], unresponsive_engines: [['google', 'Suspended: CAPTCHA']] }
  t.match(await fail('searxng', 200, blocked), { reason: 'outage', detail: /google Suspended: CAPTCHA/ })

  const invalid = {
    type: 'ErrorResponse',
    error: {
      code: 'SUBSCRIPTION_TOKEN_INVALID',
      detail: 'The provided subscription token is invalid.',
      status: 422,
    },
  }
  t.match(await fail('brave', 422, invalid), {
    reason: 'bad_request',
    detail: 'The provided subscription token is invalid.',
    guidance: /Check the API key/,
  })
  t.match(await fail('tavily', 401, { detail: { error: 'Unauthorized: missing or invalid API key.' } }), {
    reason: 'auth',
    detail: 'Unauthorized: missing or invalid API key.',
  })
  for (const status of [432, 433]) t.match(await fail('tavily', status, {}), { reason: 'quota', status })
  t.match(await fail('serper', 403, { message: 'Unauthorized.', statusCode: 403 }), { reason: 'auth' })
  t.match(await fail('serper', 400, { message: 'Not enough credits', statusCode: 400 }), { reason: 'quota' })
  t.match(await fail('exa', 402, { error: 'Out of credits', tag: 'NO_MORE_CREDITS' }), { reason: 'quota' })
  const spent = { code: 402, name: 'InsufficientBalanceError', message: `Recharge ${SEARCH_KEY}` }
  t.match(await fail('jina', 402, spent), { reason: 'quota', detail: 'Recharge [key]' })
  t.match(await fail('jina', 422, { code: 422, message: 'Bad parameter' }, 'zh'), {
    reason: 'bad_request',
    guidance: /^Jina: 搜索引擎拒绝了此次搜索/,
  })
})

t.test('An address that leads nowhere is explained', async (t) => {
  const set = (base_url: string) =>
    server.call('PUT', PATH, { engines: [{ kind: 'searxng', base_url }], per_day: null })
  await set('http://no-such-host.invalid')
  t.match(await test(), { reason: 'unreachable', guidance: /host name/ })
  await set('http://127.0.0.1:9')
  t.match(await test(), { reason: 'unreachable' })
})

t.test('A test of all engines tells why each of them failed', async (t) => {
  const [one, two] = [await startFakeSearchEngine(t, 'searxng'), await startFakeSearchEngine(t, 'exa')]
  await server.call('PUT', PATH, { engines: [one.entry, two.entry], per_day: null })
  one.serve = (_, response) => response.writeHead(403).end()
  two.serve = (_, response) => response.writeHead(401).end('{"error":"Invalid API key"}')
  const { kind, guidance, failures } = await test()
  t.equal(kind, 'searxng')
  t.match(guidance, /^SearXNG: .*settings\.yml.*\nExa: .*API key/s)
  t.match(failures, [
    { kind: 'searxng', label: 'SearXNG', reason: 'not_enabled', status: 403 },
    { kind: 'exa', label: 'Exa', reason: 'auth', status: 401, detail: 'Invalid API key' },
  ])
  two.serve = undefined
  const { body } = await server.request('POST', `${PATH}/test`, { body: { query: 'x' } })
  t.match(body, { kind: 'exa', results: [{ title: 'The moon' }, { title: 'The sun' }] })
})

t.test('The health tells of an engine that is set and not installed', async (t) => {
  const fake = await startFakeSearchEngine(t, 'searxng')
  await server.call('PUT', PATH, { engines: [fake.entry], per_day: null })
  await server.db.collection<{ _id: string }>('search_engines').insertOne({
    ...{ _id: 'altavista', position: 9, price: null, config: {}, secret_config: null },
  })
  const health = async () => (await server.request('GET', '/health')).body.plugins.web
  t.equal(
    await eventually('the health fails', async () => (await health()) === 'failed' && 'failed'),
    'failed',
  )
  t.match(server.logged(), /the search engine \\"altavista\\" is set, but it is switched off/)
  t.match(await server.call('GET', PATH), { engines: [{}, { kind: 'altavista', label: 'altavista' }] })
  t.equal((await server.request('POST', `${PATH}/test`, { body: { query: 'x' } })).status, 200)
  await server.call('PUT', PATH, { engines: [], per_day: null })
  t.equal(await health(), 'ok')
})

t.test('Only the hosts that an administrator has entered may be private', async (t) => {
  const hidden = await startFakeSearchEngine(t, 'searxng')
  const plugin = `export default { name: 'spy', summary: 'Searches', kernel: 1, setup(host) {
    host.extend('web.search_engines', {
      name: 'spy',
      label: { en: 'Spy', zh: 'Spy' },
      config_schema: { type: 'object', properties: {}, additionalProperties: false },
      async search(_, { fetch, signal }) {
        await fetch('${hidden.url}/search?q=x&format=json', { signal })
        return []
      },
    })
  } }`
  const other = await startServer(t, { plugins: { spy: plugin } })
  await other.call('PUT', PATH, { engines: [{ kind: 'spy' }], per_day: null })
  const { body } = await other.request('POST', `${PATH}/test`, { body: { query: 'x' } })
  t.match(body.error.details, { reason: 'address_not_allowed', guidance: /SVC_ALLOW_HOSTS/ })
  t.equal(hidden.requests.length, 0)
})

t.test('A wrong engine of a plugin stops the plugin with a sentence', async (t) => {
  const engine = (
    more: string,
  ) => `export default { name: 'odd', summary: 'Searches', kernel: 1, setup(host) {
    host.extend('web.search_engines', { name: 'odd', label: { en: 'O', zh: 'O' }, search: async () => [],
      config_schema: { type: 'object', properties: {}, additionalProperties: false }, ${more} })
  } }`
  for (const [more, sentence] of [
    [
      "config_schema: { type: 'object', properties: { price: {} }, additionalProperties: false }",
      /price.* is the name of a field/,
    ],
    ["config_schema: { type: 'object', properties: {} }", /additionalProperties/],
    ['search: 1', /search/],
    ["guidance: { weather: { en: 'x', zh: 'x' } }", /guidance/],
  ] as const) {
    const odd = await startServer(t, { plugins: { odd: engine(more) } })
    t.match(odd.logged(), /search engine \\"odd\\" is not valid/)
    t.match(odd.logged(), sentence)
    await odd.stop()
  }
})
