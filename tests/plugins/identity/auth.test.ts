import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { ADMIN, startServer, type TestReply, type TestServer } from '../../support/server.ts'

/** A plugin with one route for each guard. */
const doors = `export default {
  kernel: 1,
  name: 'doors', summary: 'A route for each guard', depends: ['auth'],
  permissions: ['wine', 'beer'].map((key) => (
    { key, category: 'drinks', label: { en: key, zh: key }, description: { en: key, zh: key } })),
  setup(host) {
    const door = (path, guard) => (
      { method: 'GET', path, guard, summary: path, response: { 200: { type: 'object' } }, handler: ({ caller }) => caller })
    host.routes([door('/doors/user', 'user'), door('/doors/wine', ['permission', 'wine']), door('/doors/admin', 'admin')])
  },
}`

const server = await startServer(t, { plugins: { doors } })

const logIn = (server: TestServer, username: string, password: string, headers?: Record<string, string>) =>
  server.request('POST', '/auth/login', { token: null, body: { username, password }, headers })

const refusal = ({ status, body }: TestReply) => ({ status, code: body.error?.code })

/** Changes an account in the database, past what the server remembers of it. */
const updateUser = async (server: TestServer, username: string, fields: object) => {
  await server.db.collection('users').updateOne({ username }, { $set: fields })
  server.server.runtime.cradleOf('users').users.dropRecent()
}

t.test('a login returns a bearer token, its lifetime in seconds and the user', async (t) => {
  const server = await startServer(t, { env: { SVC_ACCESS_TOKEN_TTL: '7200' } })
  const ada = await server.createUser({ username: 'ada', permissions: ['users'] })
  const { status, body } = await logIn(server, 'ada', ada.password)
  t.equal(status, 200)
  t.strictSame(Object.keys(body).sort(), ['access_token', 'expires_in', 'token_type', 'user'])
  t.match(body, { token_type: 'Bearer', expires_in: 7200 })
  t.strictSame(body.user, {
    id: ada.id,
    username: 'ada',
    role: 'user',
    display_name: 'ada',
    email: null,
    timezone: null,
    memory: true,
    locale: null,
    permissions: ['users'],
    must_change_password: false,
  })
  const [header, claims] = body.access_token
    .split('.')
    .slice(0, 2)
    .map((part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()))
  t.strictSame(header, { alg: 'HS256', typ: 'JWT' })
  t.strictSame(Object.keys(claims).sort(), ['epoch', 'exp', 'iat', 'jti', 'role', 'sub', 'uname'])
  t.match(claims, { sub: ada.id, uname: 'ada', role: 'user' })
  const { body: sessions } = await server.request('GET', '/auth/sessions', { token: body.access_token })
  const { created_at, expires_at } = sessions.find(({ id }: { id: string }) => id === claims.jti)
  t.equal(expires_at - created_at, 7200)
  t.equal(claims.exp, expires_at)
  t.ok(claims.iat >= created_at && claims.iat < expires_at)
  t.match(claims.jti, /^ses_[0-9A-Z]{26}$/)
})

t.test("an administrator's permissions are the whole catalog, sorted", async (t) => {
  const { body } = await server.request('GET', '/auth/me')
  t.ok(['beer', 'users', 'wine'].every((key) => body.permissions.includes(key)))
  t.strictSame(body.permissions, [...body.permissions].sort())
})

t.test('every failed login has the same reply, whatever the cause', async (t) => {
  const disabled = await server.createUser({ username: 'disabled' })
  const passwordless = await server.createUser({ username: 'passwordless' })
  await updateUser(server, 'disabled', { enabled: false })
  await updateUser(server, 'passwordless', { password_hash: null })
  const attempts = [
    [ADMIN.username, 'wrong-password-1'],
    ['nobody', 'wrong-password-1'],
    ['Not A Username!', 'wrong-password-1'],
    ['disabled', disabled.password],
    ['passwordless', passwordless.password],
    ['passwordless', ' '],
  ] as const
  for (const [username, password] of attempts) {
    const reply = await logIn(server, username, password, { 'x-request-id': 'same' })
    t.equal(reply.status, 401, username)
    t.strictSame(reply.body, {
      error: {
        code: 'AUTH_FAILED',
        message: 'The username, password or token is not valid.',
        details: {},
        request_id: 'same',
      },
    })
  }
})

