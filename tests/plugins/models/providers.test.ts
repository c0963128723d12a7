import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { setUpFirstProviders } from '../../../plugins/models/providers/first-start.ts'
import t, { type Test } from '../../run/file-test.ts'
import { readPages, startServer, type TestServer } from '../../support/server.ts'

/** Only what providers need, so that a failure here is theirs. */
const alone = Object.fromEntries(
  ['agents', 'chat', 'terminal', 'workspace'].map((name) => [name, { enabled: false }]),
)

const start = (t: Test, options?: Parameters<typeof startServer>[1]) =>
  startServer(t, { ...options, config: { plugins: alone } })

const server = await start(t)
const ada = await server.createUser({ username: 'ada' })
const bob = await server.createUser({ username: 'bob' })

/** Returns the cradle of the shared server, which changes with a restart. */
const currentCradle = () => server.server.runtime.cradleOf('providers')

/** Removes all providers and the choice of the active model, as before a first start. */
async function removeAll() {
  const { providers, model_settings } = currentCradle().collections
  await providers.deleteMany({})
  await model_settings.deleteMany({})
}

t.afterEach(async () => {
  await removeAll()
  await setUpFirstProviders(currentCradle(), () => {})
})

/** Returns a function that reads the part of the shared server's log written from now on. */
function followLog() {
  const position = server.logged().length
  return () => server.logged().slice(position)
}

const KEY = 'sk-canary-0123456789abcdef'
/** A network that is public and sinks what is sent to it (RFC 7535). */
const PUBLIC = 'http://192.31.196.7/v1'
const kind = 'openai-compatible'

const upstream = async (t: Test, options?: Parameters<typeof createFakeOpenAI>[0]) => {
  const fake = await createFakeOpenAI(options)
  t.teardown(() => fake.close())
  return fake
}

const create = (server: TestServer, body: object, token?: string) =>
  server.call('POST', token ? '/providers' : '/admin/providers', body, token)

/** Asks until so many models are listed, as lists of upstreams are not waited for. */
async function listModels(server: TestServer, count: number, token?: string) {
  let { body } = await server.request('GET', '/models', { token })
  while (body.length < count) {
    await pause(10)
    body = (await server.request('GET', '/models', { token })).body
  }
  return body
}

t.test('the kinds are listed with their labels in the language of the caller', async (t) => {
  const { body } = await server.request('GET', '/providers/kinds', {
    token: ada.token,
    headers: { 'accept-language': 'zh' },
  })
  const kinds = Object.fromEntries(body.map((row: { kind: string }) => [row.kind, row]))
  t.match(kinds, {
    demo: {
      kind: 'demo',
      label: /演示/,
      embedding: false,
      default_base_url: null,
      config_schema: { type: 'object' },
    },
    [kind]: { kind, label: /兼容/, embedding: true, default_base_url: null },
    openai: { label: 'OpenAI', embedding: true, default_base_url: 'https://api.openai.com/v1' },
  })
})

t.test('a user keeps providers of their own; the key goes in and never comes out', async (t) => {
  const logged = followLog()
  const models = [
    { id: 'org/llama:70b', context_window: 8192 },
    { id: 'embed', name: 'Embed', embedding: true },
  ]
  const made = await server.request('POST', '/providers', {
    token: ada.token,
    body: { name: 'mine', kind, base_url: PUBLIC, api_key: KEY, models },
  })
  t.equal(made.status, 201)
  t.match(made.body, {
    name: 'mine',
    kind,
    scope: 'user',
    owner: 'ada',
    base_url: PUBLIC,
    has_api_key: true,
    options: {},
    enabled: true,
    models: [
      {
        id: 'org/llama:70b',
        name: 'org/llama:70b',
        enabled: true,
        embedding: false,
        model_kind: 'chat',
        context_window: 8192,
        max_output_tokens: null,
        input: null,
        tools: null,
        reasoning: null,
      },
      { id: 'embed', name: 'Embed', embedding: true, model_kind: 'embedding' },
    ],
  })

  const { id } = made.body
  const patch = (body: object) => server.request('PATCH', `/providers/${id}`, { token: ada.token, body })
  t.match(await patch({ enabled: false }), { status: 200, body: { enabled: false, has_api_key: true } })
  t.match((await patch({ api_key: null })).body, { has_api_key: false })
  t.match((await patch({ api_key: `${KEY}2` })).body, { has_api_key: true })
  t.match(await patch({ kind: 'demo' }), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/kind' }] } } },
  })

  const listed = await server.request('GET', '/providers', { token: ada.token })
  t.match(
    listed.body.map(({ name, scope }: { name: string; scope: string }) => [name, scope]),
    [
      ['mine', 'user'],
      ['demo', 'global'],
    ],
  )
  const stored = await server.db.collection('providers').findOne({ name: 'mine' })
  t.match(stored!.api_key, /^v1\./)
  const audit = await server.db.collection('audit_log').find().toArray()
  t.notMatch(JSON.stringify([made.body, listed.body, stored, audit, logged()]), KEY)

  t.equal((await server.request('DELETE', `/providers/${id}`, { token: ada.token })).status, 204)
  t.equal((await patch({ enabled: true })).status, 404)
})

t.test('the address and options of a global provider are for administrators alone', async (t) => {
  const options = { region: 'inside' }
  const shared = await create(server, { name: 'inside', kind, base_url: PUBLIC, models: [{ id: 'm' }] })
  await server.db.collection('providers').updateOne({ _id: shared.id }, { $set: { options } })
  const read = async (token: string) => {
    const { body } = await server.request('GET', '/providers?limit=200', { token })
    return body.find(({ id }: { id: string }) => id === shared.id)
  }
  t.match(await read(server.admin.token), { base_url: PUBLIC, options })
  const seen = await read(ada.token)
  t.match(seen, { name: 'inside', base_url: null, models: [{ id: 'm' }] })
  t.strictSame(seen.options, {})
  t.equal((await server.request('DELETE', `/admin/providers/${shared.id}`)).status, 204)
})

