import t from '../../run/file-test.ts'
import { SEARCH_KEY, startFakeSearchEngine } from '../../support/fake-search-engines.ts'
import { startServer } from '../../support/server.ts'

const PATH = '/admin/web-search'
const server = await startServer(t)
const brave = await startFakeSearchEngine(t, 'brave')
const searxng = await startFakeSearchEngine(t, 'searxng')
const { token } = await server.createUser({ username: 'pam' })

const put = (engines: object[], per_day: number | null = null) =>
  server.request('PUT', PATH, { body: { engines, per_day } })
const issuesOf = async (engines: object[]) => {
  const { status, body } = await put(engines)
  t.match({ status, code: body.error.code }, { status: 422, code: 'VALIDATION_FAILED' })
  return body.error.details.issues
}

t.test('Nothing is set at first, and six kinds can be', async (t) => {
  t.strictSame(await server.call('GET', PATH), { engines: [], per_day: null })
  const kinds = await server.call('GET', `${PATH}/kinds`)
  t.strictSame(
    kinds.map(({ kind }: { kind: string }) => kind),
    ['searxng', 'brave', 'tavily', 'serper', 'exa', 'jina'],
  )
  for (const { config_schema } of kinds)
    t.match(config_schema.properties, { base_url: { format: 'url', title: 'Address' } })
  t.equal(kinds[1].config_schema.properties.api_key.writeOnly, true)
})

t.test('Engines are kept in their order, and their keys are never shown', async (t) => {
  const { status, body } = await put([searxng.entry, { ...brave.entry, price: 0.005 }], 20)
  t.equal(status, 200)
  t.strictSame(body, {
    engines: [
      { kind: 'searxng', label: 'SearXNG', price: null, base_url: searxng.url },
      { kind: 'brave', label: 'Brave Search', price: 0.005, base_url: brave.url, api_key: '••••gine' },
    ],
    per_day: 20,
  })
  t.strictSame(await server.call('GET', PATH), body)
  const zh = await server.request('GET', PATH, { headers: { 'accept-language': 'zh' } })
  t.equal(zh.body.engines[1].label, 'Brave 搜索')
  const stored = await server.db.collection('search_engines').find().toArray()
  t.notOk(JSON.stringify(stored).includes(SEARCH_KEY), 'the database has it encrypted')
  const audit = await server.call('GET', '/admin/audit-log?action=web_search.set')
  t.equal(audit.length, 1)
  t.notOk(JSON.stringify(audit).includes(SEARCH_KEY), 'the audit has no settings of engines')
  t.notOk(server.logged().includes(SEARCH_KEY))
})

t.test('What is sent back keeps the key, in any order, as long as the address is the same', async (t) => {
  const { engines } = await server.call('GET', PATH)
  const reversed = await server.call('PUT', PATH, { engines: engines.toReversed() })
  t.equal(reversed.per_day, 20, 'a limit that is left out stays')
  const [{ api_key, ...withoutKey }, other] = engines.toReversed()
  t.equal((await put([withoutKey, other])).status, 200)
  const tested = await server.request('POST', `${PATH}/test`, { body: { query: 'moon', kind: 'brave' } })
  t.match(tested, { status: 200, body: { kind: 'brave', results: [{ url: 'https://example.com/moon' }] } })

  t.match(await issuesOf([{ ...withoutKey, base_url: searxng.url }]), [
    { path: '/engines/0/api_key', rule: 'address' },
  ])
  t.match(await issuesOf([other, { ...withoutKey, api_key, base_url: undefined }]), [
    { path: '/engines/1/api_key', rule: 'address' },
  ])
  t.match(await issuesOf([{ ...withoutKey, api_key: '••••else' }]), [
    { path: '/engines/0/api_key', rule: 'mask' },
  ])
  t.equal(
    (await put([{ ...withoutKey, base_url: `${brave.url}/proxy` }])).status,
    200,
    'another path is no other place',
  )
  t.equal((await put([{ ...withoutKey, base_url: searxng.url, api_key: SEARCH_KEY }])).status, 200)
})

t.test('Wrong settings are refused before anything is changed', async (t) => {
  const settings = await server.call('GET', PATH)
  t.match(await issuesOf([{ kind: 'searxng' }]), [{ path: '/engines/0/base_url', rule: 'required' }])
  t.match(await issuesOf([searxng.entry, { ...searxng.entry, strange: 1 }]), [
    { path: '/engines/1/kind', rule: 'uniqueItems' },
  ])
  t.match(await issuesOf([{ ...searxng.entry, strange: 1 }]), [{ path: '/engines/0/strange' }])
  t.match(await issuesOf([{ ...searxng.entry, price: -1 }]), [{ path: '/engines/0/price' }])
  for (const base_url of [
    'ftp://example.com',
    'https://me:secret@example.com',
    'https://a.example?key=1',
    'x',
  ])
    t.match(await issuesOf([{ kind: 'searxng', base_url }]), [{ path: '/engines/0/base_url' }])
  t.match(await issuesOf([{ kind: 'exa', api_key: null }]), [
    { path: '/engines/0/api_key', rule: 'required' },
  ])
  t.match(await issuesOf([{ kind: 'exa', api_key: 'two words' }]), [{ path: '/engines/0/api_key' }])
  t.match(await put([{ kind: 'altavista' }]), {
    status: 400,
    body: { error: { code: 'SEARCH_ENGINE_UNSUPPORTED', details: { kind: 'altavista' } } },
  })
  t.equal((await put([], 0)).status, 422)
  t.strictSame(await server.call('GET', PATH), settings)
})

t.test('An empty list removes everything, and only administrators see any of it', async (t) => {
  t.strictSame((await put([])).body, { engines: [], per_day: null })
  t.equal(await server.db.collection('search_engines').countDocuments(), 0)
  t.match(await server.request('POST', `${PATH}/test`, { body: { query: 'moon' } }), {
    status: 409,
    body: { error: { code: 'WEB_SEARCH_NOT_SET' } },
  })
  for (const [method, path, body] of [
    ['GET', PATH],
    ['PUT', PATH, { engines: [], per_day: null }],
    ['GET', `${PATH}/kinds`],
    ['POST', `${PATH}/test`, { query: 'moon' }],
  ] as const)
    t.equal((await server.request(method, path, { token, body })).status, 403)
})
