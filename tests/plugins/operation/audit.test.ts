import t from '../../run/file-test.ts'
import { buy, headOf, rowsOf, run, startShop } from './audit-shop.ts'

t.test(
  'Signing in, refused, invalid and anonymous calls have one row each, and no password is in any',
  async (t) => {
    const server = await startShop(t, { config: { plugins: { auth: { login_max_attempts: 2 } } } })
    const rows = async () => (await server.request('GET', '/admin/audit-log')).body
    t.match(await rows(), [{ id: '1', actor: 'admin', action: 'auth.login', status: 200 }])

    const bob = await server.createUser({ username: 'bob' })
    await server.login('bob', bob.password)
    const login = (password: string) =>
      server.request('POST', '/auth/login', {
        token: null,
        body: { username: 'bob', password },
        headers: { 'x-request-id': 'login-1' },
      })
    const change = { old_password: bob.password, new_password: 'canary-new-password-22' }
    const calls = [
      await server.request('POST', '/auth/change-password', { token: bob.token, body: change }),
      await server.request('POST', '/auth/change-password', {
        token: bob.token,
        body: { ...change, new_password: { deep: 'canary-invalid-password' } },
      }),
      await login('canary-wrong-password'),
      await login('canary-wrong-password'),
      await login('canary-wrong-password'),
      await server.request('DELETE', '/shop', { token: bob.token }),
      await server.request('PATCH', '/auth/me', { token: bob.token, body: { display_name: 7, hobby: 'x' } }),
      await server.request('PATCH', '/auth/me', { token: null, body: { display_name: 'x' } }),
      await server.request('PUT', '/shop/shelf-1', { token: null }),
      await server.request('GET', '/auth/me', { token: bob.token }),
    ]
    t.same(
      calls.map(({ status }) => status),
      [204, 422, 401, 401, 429, 403, 422, 401, 204, 200],
    )
    const { status, body } = await server.request('GET', '/admin/audit-log?limit=9')
    t.equal(status, 200)
    const row = (actor: string | null, action: string, status: number, more = {}) => ({
      ...{
        actor,
        action,
        status,
        target: null,
        payload: null,
        ...more,
      },
      ip: '127.0.0.1',
      id: /^\d+$/,
      ts: Number,
      request_id: String,
      credential: null,
      hash: /^[0-9a-f]{64}$/,
    })
    const signIn = { payload: { username: 'bob' }, request_id: 'login-1' }
    t.match(body.reverse(), [
      row('bob', 'auth.change_password', 204, { payload: null }),
      row('bob', 'auth.change_password', 422),
      row('bob', 'auth.login', 401, signIn),
      row('bob', 'auth.login', 401, signIn),
      row('bob', 'auth.login', 429, signIn),
      row('bob', 'shop.close', 403),
      row('bob', 'auth.update_profile', 422),
      row(null, 'auth.update_profile', 401),
      row(null, 'shop.put', 204, { target: 'shelf-1' }),
    ])
    t.equal((await rows()).length, 1 + 1 + 9, 'reading writes no row')
    t.same(Object.keys(body[0]).sort(), [...Object.keys(row('', '', 0)), 'object', 'object_exists'].sort())

    const stored = JSON.stringify([await rowsOf(server), await headOf(server).find().toArray()])
    for (const secret of ['canary', bob.password, bob.token, server.admin.password, server.admin.token])
      t.notOk(stored.includes(secret) || server.logged().includes(secret), 'a secret is nowhere')
  },
)

const server = await startShop(t)

t.test('Only administrators read the log', async (t) => {
  const bob = await server.createUser({ username: 'bob', permissions: ['users'] })
  t.equal((await server.request('GET', '/admin/audit-log', { token: bob.token })).status, 403)
  t.equal((await server.request('GET', '/admin/audit-log', { token: null })).status, 401)
})

t.test('Whatever a body contains comes back as it was sent, and the chain is intact', async (t) => {
  const bodies = [
    '{"a.b":{"$set":1,"":2},"$where":"x","_id":7,"hash":"h"}',
    '{"toJSON":"no","length":3,"constructor":[],"hasOwnProperty":1}',
    '{"2":1,"10":2,"1":3,"b":4,"a":5}',
    '[1e21,1.5,0.1,9007199254740993,2147483648,-2147483649,5e-324]',
    '[null,[],{},"",[[]],true]',
    '["\\u0000 \\ud83d\\ude00 \\u2028 é"]',
    '{}',
    '[]',
    '{"date":"2026-01-01T00:00:00Z","oid":{"$oid":"0123456789ab0123456789ab"},"n":{"$numberLong":"1"}}',
  ]
  for (const body of bodies) t.equal(await buy(server, 'nasty', body), 204)
  t.equal(await buy(server, 'nasty', '[-0,"\\ud800"]'), 204)
  const { body } = await server.request('GET', '/admin/audit-log?action=shop.buy')
  const payloads = body.reverse().map(({ payload }: { payload: unknown }) => JSON.stringify(payload))
  t.same(payloads, [...bodies.map((text) => JSON.stringify(JSON.parse(text))), '[0,"�"]'])

  await server.request('PUT', `/shop/${encodeURIComponent('é😀.$\u2028')}`)
  const { body: target } = await server.request('GET', '/admin/audit-log?action=shop.put')
  t.equal(target[0].target, 'é😀.$\u2028')
  t.match(await run(server, 'admin', 'audit', '--verify'), { code: 0, stdout: /is intact\./ })
})

t.test('Rows are small, however large a body is', async (t) => {
  const payloadOf = async (body: unknown) => {
    t.equal(await buy(server, 'large', body), 204)
    return (await server.request('GET', '/admin/audit-log?limit=1')).body[0].payload
  }
  t.same(await payloadOf({ a: 'x'.repeat(256), b: 'x'.repeat(257) }), {
    a: 'x'.repeat(256),
    b: `${'x'.repeat(255)}…`,
  })
  t.equal(
    (await payloadOf([`${'x'.repeat(254)}😀😀`]))[0],
    `${'x'.repeat(254)}…`,
    'no half of a pair is left',
  )
  t.same(await payloadOf([...Array(33).keys()]), [...Array(32).keys(), '…'])
  t.same(await payloadOf({ a: { b: { c: { d: 1 } } } }), { a: { b: { c: { d: 1 } } } })
  t.same(await payloadOf({ a: { b: { c: { d: { e: 1 } } } } }), { a: { b: { c: { d: '…' } } } })
  const many = Object.fromEntries([...Array(65).keys()].map((n) => [`f${n}`, n]))
  t.equal(Object.keys(await payloadOf(many)).length, 65)
  t.equal((await payloadOf({ ...many, f65: 1 }))['…'], '…')
  const list = Array(20).fill('y'.repeat(256))
  t.same(await payloadOf({ list, name: 'n' }), { list: '…', name: '…' }, 'above 4 KiB only names are left')
  t.equal(await payloadOf(list), '…')
  const names = Object.fromEntries([...Array(64).keys()].map((n) => [`${n}${'\u0001'.repeat(100)}`, 'z']))
  t.equal(await payloadOf(names), '…', 'nor names that are too long')
  await payloadOf({ a: 'z'.repeat(1_000_000) })
  for (const row of await rowsOf(server)) t.ok(JSON.stringify(row).length < 6000)
})