t.test(
  'a provider that is somebody else’s does not exist, and a global one may be seen but not changed',
  async (t) => {
    const { id } = await create(
      server,
      { name: 'mine', kind, base_url: PUBLIC, models: [{ id: 'm' }] },
      ada.token,
    )
    const shared = await create(server, { name: 'shared', kind, base_url: PUBLIC, models: [{ id: 'm' }] })

    const ask = (method: string, path: string, token = bob.token) =>
      server.request(method, path, { token, ...(method === 'DELETE' ? {} : { body: {} }) })
    for (const [method, path] of [
      ['PATCH', `/providers/${id}`],
      ['DELETE', `/providers/${id}`],
      ['POST', `/providers/${id}/test`],
    ] as const)
      t.match(await ask(method, path), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
    t.equal((await ask('PATCH', `/providers/${id}`, server.admin.token)).status, 404)
    t.equal((await ask('PATCH', `/admin/providers/${id}`, server.admin.token)).status, 404)

    for (const token of [bob.token, server.admin.token])
      for (const method of ['PATCH', 'DELETE'])
        t.match(await ask(method, `/providers/${shared.id}`, token), {
          status: 403,
          body: { error: { code: 'FORBIDDEN' } },
        })
    for (const [method, path] of [
      ['GET', '/admin/providers'],
      ['POST', '/admin/providers'],
      ['PATCH', `/admin/providers/${shared.id}`],
      ['DELETE', `/admin/providers/${shared.id}`],
      ['POST', `/admin/providers/${shared.id}/test`],
    ] as const)
      t.equal((await server.request(method, path, { token: bob.token })).status, 403, `${method} ${path}`)

    const names = async (path: string, token: string) =>
      (await server.request('GET', path, { token })).body.map(({ name }: { name: string }) => name)
    t.strictSame(await names('/providers', bob.token), ['demo', 'shared'])
    t.strictSame(await names('/admin/providers', server.admin.token), ['demo', 'shared'])
  },
)

t.test('a name is taken once among what a user can see, also when many ask at once', async (t) => {
  const post = (name: string, token?: string) =>
    server.request('POST', token ? '/providers' : '/admin/providers', {
      token,
      body: { name, kind, base_url: PUBLIC, models: [{ id: 'm' }] },
    })
  const replies = await Promise.all(Array.from({ length: 20 }, () => post('same', ada.token)))
  t.equal(replies.filter(({ status }) => status === 201).length, 1)
  t.equal(replies.filter(({ status }) => status === 409).length, 19)
  t.match(replies.find(({ status }) => status === 409)!.body, {
    error: { code: 'PROVIDER_NAME_TAKEN', details: { name: 'same' } },
  })
  t.equal((await post('same', bob.token)).status, 201, 'what others have does not matter')
  t.equal((await post('demo', ada.token)).status, 409, 'a global name is everybody’s')
  t.equal((await post('demo')).status, 409)

  const { body: other } = await post('other', ada.token)
  const rename = (name: string) =>
    server.request('PATCH', `/providers/${other.id}`, { token: ada.token, body: { name } })
  t.equal((await rename('same')).status, 409)
  t.equal((await rename('demo')).status, 409)
  t.match(await rename('another'), { status: 200, body: { name: 'another' } })
})

t.test('bodies that do not fit are refused with the field', async (t) => {
  const refused: [object, string][] = [
    [{ kind, base_url: PUBLIC }, '/name'],
    [{ name: 'No', kind, base_url: PUBLIC }, '/name'],
    [{ name: 'x', kind }, '/base_url'],
    [{ name: 'x', kind, base_url: 'ftp://example.org' }, '/base_url'],
    [{ name: 'x', kind, base_url: 'http://user:word@192.31.196.7' }, '/base_url'],
    [{ name: 'x', kind, base_url: 'http://192.31.196.7/v1?key=word' }, '/base_url'],
    [{ name: 'x', kind, base_url: 'http://192.31.196.7#word' }, '/base_url'],
    [{ name: 'x', kind, base_url: 'http://192.31.196.7:99999/v1' }, '/base_url'],
    [{ name: 'x', kind, base_url: 'http://192.31.196.7/a b' }, '/base_url'],
    [{ name: 'x', kind, base_url: PUBLIC, note: 'x' }, '/note'],
    [{ name: 'x', kind, base_url: PUBLIC, api_key: 'two\nlines' }, '/api_key'],
    [{ name: 'x', kind, base_url: PUBLIC, models: [{ id: 'a' }, { id: 'a' }] }, '/models/1/id'],
    [{ name: 'x', kind, base_url: PUBLIC, options: { headers: { 'x-a': 1 } } }, '/options/headers/x-a'],
    [{ name: 'x', kind, base_url: PUBLIC, options: { headers: { Host: 'a' } } }, '/options/headers/Host'],
    [
      { name: 'x', kind, base_url: PUBLIC, options: { headers: { 'transfer-encoding': 'a' } } },
      '/options/headers/transfer-encoding',
    ],
    [{ name: 'x', kind, base_url: PUBLIC, options: { timeout: 1 } }, '/options/timeout'],
    [{ name: 'x', kind: 'demo', options: { delay_ms: 5000 } }, '/options/delay_ms'],
  ]
  for (const [body, path] of refused) {
    const reply = await server.request('POST', '/providers', { token: ada.token, body })
    t.equal(reply.status, 422, path)
    t.ok(
      reply.body.error.details.issues.some((issue: { path: string }) => issue.path.startsWith(path)),
      `${path} in ${JSON.stringify(reply.body.error.details)}`,
    )
  }
  const { id } = await create(server, { name: 'global', kind, base_url: PUBLIC, models: [{ id: 'm' }] })
  const impossible = { base_url: 'https://192.31.196.7:99999' }
  for (const [method, path, body] of [
    ['POST', '/admin/providers', { name: 'x', kind, ...impossible }],
    ['PATCH', `/admin/providers/${id}`, impossible],
  ] as const)
    t.match(await server.request(method, path, { body }), {
      status: 422,
      body: { error: { details: { issues: [{ path: '/base_url' }] } } },
    })
  t.match(
    await server.request('POST', '/providers', { token: ada.token, body: { name: 'x', kind: 'none' } }),
    { status: 400, body: { error: { code: 'PROVIDER_KIND_UNSUPPORTED', details: { kind: 'none' } } } },
  )
})

t.test('options that are secrets are used, stay when others change, and are never shown', async (t) => {
  const logged = followLog()
  const fake = await upstream(t)
  const options = { headers: { 'x-gateway-key': 'gw-canary' } }
  const { id, options: shown } = await create(server, { name: 'gate', kind, base_url: fake.url, options })
  t.strictSame(shown, {})
  const patch = (options: object) => server.request('PATCH', `/admin/providers/${id}`, { body: { options } })
  const test = () => server.request('POST', `/admin/providers/${id}/test`, { body: {} })

  t.match((await patch({})).body, { options: {} })
  t.match((await test()).body, { ok: true })
  t.equal(fake.requests.at(-1)!.headers['x-gateway-key'], 'gw-canary')
  const stored = await currentCradle().collections.providers.findOne({ _id: id })
  t.notMatch(JSON.stringify([stored, logged()]), 'gw-canary')

  t.match(await patch({ headers: { 'x-a': 1 } }), { status: 422 })
  t.match(await patch({ headers: null }), { status: 200 })
  await test()
  t.equal(fake.requests.at(-1)!.headers['x-gateway-key'], undefined)
})

t.test('a user’s own provider reaches no local address; an administrator’s may', async (t) => {
  const fake = await upstream(t)
  const post = (base_url: string) =>
    server.request('POST', '/providers', { token: ada.token, body: { name: 'local', kind, base_url } })
  for (const base_url of [
    fake.url,
    'http://localhost:1/v1',
    'http://[::1]:8080',
    'http://169.254.169.254/latest',
  ])
    t.match(await post(base_url), { status: 400, body: { error: { code: 'ADDRESS_NOT_ALLOWED' } } }, base_url)

  const { id } = await create(
    server,
    { name: 'later', kind, base_url: PUBLIC, models: [{ id: 'm' }] },
    ada.token,
  )
  const patched = await server.request('PATCH', `/providers/${id}`, {
    token: ada.token,
    body: { base_url: fake.url },
  })
  t.match(patched, {
    status: 400,
    body: { error: { code: 'ADDRESS_NOT_ALLOWED', details: { host: '127.0.0.1' } } },
  })

  // As if the name had got another address after it was saved.
  await server.db.collection('providers').updateOne({ name: 'later' }, { $set: { base_url: fake.url } })
  const tested = await server.request('POST', `/providers/${id}/test`, {
    token: ada.token,
    body: { model_id: 'm' },
  })
  t.match(tested, { status: 400, body: { error: { code: 'ADDRESS_NOT_ALLOWED' } } })
  t.equal(fake.requests.length, 0)

  const shared = await create(server, { name: 'shared', kind, base_url: fake.url })
  t.match(
    (await server.request('POST', `/providers/${shared.id}/test`, { token: ada.token, body: {} })).body,
    { ok: true },
  )

  const bea = await server.createUser({ username: 'bea', role: 'admin' })
  const own = (method: string, path: string, body: object = {}) =>
    server.request(method, `/providers${path}`, { token: bea.token, body })
  const { id: own_id } = (await own('POST', '', { name: 'own', kind, base_url: fake.url })).body
  const ok = { status: 200, body: { ok: true } }
  t.match(await own('POST', `/${own_id}/test`), ok, 'also one that only an administrator has')
  t.match(await own('PATCH', `/${own_id}`, { base_url: fake.url, enabled: true }), { status: 200 })
  await server.request('PATCH', '/users/bea', { body: { role: 'user' } })
  t.match(await own('POST', `/${own_id}/test`), ok, 'an administrator has entered it')
  t.match(await own('PATCH', `/${own_id}`, { enabled: true }), { status: 200 })
  t.match(await own('POST', `/${own_id}/test`), { body: { error: { code: 'ADDRESS_NOT_ALLOWED' } } })
})

/** A server that reaches local addresses, and on which something refers to each provider named "named". */
const linked = await start(t, {
  env: { SVC_ALLOW_HOSTS: '127.0.0.1' },
  plugins: {
    references: `export default {
      kernel: 1,
      name: 'references', summary: 'Refers to a provider', depends: ['providers'],
      setup(host) {
        host.extend('providers.references', ({ name, scope, owner_id }) =>
          name === 'named' ? { agents: [{ id: scope, name: owner_id ?? 'nobody' }] } : {})
      },
    }`,
  },
})
const eve = await linked.createUser({ username: 'eve' })

t.test('an allowed host is reached by everybody', async (t) => {
  const fake = await upstream(t)
  const { id } = await create(linked, { name: 'local', kind, base_url: fake.url, api_key: KEY }, eve.token)
  const { body } = await linked.request('POST', `/providers/${id}/test`, { token: eve.token, body: {} })
  t.match(body, { ok: true, model: 'fake-model', latency_ms: Number })
  t.equal(fake.requests[0]!.headers.authorization, `Bearer ${KEY}`)
})

t.test(
  'the models of all enabled providers are listed, as entered or as the upstream has them',
  async (t) => {
    const fake = await upstream(t, { models: ['gpt-x', 'text-embedding-x', 'org/model:1'] })
    await create(server, { name: 'asked', kind, base_url: fake.url })
    const models = [
      { id: 'big', context_window: 1000, max_output_tokens: 100, input: ['text', 'image'], reasoning: true },
      { id: 'off', enabled: false },
      { id: 'vectors', embedding: true },
    ]
    await create(server, { name: 'entered', kind, base_url: PUBLIC, models }, ada.token)
    await create(server, { name: 'disabled', kind, base_url: fake.url, enabled: false })

    const body = await listModels(server, 4, ada.token)
    t.strictSame(
      body.map(({ id }: { id: string }) => id),
      ['asked:gpt-x', 'asked:org/model:1', 'demo:demo', 'entered:big'],
    )
    t.strictSame(body[3], {
      id: 'entered:big',
      provider: 'entered',
      model: 'big',
      name: 'big',
      kind,
      model_kind: 'chat',
      context_window: 1000,
      max_output_tokens: 100,
      input: ['text', 'image'],
      tools: null,
      reasoning: true,
      price: null,
    })
    t.notMatch(
      JSON.stringify((await server.request('GET', '/models')).body),
      'entered',
      'others do not see them',
    )
  },
)

const idsOf = (body: { id: string }[]) => body.map(({ id }) => id)

t.test('models are found by their kind and by words, a page at a time', async (t) => {
  const spoken = ['tts-1', 'whisper-1', 'gpt-image-1', 'bge-reranker-v2', 'text-embedding-x', 'sora-2']
  const chatting = Array.from({ length: 7 }, (_, n) => `Vendor/Chat-${n}`)
  const fake = await upstream(t, { models: [...spoken, ...chatting.toReversed()] })
  await create(server, { name: 'gateway', kind, base_url: fake.url })
  const list = async (query: string) => (await server.request('GET', `/models?${query}`)).body
  await listModels(server, 8)

  const kinds = { speech: 0, transcription: 1, image: 2, rerank: 3, embedding: 4 }
  for (const [model_kind, index] of Object.entries(kinds))
    t.match(await list(`kind=${model_kind}`), [{ model: spoken[index], model_kind }], model_kind)
  t.strictSame(idsOf(await list('kind=chat')), idsOf(await list('')), 'without a kind, they chat')
  for (const id of spoken)
    t.match(
      await server.request('PUT', '/models/active', { body: { model: `gateway:${id}` } }),
      { body: { error: { code: 'PROVIDER_NOT_VISIBLE' } } },
      `${id} does not chat`,
    )

  t.strictSame(idsOf(await list('q=vENDOR+chat-3')), ['gateway:Vendor/Chat-3'])
  t.equal((await list('q=%20gateway++chat%20')).length, 7, 'the provider has a name as well')
  t.strictSame(await list('q=vendor+demo'), [])
  const pages = await readPages(server, '/models?q=chat&limit=3')
  t.strictSame(
    pages.map(({ body }) => body.length),
    [3, 3, 1],
  )
  t.strictSame(
    pages.flatMap(({ body }) => idsOf(body)),
    chatting.map((id) => `gateway:${id}`),
  )
  for (const query of ['kind=video', 'q=a&cursor=x', 'limit=0', 'search=x', `q=${'x'.repeat(201)}`])
    t.equal((await server.request('GET', `/models?${query}`)).status, 422, query)
})

t.test('numbers of an upstream that cannot be true are unknown', async (t) => {
  const sizes = [0, -1, 12, 1e12, 8192.5, '8192', null, [], 8192]
  const data = sizes.flatMap((size, index) => [
    { id: `window-${index}`, context_length: size },
    { id: `output-${index}`, context_length: 32_768, max_completion_tokens: size },
  ])
  const odd = [
    { id: 'output-9', context_length: 32_768, max_completion_tokens: 32_768 },
    { id: 'twice', name: 'First' },
    { id: 'twice', name: 'Second' },
    { id: 'long', name: 'n'.repeat(5000) },
    { id: 'free', pricing: { prompt: '0', completion: '0' } },
    { id: 'routed', pricing: { prompt: '-1', completion: '-1' } },
    { id: 'deaf', architecture: { input_modalities: ['file'] } },
  ]
  const lists = createServer((_, reply) => reply.end(JSON.stringify({ data: [...data, ...odd] })))
  await once(lists.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => lists.close())
  const base_url = `http://127.0.0.1:${(lists.address() as AddressInfo).port}`
  await create(server, { name: 'odd', kind, base_url })
  await listModels(server, 25)
  const { body } = await server.request('GET', '/models?q=odd:&limit=100')
  const rows = new Map<string, Record<string, unknown>>(
    body.map((row: { model: string }) => [row.model, row]),
  )
  const listed = sizes.map((_, index) => rows.get(`window-${index}`)?.context_window)
  t.strictSame(listed, [null, null, null, null, null, null, null, null, 8192])
  const limits = [...sizes, 32_768].map((_, index) => rows.get(`output-${index}`)?.max_output_tokens)
  t.strictSame(limits, [null, null, 12, null, null, null, null, null, 8192, null])
  t.equal(rows.get('twice')?.name, 'First')
  t.equal(body.length, 2 * sizes.length + odd.length - 1)
  t.equal(rows.get('long')?.name, 'n'.repeat(200))
  t.match(rows.get('free')?.price, { input: 0, output: 0, cache_read: null, currency: 'USD' })
  t.equal(rows.get('routed')?.price, null)
  t.equal(rows.get('deaf')?.input, null)
})

t.test('a model is what was entered, and the same when its row is sent back', async (t) => {
  const models = [
    { id: 'draws', model_kind: 'image', embedding: false, name: 'Draws' },
    { id: 'vectors', embedding: true },
    { id: 'unknown', input: null, tools: null, reasoning: null, context_window: null },
    { id: 'sees', input: ['image', 'text'], tools: false, reasoning: false },
  ]
  const { id, models: rows } = await create(server, { name: 'mixed', kind, base_url: PUBLIC, models })
  t.match(rows, [
    { model_kind: 'image', embedding: false, name: 'Draws' },
    { model_kind: 'embedding', embedding: true, name: 'vectors' },
    { model_kind: 'chat', embedding: false, input: null, tools: null, reasoning: null },
    { model_kind: 'chat', input: ['image', 'text'], tools: false, reasoning: false },
  ])
  const path = `/admin/providers/${id}`
  t.strictSame((await server.request('PATCH', path, { body: { models: rows } })).body.models, rows)
  const { body } = await server.request('GET', '/models?q=mixed')
  t.match(body, [
    { id: 'mixed:sees', tools: false },
    { id: 'mixed:unknown', input: null, price: null },
  ])
  t.equal(body.length, 2)
  t.match((await server.request('GET', '/models?kind=image')).body, [{ id: 'mixed:draws' }])
  t.match(await server.request('PATCH', path, { body: { models: [{ id: 'x', model_kind: 'video' }] } }), {
    status: 422,
  })
})

t.test('the list of an upstream outlives a restart, and goes with its provider', async (t) => {
  const fake = await upstream(t, { models: ['gpt-x'] })
  const { id } = await create(server, { name: 'up', kind, base_url: fake.url })
  await listModels(server, 2)
  const lists = currentCradle().collections.model_lists
  while ((await lists.countDocuments({ _id: id })) === 0) await pause(5)
  await fake.close()
  await server.restart()
  t.match((await server.request('GET', '/models')).body, [{ id: 'demo:demo' }, { id: 'up:gpt-x' }])

  const again = await upstream(t, { models: ['gpt-y'] })
  await server.request('PATCH', `/admin/providers/${id}`, { body: { base_url: again.url } })
  let ids: string[] = []
  while (!ids.includes('up:gpt-y'))
    ids = (await server.request('GET', '/models')).body.map((row: { id: string }) => row.id)
  t.notOk(ids.includes('up:gpt-x'), 'another address has another list')
  await server.request('DELETE', `/admin/providers/${id}`)
  t.equal(await server.db.collection<{ _id: string }>('model_lists').countDocuments({ _id: id }), 0)
})

t.test('an upstream that fails to list its models leaves them out', async (t) => {
  const logged = followLog()
  const fake = await upstream(t)
  await fake.close()
  await create(server, { name: 'gone', kind, base_url: fake.url, api_key: KEY })
  t.match(await listModels(server, 1), [{ id: 'demo:demo' }])
  while (!/"provider":"gone".*the models cannot be listed/.test(logged())) await pause(10)
  t.notMatch(logged(), KEY)
})

t.test(
  'a new upstream is waited for, but not long, and its models are listed when it has answered',
  async (t) => {
    let answer = () => {}
    const slow = createServer((_, res) => {
      answer = () => res.end('{"data":[{"id":"m"}]}')
      slow.emit('asked')
    })
    await once(slow.listen(0, '127.0.0.1'), 'listening')
    t.teardown(() => {
      slow.close()
      slow.closeAllConnections()
    })
    const base_url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
    const asked = async (name: string) =>
      Promise.all([once(slow, 'asked'), create(server, { name, kind, base_url })])
    const list = async () => (await server.request('GET', '/models')).body.map(({ id }: { id: string }) => id)
    await asked('slow')
    t.strictSame(await list(), ['demo:demo'])
    answer()
    let ids = await list()
    while (ids.length < 2) ids = await list()
    t.strictSame(ids, ['demo:demo', 'slow:m'])

    await asked('slower')
    const reading = list()
    answer()
    t.strictSame(await reading, ['demo:demo', 'slow:m', 'slower:m'])
  },
)

t.test('the active model is everybody’s: an administrator chooses it among the global ones', async (t) => {
  const put = (model: string, token?: string) =>
    server.request('PUT', '/models/active', { token, body: { model } })
  t.strictSame((await server.request('GET', '/models/active', { token: ada.token })).body, {
    model: 'demo:demo',
  })
  await create(server, {
    name: 'shared',
    kind,
    base_url: PUBLIC,
    models: [{ id: 'a:b' }, { id: 'off', enabled: false }],
  })
  await create(server, { name: 'own', kind, base_url: PUBLIC, models: [{ id: 'a' }] }, server.admin.token)

  t.match(await put('shared:a:b'), { status: 200, body: { model: 'shared:a:b' } })
  t.strictSame((await server.request('GET', '/models/active', { token: ada.token })).body, {
    model: 'shared:a:b',
  })
  t.equal((await put('demo:demo', ada.token)).status, 403)
  for (const model of ['shared:other', 'shared:off', 'own:a', 'nobody:a', 'shared', ':a:b'])
    t.match(await put(model), {
      status: 400,
      body: { error: { code: 'PROVIDER_NOT_VISIBLE', details: { model } } },
    })
})

t.test('a test says whether a model answers, and if not, what to do', async (t) => {
  const fake = await upstream(t)
  const { id } = await create(server, { name: 'up', kind, base_url: fake.url, api_key: KEY })
  const test = async (body: object = {}, language = 'en') => {
    const headers = { 'accept-language': language }
    const reply = await server.request('POST', `/providers/${id}/test`, { body, headers })
    t.equal(reply.status, 200)
    return reply.body
  }
  t.match(await test(), { ok: true, model: 'fake-model', latency_ms: Number })
  t.ok((fake.requests[0]!.body.max_tokens as number) <= 16)
  t.match(await test({ model_id: 'another' }), { ok: true, model: 'another' })
  t.equal(fake.requests[1]!.body.model, 'another')

  t.match(await test({ model_id: 'vectors', embedding: true }), { ok: true, model: 'vectors' })
  t.match(fake.embeddingRequests, [{ body: { model: 'vectors' } }])
  t.match(await test({ embedding: true }), { ok: false, reason: 'model_not_found', detail: /lists no model/ })

  fake.next({ status: 401, error: { message: `Incorrect API key: ${KEY}` } })
  const refused = await test({}, 'zh')
  t.match(refused, { ok: false, reason: 'auth', status: 401, detail: /拒绝了 API 密钥/ })
  t.notMatch(refused.detail, KEY)
  const count = fake.requests.length
  for (const [status, reason] of [
    [402, 'quota'],
    [429, 'rate_limit'],
    [503, 'outage'],
    [404, 'model_not_found'],
    [400, 'bad_request'],
  ] as const) {
    fake.next({ status })
    t.match(await test(), { ok: false, reason, status, detail: String })
  }
  t.equal(fake.requests.length, count + 5, 'a refusal is not tried again')
  fake.next({
    status: 400,
    error: { message: 'Could not finish the message because max_tokens was reached' },
  })
  t.match(await test(), { ok: true }, 'a model that thinks past the limit has answered')
  fake.next({ status: 429, error: { message: 'Your rate limit was reached' } })
  t.match(await test(), { ok: false, reason: 'rate_limit' })

  await fake.close()
  t.match(await test({ model_id: 'm' }), { ok: false, reason: 'unreachable' })
  // No connection is ever opened to this port.
  await server.request('PATCH', `/admin/providers/${id}`, { body: { base_url: 'http://127.0.0.1:9/' } })
  for (const body of [{}, { model_id: 'm' }]) t.match(await test(body), { ok: false, reason: 'unreachable' })
  const [demo] = (await server.request('GET', '/providers')).body
  t.match((await server.request('POST', `/providers/${demo.id}/test`, { body: {} })).body, {
    ok: true,
    model: 'demo',
  })
})

t.test('a draft is tested as a provider is, lists its models and is not saved', async (t) => {
  const logged = followLog()
  const fake = await upstream(t, { models: ['gpt-draft', 'text-embedding-x'], apiKey: KEY })
  const draft = { name: 'draft', kind, base_url: fake.url, api_key: KEY }
  const probe = (body: object, token?: string) =>
    server.request('POST', token ? '/providers/probe' : '/admin/providers/probe', { token, body })
  const models = [
    {
      id: 'gpt-draft',
      name: 'gpt-draft',
      enabled: true,
      embedding: false,
      model_kind: 'chat',
      reasoning: null,
      context_window: null,
    },
    { id: 'text-embedding-x', embedding: true },
  ]
  const audited = () => server.db.collection('audit_log').countDocuments()
  const auditRows = await audited()
  t.match(await probe(draft), {
    status: 200,
    body: { ok: true, latency_ms: Number, model: 'gpt-draft', models },
  })
  const entered = { ...draft, name: undefined, models: [{ id: 'gpt-y' }] }
  t.match((await probe(entered)).body, { ok: false, reason: 'model_not_found', models })
  t.match((await probe({ ...entered, model_id: 'gpt-draft' })).body, { ok: true, model: 'gpt-draft', models })
  t.match((await probe({ ...draft, embedding: true })).body, { ok: true, model: 'text-embedding-x' })
  t.match((await probe({ ...draft, api_key: 'sk-wrong' })).body, { ok: false, reason: 'auth', models: [] })
  t.match((await probe({ name: 'x', kind: 'demo' }, ada.token)).body, { ok: true, model: 'demo' })

  t.match(await probe(draft, ada.token), { status: 400, body: { error: { code: 'ADDRESS_NOT_ALLOWED' } } })
  t.match(await probe({ name: 'x', kind: 'none' }), { status: 400 })
  t.match(await probe({ ...draft, options: { timeout: 1 } }), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/options/timeout' }] } } },
  })
  const names = (await server.request('GET', '/admin/providers')).body.map(
    ({ name }: { name: string }) => name,
  )
  t.strictSame(names, ['demo'])
  t.equal(await audited(), auditRows)
  t.equal(await server.db.collection('model_lists').countDocuments({ 'models.id': 'gpt-draft' }), 0)
  t.notMatch(logged(), KEY)
})

