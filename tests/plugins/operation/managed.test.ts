import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'

const server = await startServer(t)
const { token: ann } = await server.createUser({ username: 'ann' })

type Options = { body?: object; token?: string; headers?: Record<string, string> }
const call = (method: string, path: string, options: Options = {}) => server.request(method, path, options)
const apply = (file: string) => ({ headers: { 'x-svc-apply': encodeURIComponent(file) } })
const REFUSED = { status: 409, body: { error: { code: 'MANAGED' } } }

const { body: agent } = await call('POST', '/agents', { body: { name: 'base' } })

/** One object of each kind: how it is made, its path, and changes that are refused while it is managed. */
const KINDS = [
  {
    kind: 'agent',
    create: '/agents',
    body: { name: 'managed' },
    item: (id: string) => `/agents/${id}`,
    change: { description: 'by hand' },
    others: [
      ['PUT', '/grants', []],
      ['POST', '/stop'],
      ['POST', '/transfer', { username: 'ann' }],
      ['PUT', '/connectors', { connectors: [] }],
      ['PATCH', '/tool-settings/execute', { enabled: false }],
      ['PUT', '/mbti', { mbti: 'ISTJ' }],
      ['PUT', '/files/content?path=a.txt', 'text'],
      ['POST', '/files/directories', { path: 'notes' }],
      ['PUT', '/skills/tables', { files: [] }],
      ['DELETE', '/skills/tables'],
    ],
  },
  {
    kind: 'group',
    create: '/groups',
    body: { name: 'Sales' },
    item: (id: string) => `/groups/${id}`,
    change: { description: 'by hand' },
    others: [],
  },
  {
    kind: 'provider',
    create: '/admin/providers',
    body: { name: 'local', kind: 'ollama' },
    item: (id: string) => `/admin/providers/${id}`,
    change: { max_concurrency: 2 },
    others: [['PUT', '/grants', []]],
  },
  {
    kind: 'connector',
    create: '/connectors',
    body: { name: 'tracker', kind: 'mcp', config: { url: 'https://127.0.0.1:9/mcp' }, scope: 'global' },
    item: (id: string) => `/connectors/${id}`,
    change: { is_default: false },
    others: [['PUT', '/grants', []]],
  },
  {
    kind: 'prompt',
    create: '/prompts',
    body: { name: 'weekly', text: 'Write it.' },
    item: (id: string) => `/prompts/${id}`,
    change: { description: 'by hand' },
    others: [['PUT', '/grants', []]],
  },
  {
    kind: 'schedule',
    create: `/agents/${agent.id}/cron`,
    body: { name: 'Daily', prompt: 'Hello', schedule: { every_seconds: 3600 } },
    item: (id: string) => `/agents/${agent.id}/cron/${id}`,
    change: { enabled: false },
    others: [],
  },
  {
    kind: 'channel',
    create: `/agents/${agent.id}/channels`,
    body: { name: 'Support', kind: 'telegram', enabled: false },
    item: (id: string) => `/agents/${agent.id}/channels/${id}`,
    change: { name: 'By hand' },
    others: [],
  },
  {
    kind: 'expert',
    create: `/agents/${agent.id}/publish-expert`,
    body: { name: 'Analyst' },
    item: (id: string) => `/experts/published/${id}`,
    change: { description: 'by hand' },
    others: [['PUT', '/grants', []]],
  },
] as const

for (const { kind, create, body, item, change, others } of KINDS)
  t.test(`${kind}: what an apply has made refuses other changes until it is released`, async (t) => {
    const file = `${kind}s/größe.yaml`
    const created = await call('POST', create, { body, ...apply(file) })
    t.equal(created.status, 201, JSON.stringify(created.body))
    const path = item(created.body.id)
    t.match((await call('GET', path)).body, { managed_by: 'apply', managed_file: file })
    const refused = await call('PATCH', path, { body: change })
    t.match(refused, REFUSED)
    t.match(refused.body.error.message, file)
    t.match(await call('DELETE', path), REFUSED)
    for (const [method, below, content] of others)
      t.match(
        await call(method, `${path}${below}`, { body: content as object }),
        REFUSED,
        `${method} ${below}`,
      )

    t.equal((await call('PATCH', path, { body: change, ...apply(file) })).status, 200)
    t.match((await call('GET', `/managed?kind=${kind}`)).body, [{ id: created.body.id, file }])

    const digest = 'a'.repeat(64)
    const compare = async (sha: string) =>
      (await call('POST', '/managed/compare', { body: { kind, digests: { [created.body.id]: sha } } })).body
    t.strictSame(await compare(digest), { unchanged: [], files: {} }, 'nothing is complete yet')
    const object = { kind, id: created.body.id }
    const content = { ...object, file, digest, files: ['a.txt'] }
    t.equal((await call('POST', '/managed', { body: content })).status, 204)
    t.strictSame(await compare(digest), { unchanged: [created.body.id], files: {} })
    t.strictSame(await compare('b'.repeat(64)), { unchanged: [], files: { [created.body.id]: ['a.txt'] } })
    t.strictSame((await call('GET', `/managed?kind=${kind}`)).body, [{ id: created.body.id, file }])

    const release = (token?: string) => call('POST', '/managed/release', { body: object, token })
    t.match(await release(ann), { status: 403 })
    t.equal((await release()).status, 204)
    t.equal((await release()).status, 204, 'nothing is left to release')
    t.match((await call('GET', path)).body, { managed_by: null, managed_file: null })
    t.equal((await call('PATCH', path, { body: change })).status, 200)
    t.strictSame(await compare(digest), { unchanged: [], files: {} })
    t.equal((await call('DELETE', path)).status, 204)
  })

t.test('A managed agent is read, used and restarted, also by its name', async (t) => {
  const { body } = await call('POST', '/agents', {
    body: { name: 'used' },
    ...apply('agents/admin/used.yaml'),
  })
  t.match(await call('PATCH', '/agents/used', { body: { description: 'x' } }), REFUSED)
  t.equal((await call('POST', '/agents/used/threads', { body: {} })).status, 201)
  t.equal((await call('POST', '/agents/used/read')).status, 204)
  t.equal((await call('POST', '/agents/used/reload')).status, 204)
  t.match(
    await call('PATCH', `/agents/${body.id}`, {
      body: { description: 'x' },
      headers: { 'x-svc-apply': '%' },
    }),
    {
      status: 400,
    },
  )
})

t.test('Only one apply runs at a time', async (t) => {
  const begin = (holder: string, token?: string) =>
    call('POST', '/managed/begin', { body: { holder }, token })
  const end = (holder: string) => call('POST', '/managed/end', { body: { holder } })
  t.equal((await begin('first-run')).status, 204)
  t.match(await begin('second-run'), { status: 409, body: { error: { code: 'APPLY_RUNNING' } } })
  t.equal((await begin('first-run')).status, 204)
  t.equal((await end('second-run')).status, 204, 'nothing of another run ends')
  t.match(await begin('second-run'), { status: 409 })
  t.equal((await end('first-run')).status, 204)
  t.equal((await begin('second-run')).status, 204)
  t.match(await begin('third-run', ann), { status: 403 })
})
