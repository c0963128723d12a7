import t from '../../run/file-test.ts'
import { createTestClock } from '../../support/clock.ts'
import { runCommand } from '../../support/kernel.ts'
import { ADMIN, startServer, type TestReply, type TestServer } from '../../support/server.ts'

const clock = createTestClock()
const server = await startServer(t, {
  clock,
  config: { http: { trust_proxy: true }, plugins: { auth: { access_token_ttl_seconds: 3600 } } },
})
const { host } = new URL(server.url)

type TestUser = Awaited<ReturnType<TestServer['createUser']>>

/** The headers with which a page of the server refreshes its session. */
const OWN = { 'x-requested-with': 'fetch' }
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' }
const AUTH_FAILED = { status: 401, code: 'AUTH_FAILED' }

const refusal = ({ status, body }: TestReply) => ({ status, code: body.error?.code })
const cookieIn = ({ headers }: TestReply) => headers.get('set-cookie')?.split(';')[0]

const logIn = (username: string, password: string, headers: Record<string, string> = {}) =>
  server.request('POST', '/auth/login', {
    token: null,
    body: { username, password, cookie: true },
    headers,
  })
const refresh = (cookie: string | undefined, headers: Record<string, string> = OWN) =>
  server.request('POST', '/auth/refresh', {
    token: null,
    headers: { ...headers, ...(cookie !== undefined && { cookie }) },
  })
const me = async (token: string) => refusal(await server.request('GET', '/auth/me', { token }))

t.test('only a sign-in that asks for it sets the cookie, which scripts cannot read', async (t) => {
  const body = { username: 'admin', password: ADMIN.password }
  const plain = await server.request('POST', '/auth/login', { token: null, body })
  t.equal(plain.headers.get('set-cookie'), null)
  const reply = await logIn('admin', ADMIN.password)
  const cookie = reply.headers.get('set-cookie')!
  const parts = ['HttpOnly', 'SameSite=Strict', 'Path=/api/auth/refresh', 'Max-Age=2592000']
  for (const part of parts) t.ok(cookie.split('; ').includes(part), part)
  t.notMatch(cookie, /Secure/)
  t.same(Object.keys(reply.body).sort(), Object.keys(plain.body).sort())
  t.notOk(JSON.stringify(reply.body).includes(cookieIn(reply)!.split('=')[1]!))
  const secured = await logIn('admin', ADMIN.password, { 'x-forwarded-proto': 'https' })
  t.match(secured.headers.get('set-cookie'), /; Secure/)
})

t.test('the cookie continues the session for longer than a token lives', async (t) => {
  const first = await logIn('admin', ADMIN.password)
  clock.advance(3601)
  t.same(await me(first.body.access_token), { status: 401, code: 'TOKEN_EXPIRED' })
  const second = await refresh(cookieIn(first))
  t.equal(second.status, 200)
  t.hasStrict(second.body, { token_type: 'Bearer', expires_in: 3600, user: { username: 'admin' } })
  t.not(cookieIn(second), cookieIn(first))
  t.equal((await me(second.body.access_token)).status, 200)
  clock.advance(29 * 86_400)
  const third = await refresh(cookieIn(second))
  t.equal(third.status, 200, 'each refresh extends the session')
  clock.advance(31 * 86_400)
  t.same(refusal(await refresh(cookieIn(third))), AUTH_FAILED)
})

t.test('a renewed token does not shorten the session of a cookie', async (t) => {
  const first = await logIn('admin', ADMIN.password)
  clock.advance(3000)
  const reply = await server.request('GET', '/auth/me', { token: first.body.access_token })
  t.ok(reply.headers.get('x-access-token'))
  clock.advance(7200)
  t.equal((await refresh(cookieIn(first))).status, 200)
})

t.test('tabs that refresh at the same time stay signed in', async (t) => {
  const first = cookieIn(await logIn('admin', ADMIN.password))
  const tabs = await Promise.all(Array.from({ length: 8 }, () => refresh(first)))
  for (const tab of tabs) {
    t.equal(tab.status, 200)
    t.equal(cookieIn(tab), cookieIn(tabs[0]!), 'every reply leaves the same cookie')
    t.equal((await me(tab.body.access_token)).status, 200)
  }
  clock.advance(30)
  t.equal((await refresh(first)).status, 200, 'a reply that was lost can be asked for again')
  t.equal((await refresh(cookieIn(tabs[0]!))).status, 200)
})

t.test('a cookie that was used before ends the session', async (t) => {
  const first = cookieIn(await logIn('admin', ADMIN.password))
  const second = await refresh(first)
  clock.advance(61)
  t.same(refusal(await refresh(first)), AUTH_FAILED)
  t.same(await me(second.body.access_token), AUTH_FAILED, 'for whoever has the newer one, too')
  t.same(refusal(await refresh(cookieIn(second))), AUTH_FAILED)
  t.match(server.logged(), /a refresh token was used twice/)

  const third = cookieIn(await logIn('admin', ADMIN.password))
  const fourth = cookieIn(await refresh(third))
  await refresh(fourth)
  t.same(refusal(await refresh(third)), AUTH_FAILED, 'of two rotations ago, at once')
})