t.test('a provider whose models all embed is tested at the embeddings endpoint', async (t) => {
  const fake = await upstream(t)
  const models = [{ id: 'vectors', embedding: true }]
  const { id } = await create(server, { name: 'up', kind, base_url: fake.url, models })
  for (const body of [{}, { model_id: 'vectors' }, { embedding: true }])
    t.match((await server.request('POST', `/providers/${id}/test`, { body })).body, {
      ok: true,
      model: 'vectors',
    })
  t.equal(fake.embeddingRequests.length, 3)
  t.equal(fake.requests.length, 0)
})

t.test('a turn gets the first model that is named, never another in its place', async (t) => {
  const { collections, models } = currentCradle()
  const open = async (...candidates: (string | null | undefined)[]) =>
    (await models.open(candidates, ada.id)).reference
  const own = await create(server, { name: 'own', kind, base_url: PUBLIC, models: [{ id: 'a' }] }, ada.token)
  const patch = (body: object) => server.request('PATCH', `/providers/${own.id}`, { token: ada.token, body })

  t.equal(await open(undefined, null, 'own:a', 'demo:demo'), 'own:a')
  t.equal(await open(), 'demo:demo')
  for (const model of ['own:gone', 'nobody:a', 'nonsense'])
    await t.rejects(open(model, 'demo:demo'), { code: 'MODEL_DISABLED', details: { model } })
  await t.rejects(models.assertUsable('own:gone', ada.id), {
    code: 'PROVIDER_NOT_VISIBLE',
    details: { model: 'own:gone' },
  })
  await t.rejects(models.assertUsable('demo:other', ada.id), { code: 'PROVIDER_NOT_VISIBLE' })
  await t.resolves(models.assertUsable('own:a', ada.id))

  const first = await models.open(['own:a'], ada.id)
  const { explain } = await models.open(['own:a'], ada.id)
  t.equal(explain, first.explain, 'the same model is not opened twice')
  await patch({ api_key: KEY })
  t.not((await models.open(['own:a'], ada.id)).explain, explain, 'a change applies at once')
  t.match(first.description, { id: 'a', name: 'a' })
  await patch({ enabled: false })
  await t.rejects(open('own:a'), { code: 'MODEL_DISABLED', details: { model: 'own:a' } })
  await t.rejects(models.assertUsable('own:a', ada.id), { code: 'PROVIDER_NOT_VISIBLE' })
  const agent = { owner_id: ada.id, default_model: 'own:a' }
  await t.rejects(models.open([], ada.id, agent), { code: 'MODEL_DISABLED' })

  await patch({ enabled: true })
  t.equal((await models.open([], ada.id, agent)).reference, 'own:a')
  t.equal((await models.open([], bob.id, agent)).reference, 'demo:demo', 'who is a guest lacks it')
  await t.rejects(models.open(['own:a'], bob.id), { code: 'MODEL_DISABLED' }, 'nobody else names it')
  await patch({ models: [{ id: 'b' }] })
  await t.rejects(open('own:a'), { code: 'MODEL_DISABLED' })

  const active = async () => (await server.request('GET', '/models/active', { token: bob.token })).body
  const [demo] = await collections.providers.find({ name: 'demo' }).toArray()
  const enable = (enabled: boolean) =>
    server.request('PATCH', `/admin/providers/${demo!._id}`, { body: { enabled } })
  await enable(false)
  await t.rejects(open(), { code: 'MODEL_DISABLED', details: { model: 'demo:demo' } })
  t.strictSame(await active(), { model: null, disabled_model: 'demo:demo' })
  await t.rejects(models.open([], bob.id, { owner_id: ada.id, default_model: 'demo:demo' }), {
    code: 'MODEL_DISABLED',
  })
  await enable(true)
  t.strictSame(await active(), { model: 'demo:demo' })
  await collections.model_settings.deleteMany({})
  currentCradle().visibleProviders.forget()
  await t.rejects(open(), { code: 'NO_MODEL' })
  t.strictSame(await active(), { model: null })
})

