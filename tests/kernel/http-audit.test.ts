import { recordablePart } from '../../kernel/http/audit.ts'
import type { JSONSchema } from '../../kernel/schema.ts'
import t from '../run/file-test.ts'
import { bareConfig, createHome, pluginSource, runCommand, startKernel } from '../support/kernel.ts'
import { installPlugin } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

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
    check({ headers }) {
      const { 'x-user': username, 'x-credential': name } = headers
      return username ? { caller: { id: '1', username, ...(name && { credential: { name } }) } } : {}
    },
  })
  host.guard('nobody', { after: 'badge', check: () => { throw host.error('FORBIDDEN') } })
  host.routes([
    route('POST', '/goods', 'goods.create', ({ body }) => ({ id: 'new-1', ...body }), { body }),
    route('PATCH', '/goods/:id/parts/:part', 'part.update', ({ body }) => body, { body }),
    route('DELETE', '/goods', 'goods.clear', () => undefined, { response: { 204: null }, query: {
      type: 'object', additionalProperties: false,
      properties: { kind: { type: 'string' }, pin: { type: 'string', writeOnly: true } },
    } }),
    route('DELETE', '/goods/:id', 'goods.delete', () => undefined, { response: { 204: null } }),
    route('DELETE', '/doors/:id/keys/:secret', 'key.delete', () => undefined, {
      response: { 204: null },
      params: { type: 'object', properties: { secret: { type: 'string', writeOnly: true } } },
    }),
    route('DELETE', '/shelves/:id', 'shelf.delete', ({ note }) => note({ name: 'top' }), { response: { 204: null } }),
    route('POST', '/shelves', 'shelf.create', ({ note }) => { note({ place: 3 }); return {} }, { body }),
    route('POST', '/refused', 'goods.refuse', () => { throw host.error('FORBIDDEN') }, { body }),
    route('POST', '/failed', 'goods.fail', () => { throw new Error('no') }),
    route('POST', '/bare', 'goods.bare', () => 'text'),
    route('POST', '/numbered', 'goods.numbered', () => ({ id: 5 })),
    route('POST', '/chosen', 'goods.choose', () => reply(202, { id: 'chosen-1' }, { Location: '/goods/chosen-1' })),
    route('POST', '/named', { action: 'goods.name', target: 'name' }, ({ body }) => body, { body }),
    route('POST', '/entered', 'door.enter', ({ identify, body }) => { identify(body.name); return {} }, { body }),
    route('POST', '/guarded/:id', 'goods.guard', () => ({}), { body, guard: 'nobody' }),
    route('GET', '/called-back', 'door.return', () => ({})),
    route('POST', '/probe', { none: 'It only looks.' }, () => ({})),
    route('GET', '/goods', undefined, () => []),
  ])`,
)}`
const auditor = pluginSource('auditor', `host.extend('kernel.audit', (record) => auditRows.push(record))`)

const server = await startKernel(t, { plugins: { shop, auditor } })

t.beforeEach(() => {
  rows.length = 0
})

t.test('a parameter of the path that is a secret is not recorded', async (t) => {
  const { status } = await server.request('DELETE', '/doors/front/keys/sesame', {
    headers: { 'x-user': 'ann' },
  })
  t.equal(status, 204)
  t.match(rows.pop(), { action: 'key.delete', target: 'front' })
})

t.test(
  'every call of a mutating route is recorded once, with its actor, action, target and status',
  async (t) => {
    const call = async (method: string, path: string, body?: unknown, user?: string) => {
      const headers: Record<string, string> = { 'x-request-id': 'req-1', ...(user ? { 'x-user': user } : {}) }
      const { status } = await server.request(method, path, { body, headers })
      return { status, row: rows.pop() }
    }
    const startedAt = Math.floor(Date.now() / 1000)
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
    t.ok((row!.ts as number) >= startedAt && (row!.ts as number) <= Date.now() / 1000)

    t.match(await call('PATCH', '/goods/7/parts/wheel', {}, 'ann'), { row: { target: '7/wheel' } })
    t.match(await call('DELETE', '/goods/7', undefined, 'ann'), {
      status: 204,
      row: { action: 'goods.delete', target: '7', status: 204, payload: undefined },
    })
    t.match(await call('DELETE', '/shelves/7', undefined, 'ann'), {
      row: { target: '7', payload: { name: 'top' } },
    })
    const { row: built } = await call('POST', '/shelves', { name: 'low' }, 'ann')
    t.strictSame(built!.payload, { name: 'low', place: 3 }, 'what a handler notes is added to the body')
    const cleared = await call('DELETE', '/goods?kind=old&pin=123', undefined, 'ann')
    t.strictSame(
      [cleared.row!.target, cleared.row!.payload],
      [null, { kind: 'old' }],
      'the query is recorded without its secrets',
    )
    t.match(await call('POST', '/bare'), { row: { actor: null, target: null, payload: undefined } })
    t.match(await call('POST', '/numbered'), { row: { target: null } }, 'only a string is recorded as target')
    t.match(await call('POST', '/chosen'), { status: 202, row: { target: 'chosen-1', status: 202 } })
    t.match(await call('POST', '/refused', { name: 'a' }, 'ann'), {
      status: 403,
      row: { action: 'goods.refuse', status: 403, payload: { name: 'a' }, target: null },
    })
    t.match(await call('POST', '/failed'), { status: 500, row: { action: 'goods.fail', status: 500 } })
    t.match(await call('POST', '/named', { name: 'a' }), { row: { target: 'a' } })
    t.match(
      await call('POST', '/entered', { name: 'bob' }),
      { row: { actor: 'bob' } },
      'the account that signs in is the actor',
    )
    t.match(await call('POST', '/entered', { name: 'bob' }, 'ann'), { row: { actor: 'ann' } })
    t.match(await call('GET', '/called-back'), { status: 200, row: { action: 'door.return' } })
    t.same(await call('POST', '/probe'), { status: 200, row: undefined })
    t.same(await call('GET', '/goods'), { status: 200, row: undefined })
    t.same(rows, [], 'no call is recorded twice')
  },
)