t.test('an invalid login body is refused without repeating its values', async (t) => {
  const bodies = [
    {},
    { username: 'admin' },
    { username: '', password: 'x' },
    { username: 'admin', password: '' },
    { username: 'a'.repeat(65), password: 'x' },
    { username: 'admin', password: 's3cret'.repeat(40) },
    { username: { $ne: null }, password: 's3cret-1' },
    { username: 'admin', password: { $ne: null } },
    { username: 'admin', password: 's3cret-1', remember: true },
  ]
  for (const body of bodies) {
    const reply = await server.request('POST', '/auth/login', { token: null, body })
    t.strictSame(
      refusal(reply),
      { status: 422, code: 'VALIDATION_FAILED' },
      JSON.stringify(body).slice(0, 60),
    )
    t.notMatch(JSON.stringify(reply.body), 's3cret')
  }
})

t.test('refusals are written in the language of the request, else of the account', async (t) => {
  const mei = await server.createUser({ username: 'mei' })
  const { token } = mei
  const chinese = await logIn(server, 'mei', 'wrong-password-1', { 'accept-language': 'zh-CN,zh;q=0.9' })
  t.match(chinese.body.error.message, /用户名/)
  await server.request('PATCH', '/auth/me', { token, body: { locale: 'zh' } })
  const body = { old_password: mei.password, new_password: 'weak' }
  const { body: answer } = await server.request('POST', '/auth/change-password', { token, body })
  t.match(answer.error.message, /密码/)
})

t.test('me shows the account and changes name, language and address only', async (t) => {
  const ada = await server.createUser({ username: 'ada' })
  const patch = (body: unknown) => server.request('PATCH', '/auth/me', { token: ada.token, body })
  const profile = { display_name: 'Ada L.', locale: 'zh', email: 'ada@example.org' }
  const changed = await patch(profile)
  t.equal(changed.status, 200)
  t.match(changed.body, { ...profile, username: 'ada', role: 'user' })
  const { limits, budget, ...account } = (await server.request('GET', '/auth/me', { token: ada.token })).body
  t.equal(budget, null)
  t.strictSame(account, changed.body)
  t.match(limits, {
    agents: { used: 1, max: 100 },
    threads: { used: 0, max: 10_000 },
    providers: { used: 0 },
  })
  t.match(limits, { frames_per_second: { used: null }, account_bytes: { max: 5 * 1024 ** 3 } })
  const cleared = await patch({ display_name: null, locale: null, email: null })
  t.match(cleared.body, { display_name: null, locale: null, email: null })
  t.strictSame((await patch({})).body, cleared.body)
  t.match(await patch({ locale: 'zh-CN' }), { status: 200, body: { locale: 'zh' } }, 'what browsers send')
  t.match(await patch({ locale: 'fr-CA' }), { status: 200, body: { locale: 'en' } }, 'the nearest')
  await patch({ locale: null })

  const wrong = [
    { role: 'admin' },
    { permissions: ['users'] },
    { locale: 'en_US' },
    { locale: 'no language' },
    { email: 'ada' },
    { display_name: '' },
  ]
  for (const body of wrong) {
    t.strictSame(refusal(await patch(body)), { status: 422, code: 'VALIDATION_FAILED' }, JSON.stringify(body))
  }
  t.match((await server.request('GET', '/auth/me', { token: ada.token })).body, cleared.body)
})

t.test('a changed password takes effect, keeps this session and ends the others', async (t) => {
  const { token, password } = await server.createUser({ username: 'grace' })
  const other = await server.login('grace', password)
  const change = (old_password: string, new_password: string) =>
    server.request('POST', '/auth/change-password', { token, body: { old_password, new_password } })

  t.strictSame(refusal(await change('wrong-password-1', 'another-secret-2')), {
    status: 401,
    code: 'AUTH_FAILED',
  })
  t.strictSame(refusal(await change(password, password)), {
    status: 400,
    code: 'PASSWORD_SAME_AS_OLD',
  })
  t.strictSame(refusal(await change(password, 'short1')), { status: 400, code: 'PASSWORD_TOO_WEAK' })
  t.equal(
    (await server.request('GET', '/auth/me', { token: other })).status,
    200,
    'until now nothing has ended',
  )

  const changed = await change(password, 'another-secret-2')
  t.equal(changed.status, 204)
  t.equal(changed.body, '')
  t.equal((await server.request('GET', '/auth/me', { token })).status, 200)
  t.strictSame(refusal(await server.request('GET', '/auth/me', { token: other })), {
    status: 401,
    code: 'AUTH_FAILED',
  })
  t.equal((await logIn(server, 'grace', password)).status, 401)
  t.equal((await logIn(server, 'grace', 'another-secret-2')).status, 200)
})