t.test(
  'a user’s own provider wins over a later global one of its name, except as the active model',
  async (t) => {
    const fake = await upstream(t)
    await create(server, { name: 'llm', kind, base_url: PUBLIC, models: [{ id: 'mine' }] }, ada.token)
    await create(server, { name: 'llm', kind, base_url: fake.url, models: [{ id: 'ours' }] })
    await server.request('PUT', '/models/active', { body: { model: 'llm:ours' } })
    const ids = (await server.request('GET', '/models', { token: ada.token })).body.map(
      ({ id }: { id: string }) => id,
    )
    t.strictSame(ids, ['demo:demo', 'llm:mine'])
    t.equal((await currentCradle().models.open(['llm:ours'], ada.id)).reference, 'llm:ours')
    t.equal((await currentCradle().models.open(['llm:mine'], ada.id)).reference, 'llm:mine')
  },
)

t.test('a failed call becomes an error with guidance and without the key', async (t) => {
  const fake = await upstream(t)
  await create(server, { name: 'up', kind, base_url: fake.url, api_key: KEY, models: [{ id: 'm' }] })
  const { stream, explain } = await currentCradle().models.open(['up:m'], ada.id)
  const fail = async (locale: 'en' | 'zh') => {
    const account = {
      user_id: ada.id,
      token_quota: null,
      budget: null,
      timezone: null,
      agent_id: 'agent',
      thread_id: null,
    }
    const options = { prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }] }
    const parts = stream({ call_id: 'call', account, purpose: 'turn', options })
    try {
      for await (const part of parts) t.fail(part.type)
    } catch (error) {
      return explain(error, locale)
    }
    throw new Error('the call did not fail')
  }
  const now = { headers: { 'retry-after': '31' } }
  const long = `Key ${KEY} and sk-proj-abcdefghijklmnop are wrong. ${'x'.repeat(500)}`
  for (const [script, code, reason] of [
    [{ status: 401, error: { message: long } }, 'MODEL_AUTH_FAILED', 'auth'],
    [{ status: 402 }, 'MODEL_QUOTA_EXHAUSTED', 'quota'],
    [{ status: 429, ...now }, 'MODEL_RATE_LIMITED', 'rate_limit'],
    [{ status: 503, ...now }, 'MODEL_UNAVAILABLE', 'outage'],
    [{ status: 404 }, 'MODEL_NOT_FOUND', 'model_not_found'],
    [{ status: 422 }, 'MODEL_CALL_FAILED', 'bad_request'],
  ] as const) {
    fake.next(script)
    const error = await fail('zh')
    t.match(error, {
      code,
      details: { provider: 'up', model: 'm', reason, status: script.status, guidance: /[一-龥]/ },
    })
    const said = JSON.stringify(error.details)
    t.notMatch(said, KEY)
    t.notMatch(said, 'sk-proj')
    t.ok(String(error.details.detail).length <= 300)
  }
  await fake.close()
  t.match(await fail('en'), {
    code: 'MODEL_UNAVAILABLE',
    details: { reason: 'unreachable', guidance: /Check the URL/ },
  })
})