t.test('a cookie that this server did not make is refused', async (t) => {
  const cookie = cookieIn(await logIn('admin', ADMIN.password))!
  const [name, token] = cookie.split('=') as [string, string]
  const [session, , signature] = token.split('.')
  for (const forged of [
    undefined,
    '',
    `${name}=`,
    `${name}=${token}x`,
    `${name}=${session}.1.${signature}`,
    `${name}=${session}.0.`,
    `${name}=x.0.${signature}`,
    `other=${token}`,
  ])
    t.same(refusal(await refresh(forged)), AUTH_FAILED, forged ?? 'none')
  t.equal((await refresh(cookie)).status, 200, 'none of these ended the session')
})

t.test('pages of other sites cannot refresh', async (t) => {
  const cookie = cookieIn(await logIn('admin', ADMIN.password))
  const others: Record<string, string>[] = [
    {},
    { 'sec-fetch-site': 'same-origin' },
    { ...OWN, 'sec-fetch-site': 'cross-site' },
    { ...OWN, 'sec-fetch-site': 'same-site' },
    { ...OWN, 'sec-fetch-site': 'none' },
    { ...OWN, origin: 'https://evil.example' },
    { ...OWN, origin: 'null' },
    { ...OWN, origin: `http://${host}.evil.example` },
    { ...OWN, origin: `http://${host}`, 'sec-fetch-site': 'cross-site' },
  ]
  for (const headers of others)
    t.same(refusal(await refresh(cookie, headers)), FORBIDDEN, JSON.stringify(headers))
  const form = { ...OWN, 'content-type': 'application/x-www-form-urlencoded' }
  t.equal((await refresh(cookie, form)).status, 200, 'a body is not needed')
  for (const headers of [
    { origin: `http://${host}` },
    { origin: `https://${host}` },
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'https://agents.example', 'x-forwarded-host': 'agents.example' },
  ] as Record<string, string>[])
    t.equal((await refresh(cookie, { ...OWN, ...headers })).status, 200, JSON.stringify(headers))
})

t.test('the cookie alone opens nothing else', async (t) => {
  const cookie = cookieIn(await logIn('admin', ADMIN.password))!
  for (const [method, path] of [
    ['GET', '/auth/me'],
    ['POST', '/auth/logout'],
    ['POST', '/users/invites'],
  ] as const)
    t.equal((await server.request(method, path, { token: null, headers: { cookie, ...OWN } })).status, 401)
  const token = cookie.split('=')[1]!
  t.same(await me(token), AUTH_FAILED, 'a refresh token is not an access token')
})

t.test('whatever ends the session ends the cookie', async (t) => {
  const admin = { token: await server.login('admin', ADMIN.password) }
  const ways: [name: string, end: (user: TestUser) => Promise<unknown>][] = [
    ['a logout', ({ token }) => server.request('POST', '/auth/logout', { token })],
    [
      'another session',
      async ({ username, password, token }) => {
        const { body } = await server.request('GET', '/auth/sessions', { token })
        const { id } = body.find(({ current }: { current: boolean }) => current)
        const other = await server.login(username, password)
        await server.request('DELETE', `/auth/sessions/${id}`, { token: other })
      },
    ],
    [
      'a change of the password',
      async ({ username, password }) => {
        const token = await server.login(username, password)
        const body = { old_password: password, new_password: 'another-secret-2' }
        await server.request('POST', '/auth/change-password', { token, body })
      },
    ],
    [
      'a reset of the password',
      ({ username }) =>
        server.request('POST', `/users/${username}/reset-password`, {
          ...admin,
          body: { new_password: 'another-secret-2' },
        }),
    ],
    [
      'disabling the account',
      ({ username }) => server.request('PATCH', `/users/${username}`, { ...admin, body: { enabled: false } }),
    ],
    ['deleting the account', ({ username }) => server.request('DELETE', `/users/${username}`, admin)],
  ]
  for (const [index, [name, end]] of ways.entries()) {
    const user = await server.createUser({ username: `ada${index}` })
    const reply = await logIn(user.username, user.password)
    await end({ ...user, token: reply.body.access_token })
    t.same(refusal(await refresh(cookieIn(reply))), AUTH_FAILED, name)
  }
})

t.test('a logout removes the cookie from the browser', async (t) => {
  const token = await server.login('admin', ADMIN.password)
  const plain = await server.request('POST', '/auth/logout', { token })
  t.equal(plain.headers.get('set-cookie'), null, 'of another session, it stays')
  for (const path of ['logout', 'session']) {
    const { body } = await logIn('admin', ADMIN.password)
    const { access_token: token } = body
    const own = await server.request('GET', '/auth/sessions', { token })
    const { id } = own.body.find(({ current }: { current: boolean }) => current)
    const reply = await (path === 'logout'
      ? server.request('POST', '/auth/logout', { token })
      : server.request('DELETE', `/auth/sessions/${id}`, { token }))
    t.equal(reply.status, 204)
    t.match(reply.headers.get('set-cookie'), /^svc_refresh=; Max-Age=0; Path=\/api\/auth\/refresh; HttpOnly/)
  }
})

t.test('a new signing key ends every cookie', async (t) => {
  const cookie = cookieIn(await logIn('admin', ADMIN.password))
  const { url } = server.server.runtime.blueprint.config.values.database
  const env: Record<string, string> = url ? { SVC_DATABASE_URL: url } : {}
  t.equal((await runCommand(server.home, ['admin', 'rotate-jwt-secret'], { env })).code, 0)
  t.same(refusal(await refresh(cookie)), AUTH_FAILED)
})