t.test('of two simultaneous changes of one password, one succeeds', async (t) => {
  const alan = await server.createUser({ username: 'alan' })
  const second = await server.login('alan', alan.password)
  const change = (token: string, new_password: string) =>
    server.request('POST', '/auth/change-password', {
      token,
      body: { old_password: alan.password, new_password },
    })
  const replies = await Promise.all([
    change(alan.token, 'another-secret-2'),
    change(second, 'another-secret-3'),
  ])
  t.strictSame(replies.map(({ status }) => status).sort(), [204, 401])
  const works = await Promise.all(
    ['another-secret-2', 'another-secret-3'].map((word) => logIn(server, 'alan', word)),
  )
  t.strictSame(
    works.map(({ status }) => status === 200),
    replies.map(({ status }) => status === 204),
  )
})

t.test('a logout ends that session and no other', async (t) => {
  const token = await server.login('admin', ADMIN.password)
  const reply = await server.request('POST', '/auth/logout', { token })
  t.equal(reply.status, 204)
  t.strictSame(refusal(await server.request('GET', '/auth/me', { token })), {
    status: 401,
    code: 'AUTH_FAILED',
  })
  t.strictSame(refusal(await server.request('POST', '/auth/logout', { token })), {
    status: 401,
    code: 'AUTH_FAILED',
  })
  t.equal((await server.request('GET', '/auth/me')).status, 200)
  await server.restart()
  t.equal((await server.request('GET', '/auth/me', { token })).status, 401, 'also after a restart')
  t.equal((await server.request('GET', '/auth/me')).status, 200)
})

t.test(
  'sessions are listed for their own account, the latest first, and can be ended one by one',
  async (t) => {
    const eve = await server.createUser({ username: 'eve' })
    const phone = (await logIn(server, 'eve', eve.password, { 'user-agent': 'phone' })).body.access_token
    const list = (token: string) => server.request('GET', '/auth/sessions', { token })
    const { status, body } = await list(phone)
    t.equal(status, 200)
    t.equal(body.length, 2)
    const [current] = body.filter((session: { current: boolean }) => session.current)
    const [first] = body.filter((session: { current: boolean }) => !session.current)
    t.match(current, { user_agent: 'phone', ip: '127.0.0.1', current: true })
    t.strictSame(Object.keys(current).sort(), [
      'created_at',
      'current',
      'expires_at',
      'id',
      'ip',
      'user_agent',
    ])
    t.equal(current.expires_at - current.created_at, 86_400)
    t.ok(body[0].created_at >= body[1].created_at)

    const end = (id: string, token: string) => server.request('DELETE', `/auth/sessions/${id}`, { token })
    t.strictSame(
      refusal(await end(first.id, server.admin.token)),
      { status: 404, code: 'NOT_FOUND' },
      "not another's",
    )
    t.strictSame(refusal(await end('unknown', phone)), { status: 404, code: 'NOT_FOUND' })
    t.equal((await end(first.id, phone)).status, 204)
    t.strictSame(refusal(await end(first.id, phone)), { status: 404, code: 'NOT_FOUND' }, 'not twice')
    t.equal((await list(eve.token)).status, 401)
    t.strictSame((await list(phone)).body, [current])
    t.equal((await end(current.id, phone)).status, 204, 'one may end the session in use')
    t.equal((await list(phone)).status, 401)
  },
)