t.test('a provider that something refers to is neither deleted nor renamed', async (t) => {
  const own = await create(
    linked,
    { name: 'named', kind, base_url: PUBLIC, models: [{ id: 'm' }] },
    eve.token,
  )
  const ask = (method: string, body?: object) =>
    linked.request(method, `/providers/${own.id}`, { token: eve.token, body })
  const refused = {
    status: 409,
    body: {
      error: {
        code: 'PROVIDER_REFERENCED',
        details: { name: 'named', agents: [{ id: 'user', name: eve.id }] },
      },
    },
  }
  t.match(await ask('DELETE'), refused)
  t.match(await ask('PATCH', { name: 'other' }), refused)
  t.match(await ask('PATCH', { name: 'named', enabled: false }), { status: 200 })

  const [demo] = (await linked.request('GET', '/admin/providers')).body
  const remove = () => linked.request('DELETE', `/admin/providers/${demo.id}`)
  t.match(await remove(), {
    status: 409,
    body: { error: { code: 'PROVIDER_REFERENCED', details: { active_model: 'demo:demo' } } },
  })
  await create(linked, { name: 'new', kind, base_url: PUBLIC, models: [{ id: 'm' }] })
  await linked.request('PUT', '/models/active', { body: { model: 'new:m' } })
  t.equal((await remove()).status, 204)
  await linked.restart()
  const names = (await linked.request('GET', '/admin/providers')).body.map(
    ({ name }: { name: string }) => name,
  )
  t.strictSame(names, ['new'], 'the demonstration does not come back')
})