t.test('a call with a named credential is recorded with its name', async (t) => {
  const call = async (headers: Record<string, string>) => {
    await server.request('POST', '/goods', { body: {}, headers })
    return rows.pop()!.credential
  }
  t.equal(await call({ 'x-user': 'ann', 'x-credential': 'robot' }), 'robot')
  t.equal(await call({ 'x-user': 'ann' }), undefined)
  t.equal(await call({}), undefined)
})

t.test('a call that did not reach its handler is recorded too', async (t) => {
  const call = async (path: string, body: unknown) => {
    const { status } = await server.request('POST', path, { body, headers: { 'x-user': 'ann' } })
    return { status, rows: rows.splice(0) }
  }
  t.match(await call('/guarded/7', { name: 'a' }), {
    status: 403,
    rows: [{ actor: 'ann', action: 'goods.guard', target: '7', payload: undefined, status: 403 }],
  })
  const wrong = await call('/goods', { name: 'a', canary: 1 })
  t.match(wrong, { status: 422, rows: [{ actor: 'ann', action: 'goods.create', status: 422 }] })
  t.equal(wrong.rows[0]!.payload, undefined, 'an invalid body is not recorded')
  t.match(await call('/goods', '{'), { status: 400, rows: [{ status: 400 }] })
  t.match(await call('/guarded/%0a', {}), { status: 404, rows: [{ actor: null, target: null, status: 404 }] })
})

t.test('only fields of a body that its schema describes and does not mark as secret are recorded', (t) => {
  const pin = { type: 'integer', writeOnly: true }
  const owner = { type: 'object', properties: { pin, at: { type: 'string' } } }
  const text = { type: 'string' }
  const cases: [schema: object, value: unknown, recorded: unknown][] = [
    [
      { properties: { name: text, password: { ...text, writeOnly: true } } },
      { name: 'a', password: 'b' },
      { name: 'a' },
    ],
    [{ properties: { owner } }, { owner: { pin: 1234, at: 'home' } }, { owner: { at: 'home' } }],
    [{ properties: { owner: { anyOf: [owner, { type: 'null' }] } } }, { owner: null }, { owner: null }],
    [
      { properties: { owner: { anyOf: [owner, { type: 'null' }] } } },
      { owner: { pin: 1, at: 'x' } },
      { owner: { at: 'x' } },
    ],
    [{ properties: { list: { items: owner } } }, { list: [{ pin: 1, at: 'x' }] }, { list: [{ at: 'x' }] }],
    [{ properties: { list: {} } }, { list: ['unknown'] }, undefined],
    [{ properties: { open: { type: 'object' } } }, { open: { key: 'unknown' } }, undefined],
    [{ properties: { open: true, a: text } }, { open: 'unknown', a: 'x' }, { a: 'x' }],
    [
      { properties: { env: { additionalProperties: { ...text, writeOnly: true } } } },
      { env: { A: 'x' } },
      undefined,
    ],
    [{ additionalProperties: text }, { a: 'x', constructor: 'y' }, { a: 'x', constructor: 'y' }],
    [{ oneOf: [{ properties: { a: { enum: [1] } } }, { properties: { a: pin } }] }, { a: 1 }, undefined],
    [
      { allOf: [{ properties: { a: { const: 1 } } }], properties: { b: { enum: ['x'] } } },
      { a: 1, b: 'x' },
      { a: 1, b: 'x' },
    ],
    [{ properties: {} }, {}, {}],
    [{ type: 'string' }, 'text', 'text'],
    [{}, 'unknown', undefined],
  ]
  for (const [schema, value, recorded] of cases)
    t.strictSame(recordablePart(schema as JSONSchema, value), recorded, JSON.stringify([schema, value]))
  t.end()
})