t.test('guards decide by the present state of the database, not by the token', async (t) => {
  const ken = await server.createUser({ username: 'ken' })
  const visit = (door: string, token: string | null = ken.token) =>
    server.request('GET', `/doors/${door}`, { token })

  t.equal((await visit('admin', server.admin.token)).status, 200)
  t.equal((await visit('wine', server.admin.token)).status, 200, 'administrators need no grant')
  t.strictSame(refusal(await visit('user', null)), { status: 401, code: 'AUTH_FAILED' })
  t.strictSame(refusal(await visit('admin', null)), { status: 401, code: 'AUTH_FAILED' })
  const user = await visit('user')
  t.match(user.body, { id: ken.id, username: 'ken', role: 'user', permissions: [], locale: null })
  t.strictSame(refusal(await visit('admin')), { status: 403, code: 'FORBIDDEN' })
  const wine = await visit('wine')
  t.strictSame(refusal(wine), { status: 403, code: 'FORBIDDEN' })
  t.strictSame(wine.body.error.details, { permission: 'wine' })

  // As another process does.
  const change = async (fields: object, door: string, expected: { status: number; code?: string }) => {
    await updateUser(server, 'ken', fields)
    await eventually(`${door} answers ${expected.status}`, async () => {
      const { status, code } = refusal(await visit(door))
      return status === expected.status && code === expected.code
    })
  }
  await change({ permissions: ['wine'] }, 'wine', { status: 200 })
  t.equal((await visit('admin')).status, 403)
  await change({ role: 'admin', permissions: [] }, 'admin', { status: 200 })
  await change({ role: 'user' }, 'wine', { status: 403, code: 'FORBIDDEN' })
  await change({ enabled: false }, 'user', { status: 403, code: 'USER_DISABLED' })
  await updateUser(server, 'ken', { enabled: true })
  // The session that there was may have been ended meanwhile.
  const token = await server.login('ken', ken.password)
  await eventually('user answers 200', async () => (await visit('user', token)).status === 200)
  await server.db.collection('users').deleteOne({ username: 'ken' })
  await eventually('the account is gone', async () => (await visit('user', token)).status === 401)
  t.strictSame(refusal(await visit('user', token)), { status: 401, code: 'AUTH_FAILED' })
})

t.test(
  'who must change the password can do that, look at the account and log out, and nothing else',
  async (t) => {
    const joy = await server.createUser({ username: 'joy', role: 'admin' })
    await updateUser(server, 'joy', { must_change_password: true })
    const login = await logIn(server, 'joy', joy.password)
    t.equal(login.body.user.must_change_password, true)
    const token = login.body.access_token
    const call = (method: string, path: string, body?: unknown) =>
      server.request(method, path, { token, body })

    t.equal((await call('GET', '/auth/me')).body.must_change_password, true)
    t.equal((await call('PATCH', '/auth/me', { locale: 'en' })).status, 200)
    for (const path of ['/auth/sessions', '/doors/user', '/doors/wine', '/doors/admin'])
      t.strictSame(refusal(await call('GET', path)), { status: 403, code: 'PASSWORD_CHANGE_REQUIRED' }, path)
    t.strictSame(refusal(await call('DELETE', '/auth/sessions/any')), {
      status: 403,
      code: 'PASSWORD_CHANGE_REQUIRED',
    })

    const body = { old_password: joy.password, new_password: 'another-secret-2' }
    t.equal((await call('POST', '/auth/change-password', body)).status, 204)
    t.equal((await call('GET', '/auth/me')).body.must_change_password, false)
    t.equal((await call('GET', '/doors/admin')).status, 200)

    await updateUser(server, 'joy', { must_change_password: true })
    t.equal((await call('POST', '/auth/logout')).status, 204)
  },
)

t.test('no password and no token is in the log', async (t) => {
  const loggedLength = server.logged().length
  const { token, password } = await server.createUser({ username: 'whit' })
  await logIn(server, 'whit', 'wrong-canary-77')
  const body = { old_password: password, new_password: 'new-canary-88' }
  await server.request('POST', '/auth/change-password', { token, body })
  await server.request('GET', '/auth/me', { token: `${token}x` })
  t.match(server.logged().slice(loggedLength), '/auth/change-password')
  for (const secret of [
    ADMIN.password,
    server.admin.token,
    password,
    token,
    'wrong-canary-77',
    'new-canary-88',
  ])
    t.notOk(server.logged().includes(secret))
})