t.test('a key stays with the address that it was entered for', async (t) => {
  const { id } = await create(server, {
    name: 'bound',
    kind,
    base_url: PUBLIC,
    api_key: KEY,
    models: [{ id: 'm' }],
  })
  const patch = (body: object) => server.request('PATCH', `/admin/providers/${id}`, { body })
  const { origin } = new URL(PUBLIC)
  t.equal((await patch({ base_url: `${origin}/another/path` })).status, 200)
  t.match(await patch({ base_url: 'http://192.31.196.9/v1' }), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/api_key', rule: 'address' }] } } },
  })
  t.equal((await patch({ base_url: 'http://192.31.196.9/v1', api_key: 'another-key' })).status, 200)
  t.equal((await patch({ base_url: PUBLIC, api_key: null })).status, 200)
  t.equal((await server.request('DELETE', `/admin/providers/${id}`)).status, 204)
})

t.test('concurrent changes of one provider are all kept', async (t) => {
  const { id } = await create(server, { name: 'busy', kind, base_url: PUBLIC, models: [{ id: 'm' }] })
  const patch = (body: object) => server.request('PATCH', `/admin/providers/${id}`, { body })
  await Promise.all([
    patch({ enabled: false }),
    patch({ api_key: KEY }),
    patch({ models: [{ id: 'm' }] }),
    patch({ base_url: 'http://192.31.196.7/v2' }),
    patch({ name: 'busier' }),
  ])
  const rows = (await server.request('GET', '/admin/providers')).body
  t.match(
    rows.find((row: { id: string }) => row.id === id),
    {
      enabled: false,
      has_api_key: true,
      models: [{ id: 'm' }],
      base_url: 'http://192.31.196.7/v2',
      name: 'busier',
    },
  )
})