t.test('secret fields appear neither in the record nor in the log', async (t) => {
  const body = {
    name: 'a',
    password: 'canary',
    owner: { pin: 1234, at: 'home' },
    list: ['x'],
    free: { a: [1] },
  }
  await server.request('POST', '/goods', { body })
  t.same(rows[0]!.payload, { name: 'a', owner: { at: 'home' }, list: ['x'] })
  t.notMatch(server.logged(), /canary/)
})

t.test(
  'a command that changes something is recorded with its operating system user and exit code',
  async (t) => {
    const clerk = pluginSource(
      'clerk',
      `const command = (name, run) =>
       host.command({ name, summary: 's', audit: 'goods.count', arguments: [{ name: 'what', summary: 's' }], run })
     command('count', () => undefined)
     command('miscount', () => 3)
     command('crash', () => { throw new Error('torn apart') })
     command('drop', () => { throw host.error('FORBIDDEN') })
     host.extend('kernel.audit', (record) => auditRows.push(record))`,
    )
    const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
    installPlugin(home, 'clerk', clerk)
    const record = { actor: 'os:ann', action: 'goods.count', target: null, ip: null, request_id: null }
    const readRecord = async (args: string[], env: Record<string, string> = { SUDO_USER: 'ann' }) => {
      const { code } = await runCommand(home, args, { env })
      t.equal(rows.length, 1)
      return { code, row: rows.pop() }
    }
    t.match(await readRecord(['count', 'apples']), {
      code: 0,
      row: { ...record, target: 'apples', status: 0 },
    })
    t.match(await readRecord(['miscount']), { code: 3, row: { ...record, status: 3 } })
    t.match(await readRecord(['crash']), { code: 1, row: { ...record, status: 1 } })
    t.match(await readRecord(['count'], {}), { row: { actor: /^os:\w/ } })
    t.equal((await runCommand(home, ['drop'])).code, 1)
    t.equal(rows.length, 0, 'a refused command did nothing')
  },
)

t.test('a plugin refuses changes, after their guards and before their bodies are read', async (t) => {
  const judge = pluginSource(
    'judge',
    `const asked = []
     host.extend('kernel.changes', ({ action, params, headers, caller }) => {
       asked.push({ action, params, username: caller?.username })
       if (headers['x-key'] !== 'yes') throw host.error('FORBIDDEN')
     })
     host.routes([{ method: 'GET', path: '/asked', summary: 's', guard: 'public',
       response: { 200: {} }, handler: () => asked }])`,
  )
  const server = await startKernel(t, { plugins: { shop, auditor, judge } })
  const change = (path: string, headers = {}) => server.request('PATCH', path, { body: { size: 1 }, headers })
  t.equal((await change('/goods/7/parts/wheel', { 'x-user': 'ann' })).status, 403)
  t.match(rows.pop(), { action: 'part.update', actor: 'ann', target: '7/wheel', status: 403 })
  t.equal((await change('/goods/7/parts/wheel', { 'x-key': 'yes' })).status, 422, 'now the body is read')
  await server.request('POST', '/guarded/7')
  await server.request('POST', '/probe')
  const part = { action: 'part.update', params: { id: '7', part: 'wheel' } }
  t.strictSame((await server.request('GET', '/asked')).body, [{ ...part, username: 'ann' }, part])
})

t.test('a plugin takes a further step once a change has succeeded, with the body of its reply', async (t) => {
  const follower = pluginSource(
    'follower',
    `const bodies = []
     host.extend('kernel.changes', () => (body) => bodies.push(body))
     host.routes([{ method: 'GET', path: '/bodies', summary: 's', guard: 'public',
       response: { 200: {} }, handler: () => bodies }])`,
  )
  const server = await startKernel(t, { plugins: { shop, auditor, follower } })
  for (const path of ['/numbered', '/chosen', '/refused']) await server.request('POST', path, { body: {} })
  t.strictSame((await server.request('GET', '/bodies')).body, [{ id: 5 }, { id: 'chosen-1' }])
})

t.test('a call that cannot be recorded fails', async (t) => {
  const full = pluginSource(
    'full',
    "host.extend('kernel.audit', () => { throw new Error('the audit log is full') })",
  )
  const server = await startKernel(t, { plugins: { shop, full } })
  t.equal((await server.request('POST', '/bare')).status, 500)
  t.match(server.logged(), /the audit log is full/)
})
