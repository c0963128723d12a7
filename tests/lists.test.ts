import t from './run/file-test.ts'
import { amount, isLong, roundRobin } from './run/tier.ts'
import { startDatabaseProxy } from './support/database-proxy.ts'
import { longLists } from './support/list-rows.ts'
import { costOf, type QueryCost } from './support/query-cost.ts'
import { readPages, startServer } from './support/server.ts'

/** The most bytes of a page with the default limit, and with the greatest limit. */
const PAGE_BYTES = { default: 2 ** 20, greatest: 4 * 2 ** 20 }
/** The most bytes that the database may return for a page with the default limit. */
const READ_BYTES = 4 * 2 ** 20

const ROWS = amount({ short: 55, long: 2000 })
const LONG_FIELDS = ['system_prompt', 'welcome_message', 'files', 'skills']

/** Queries that every list refuses, and the parameters that the errors name. */
const REFUSED = [
  ['limit=0', '/limit'],
  ['limit=many', '/limit'],
  ['cursor=elsewhere', '/cursor'],
] as const

/** Lists that do not grow with the use of a server. */
const CATALOGS = [
  'GET /admin/plugins',
  'GET /admin/providers/:id/grants',
  'GET /admin/web-search/kinds',
  'GET /agents/:id/grants',
  'GET /auth/oauth/bindings',
  'GET /channels/kinds',
  'GET /connectors/:id/grants',
  'GET /connectors/kinds',
  'GET /experts',
  'GET /experts/published/:expert_id/grants',
  'GET /knowledge-bases/:id/grants',
  'GET /mbti/codes',
  'GET /projects/:id/grants',
  'GET /prompts/:id/grants',
  'GET /providers/kinds',
  'GET /skill-packages/:id/grants',
  'GET /usage/export',
  'GET /users/permissions',
]

/** The first matches of a search while somebody types, with a limit but without a next page. */
const SUGGESTIONS = ['GET /directory']

const database = await startDatabaseProxy(t)
const server = await startServer(t, { env: { SVC_DATABASE_URL: database.url } })
const lists = longLists(server)

// biome-ignore lint/suspicious/noExplicitAny: what a body is, the tests assert
const rowsOf = (body: any) => (Array.isArray(body) ? body : body.skills)
const isCheap = ({ scans, sorts, documents }: QueryCost) => scans === 0 && sorts === 0 && documents <= 60
const sizeOf = (body: unknown) => Buffer.byteLength(JSON.stringify(body))

t.test('Every list comes in pages, or is a catalog', (t) => {
  const routes = server.server.runtime.plugins.flatMap(({ declarations }) => declarations.routes)
  const paged = new Set(Object.keys(lists).map((name) => name.split('?')[0]))
  const catalogs = []
  for (const { method, path, query, response } of routes) {
    const name = `${method} ${path}`
    const properties = (query?.properties ?? {}) as Record<string, { minimum?: number }>
    if (response[200]?.type !== 'array' && !paged.has(name)) continue
    if (paged.has(name)) {
      t.ok(properties.cursor, `${name} takes a cursor`)
      t.equal(properties.limit?.minimum, 1, `${name} takes a limit`)
    } else if (method === 'GET' && !SUGGESTIONS.includes(name)) {
      t.notOk(properties.limit || properties.cursor, `${name} is filled by tests/support/list-rows.ts`)
      catalogs.push(name)
    }
  }
  t.strictSame(catalogs.sort(), CATALOGS)
  t.end()
})

for (const [index, [name, { key, page = 50, rows = ROWS, fill }]] of Object.entries(lists).entries())
  t.test(`${name} is read in pages, none of them large`, async (t) => {
    const { path, token, ids } = await fill(rows)
    const sign = path.includes('?') ? '&' : '?'
    const get = (query: string) => server.request('GET', `${path}${sign}${query}`, { token })
    const keysOf = (pages: { body: unknown }[]) =>
      pages.flatMap(({ body }) => rowsOf(body).map((row: Record<string, string>) => row[key]))

    const bytesBefore = database.receivedBytes()
    const first = await server.request('GET', path, { token })
    const read = database.receivedBytes() - bytesBefore
    t.equal(first.status, 200)
    t.ok(read <= READ_BYTES, `${read} bytes are read for a page`)

    const linked = new URL(/<(.+)>/.exec(first.headers.get('link')!)![1]!, 'http://x')
    const laterPages = await readPages(server, path.split('?')[0] + linked.search, { token })
    const pages = [first, ...laterPages]
    t.ok(pages.length > 1, `${pages.length} pages`)
    const all = keysOf(pages)
    t.equal(new Set(all).size, all.length, 'no row comes twice')
    t.strictSame(
      ids.filter((id) => !all.includes(id)),
      [],
      'none is left out',
    )
    const sizes = pages.map(({ body }) => sizeOf(body))
    t.ok(Math.max(...sizes) <= PAGE_BYTES.default, `a page takes ${Math.max(...sizes)} bytes`)
    t.ok(
      pages.every(({ body }) => rowsOf(body).length <= page),
      'no page has more rows than told',
    )
    for (const row of pages.flatMap(({ body }) => rowsOf(body)))
      for (const field of LONG_FIELDS) if (typeof (row[field] ?? 0) !== 'number') t.fail(`a row has ${field}`)

    const greatest = await get('limit=100000')
    t.ok(rowsOf(greatest.body).length <= 200)
    t.ok(
      sizeOf(greatest.body) <= PAGE_BYTES.greatest,
      `the longest page takes ${sizeOf(greatest.body)} bytes`,
    )
    if (isLong || index % 4 === 0)
      t.strictSame(keysOf(await readPages(server, `${path}${sign}limit=37`, { token })), all)

    for (const [query, parameter] of roundRobin(REFUSED, index))
      t.match(await get(query), {
        status: 422,
        body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path: parameter }] } } },
      })

    const cursor = linked.searchParams.get('cursor')!
    for (const query of roundRobin(['limit=5', `limit=5&${new URLSearchParams({ cursor })}`], index)) {
      const cost = await costOf(server, () => get(query), isCheap)
      t.ok(isCheap(cost), `${query}: an index serves it and its order: ${JSON.stringify(cost)}`)
    }
  })

t.test('What would make a row too long is refused', async (t) => {
  const refused = async (path: string, body: object, pointer: string) =>
    t.match(await server.request('POST', path, { body }), {
      status: 422,
      body: { error: { details: { issues: [{ path: pointer, rule: 'maxLength' }] } } },
    })
  const long = (count: number, length: number) =>
    Array.from({ length: count }, (_, n) => `${n}`.padEnd(length, 'x'))
  const provider = { name: 'too-long', kind: 'openai-compatible', base_url: 'http://192.31.196.1/' }
  const models = long(500, 200).map((id) => ({ id, name: '語'.repeat(200) }))
  await refused('/providers', { ...provider, models }, '/models')
  await refused('/providers', { ...provider, options: { headers: { a: 'x'.repeat(40_000) } } }, '/options')
  const config = {
    secret: 'a-secret-of-theirs',
    callback_url: 'http://192.31.196.1/',
    allow_from: long(1000, 150),
  }
  const channel = { kind: 'webhook', name: 'too long', enabled: false, config }
  await refused('/agents/assistant/channels', channel, '/config')
})