t.test('a first start makes providers of the keys in the environment, and only a first start', async (t) => {
  const fake = await upstream(t)
  const server = await start(t, {
    env: {
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: fake.url,
      ANTHROPIC_API_KEY: `${KEY}3`,
      ANTHROPIC_BASE_URL: fake.url,
    },
  })
  const { body } = await server.request('GET', '/admin/providers')
  t.match(body, [
    { name: 'anthropic', kind: 'anthropic', base_url: fake.url, has_api_key: true },
    { name: 'demo', kind: 'demo', has_api_key: false },
    { name: 'openai', kind: 'openai', base_url: fake.url, has_api_key: true },
  ])
  const { model } = (await server.request('GET', '/models/active')).body
  t.match(model, /^openai:/)
  t.notMatch(JSON.stringify([body, server.logged()]), KEY)

  await server.request('PUT', '/models/active', { body: { model: 'demo:demo' } })
  t.equal((await server.request('DELETE', `/admin/providers/${body[2].id}`)).status, 204)
  await server.restart()
  t.equal((await server.request('GET', '/admin/providers')).body.length, 2)
  t.match((await server.request('GET', '/models/active')).body, { model: 'demo:demo' })
})

t.test('two servers that start at once make one demonstration provider', async (t) => {
  await removeAll()
  const announced: string[] = []
  await Promise.all(
    Array.from({ length: 5 }, () => setUpFirstProviders(currentCradle(), (_, text) => announced.push(text))),
  )
  t.strictSame(announced, ['demo:demo'])
  t.equal((await server.request('GET', '/admin/providers')).body.length, 1)
})

