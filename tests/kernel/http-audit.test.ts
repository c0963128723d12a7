import t from 'tap'
import { pluginSource, startKernel } from '../support/kernel.ts'

const rows: Record<string, unknown>[] = []
Object.assign(globalThis, { auditRows: rows })

const kernel = new URL('../../kernel/index.js', import.meta.url).href

const shop = `import { reply } from '${kernel}'
${pluginSource(
  'shop',
  `
  const body = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      password: { type: 'string', writeOnly: true },
      owner: { type: 'object', properties: { pin: { type: 'integer', writeOnly: true }, at: { type: 'string' } } },
      list: { type: 'array', items: { type: 'string' } },
      free: {},
    },
    additionalProperties: false,
  }
  const route = (method, path, audit, handler, more) =>
    ({ method, path, audit, handler, summary: 's', guard: 'badge', response: { 200: {}, 201: {}, 202: {} }, ...more })
  host.guard('badge', {
    check: ({ headers }) => (headers['x-user'] ? { caller: { id: '1', username: headers['x-user'] } } : {}),
  })
  host.routes([
    route('POST', '/goods', 'goods.create', ({ body }) => ({ id: 'new-1', ...body }), { body }),
    route('PATCH', '/goods/:id/parts/:part', 'part.update', ({ body }) => body, { body }),
    route('DELETE', '/goods/:id', 'goods.delete', () => undefined, { response: { 204: null } }),
    route('POST', '/refused', 'goods.refuse', () => { throw host.error('FORBIDDEN') }, { body }),
    route('POST', '/failed', 'goods.fail', () => { throw new Error('no') }),
    route('POST', '/bare', 'goods.bare', () => 'text'),
    route('POST', '/numbered', 'goods.numbered', () => ({ id: 5 })),
    route('POST', '/chosen', 'goods.choose', () => reply(202, { id: 'chosen-1' }, { Location: '/goods/chosen-1' })),
    route('POST', '/probe', false, () => ({})),
    route('GET', '/goods', undefined, () => []),
  ])`,
)}`
const auditor = pluginSource('auditor', `host.on('route.audited', (record) => auditRows.push(record))`)

t.beforeEach(() => {
  rows.length = 0
})

t.test('every call of a mutating route is told once, with who, what, on what and how it went', async (t) => {
  const server = await startKernel(t, { plugins: { shop, auditor } })
  const call = async (method: string, path: string, body?: unknown, user?: string) => {
    const headers: Record<string, string> = { 'x-request-id': 'req-1', ...(user ? { 'x-user': user } : {}) }
    const { status } = await server.request(method, path, { body, headers })
    return { status, row: rows.pop() }
  }
  const before = Math.floor(Date.now() / 1000)
  const { status, row } = await call('POST', '/goods', { name: 'a' }, 'ann')
  t.equal(status, 200)
  t.match(row, {
    actor: 'ann',
    action: 'goods.create',
    target: 'new-1',
    payload: { name: 'a' },
    status: 200,
    ip: /127\.0\.0\.1$/,
    request_id: 'req-1',
  })
  t.ok((row!.ts as number) >= before && (row!.ts as number) <= Date.now() / 1000)

  t.match(await call('PATCH', '/goods/7/parts/wheel', {}, 'ann'), { row: { target: '7/wheel' } })
  t.match(await call('DELETE', '/goods/7', undefined, 'ann'), {
    status: 204,
    row: { action: 'goods.delete', target: '7', status: 204, payload: undefined },
  })
  t.match(await call('POST', '/bare'), { row: { actor: null, target: null, payload: undefined } })
  t.match(await call('POST', '/numbered'), { row: { target: null } }, 'only text is an id')
  t.match(await call('POST', '/chosen'), { status: 202, row: { target: 'chosen-1', status: 202 } })
  t.match(await call('POST', '/refused', { name: 'a' }, 'ann'), {
    status: 403,
    row: { action: 'goods.refuse', status: 403, payload: { name: 'a' }, target: null },
  })
  t.match(await call('POST', '/failed'), { status: 500, row: { action: 'goods.fail', status: 500 } })
  t.same(await call('POST', '/probe'), { status: 200, row: undefined })
  t.same(await call('GET', '/goods'), { status: 200, row: undefined })
  t.same(rows, [], 'none was told twice')
})

t.test('fields that are secret are left out of what is told, at any depth', async (t) => {
  const server = await startKernel(t, { plugins: { shop, auditor } })
  const body = {
    name: 'a',
    password: 'canary',
    owner: { pin: 1234, at: 'home' },
    list: ['x'],
    free: { anything: [1] },
  }
  await server.request('POST', '/goods', { body })
  t.same(rows[0]!.payload, { name: 'a', owner: { at: 'home' }, list: ['x'], free: { anything: [1] } })
  t.notMatch(server.logged(), /canary/)
})

t.test('a call that could not be written down does not count as done', async (t) => {
  const full = pluginSource('full', "host.on('route.audited', () => { throw new Error('the book is full') })")
  const server = await startKernel(t, { plugins: { shop, full } })
  t.equal((await server.request('POST', '/bare')).status, 500)
  t.match(server.logged(), /the book is full/)
})