t.test('the providers of an account that is gone go with it', async (t) => {
  const { collections } = currentCradle()
  const { id, username, token } = await server.createUser({ username: 'leaver' })
  await create(server, { name: 'own', kind, base_url: PUBLIC, models: [{ id: 'm' }] }, token)
  await server.server.runtime.extensions['users.removal'].ask({ user_id: id, username })
  t.equal(await collections.providers.countDocuments({ owner_id: id }), 0)
  t.equal(await collections.providers.countDocuments({ name: 'demo' }), 1)
})

t.test('the list of an upstream that answers after its provider is deleted is not kept', async (t) => {
  const { collections, modelCatalog } = currentCradle()
  const { id, username } = await server.createUser({ username: 'late-leaver' })
  const fake = await upstream(t, { models: ['m'] })
  const { id: provider_id } = await create(server, { name: 'late', kind, base_url: fake.url })
  await listModels(server, 2)
  // As if it were the account's own, still in the memory of a server, and its list not yet stored.
  await collections.providers.updateOne({ _id: provider_id }, { $set: { owner_id: id } })
  const provider = (await collections.providers.findOne({ _id: provider_id }))!
  await server.server.runtime.extensions['users.removal'].ask({ user_id: id, username })
  t.match(await modelCatalog.waitForList(provider), [{ id: 'm' }])
  t.equal(await collections.model_lists.countDocuments({ _id: provider_id }), 0)
})
