import { createHmac } from 'node:crypto'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { createTestClock } from '../../support/clock.ts'
import { ADMIN, createHome, startServer, type TestReply, type TestServer } from '../../support/server.ts'
import { connectSocket } from '../../support/socket.ts'

/** A plugin with a socket that sends the name of the caller. */
const mirror = `export default {
  kernel: 1,
  name: 'mirror', summary: 'Tells who you are', depends: ['auth'],
  setup(host) {
    host.socket({
      path: '/mirror', summary: 'Mirror', guard: 'user',
      receive: { who: { type: 'object' } },
      send: { you: { type: 'object', properties: { username: { type: 'string' } } } },
      handler: (connection, { context }) => (
        { message: () => connection.send({ type: 'you', username: context.caller.username }) }),
    })
  },
}`

const server = await startServer(t, { plugins: { mirror } })

type Claims = Record<string, unknown>

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
const claimsOf = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

/** Signs a token with the real secret. */
const sign = (claims: Claims, secret: string | Buffer, header: object = { alg: 'HS256', typ: 'JWT' }) => {
  const text = `${encode(header)}.${encode(claims)}`
  const hash = (header as { alg?: string }).alg === 'HS512' ? 'sha512' : 'sha256'
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`
}

const secretOf = async ({ server }: TestServer): Promise<Buffer> =>
  (await server.runtime.cradleOf('auth').signingKeys.read()).secret.export()

const me = (server: TestServer, token: string | null, headers?: Record<string, string>) =>
  server.request('GET', '/auth/me', { token, headers })

const refusal = ({ status, body }: TestReply) => ({ status, code: body.error?.code })
const AUTH_FAILED = { status: 401, code: 'AUTH_FAILED' }

/** The error with which a refused socket rejects. */
const refused = (status: number, code: string) =>
  Object.assign(new Error(`refused with ${status}`), { status, body: { error: { code } } })

t.test('a token that was tampered with is refused', async (t) => {
  const ada = await server.createUser({ username: 'ada' })
  const secret = await secretOf(server)
  const claims = claimsOf(ada.token)
  const admin = claimsOf(server.admin.token)
  const [header, payload, signature] = ada.token.split('.') as [string, string, string]
  t.equal((await me(server, sign(claims, secret))).status, 200, 'the test signs as the server does')

  const forged: Record<string, string> = {
    'no algorithm': `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    'no algorithm, in other letters': `${encode({ alg: 'nOnE', typ: 'JWT' })}.${payload}.`,
    'no algorithm but a signature': `${encode({ alg: 'none' })}.${payload}.${signature}`,
    'another algorithm of the same secret': sign(claims, secret, { alg: 'HS512', typ: 'JWT' }),
    'an asymmetric algorithm named over the same secret': sign(claims, secret, { alg: 'RS256', typ: 'JWT' }),
    'another secret': sign(claims, 'secret'),
    'an empty secret': sign(claims, ''),
    'a secret named in the header': sign(claims, 'mine', { alg: 'HS256', jwk: { kty: 'oct', k: 'bWluZQ' } }),
    'claims changed under the signature': `${header}.${encode({ ...claims, role: 'admin' })}.${signature}`,
    "another user's id": sign({ ...claims, sub: admin.sub }, secret),
    "another user's session": sign({ ...claims, jti: admin.jti }, secret),
    'a session that does not exist': sign({ ...claims, jti: 'AAAAAAAAAAAAAAAAAAAAAA' }, secret),
    'no session': sign({ ...claims, jti: undefined }, secret),
    'no end': sign({ ...claims, exp: undefined }, secret),
    'no start': sign({ ...claims, iat: undefined }, secret),
    'a query for a session': sign({ ...claims, jti: { $ne: null } }, secret),
    'a query for a user': sign({ ...claims, sub: { $ne: null } }, secret),
    'a later epoch': sign({ ...claims, epoch: (claims.epoch as number) + 1 }, secret),
    'an earlier epoch': sign({ ...claims, epoch: (claims.epoch as number) - 1 }, secret),
    'no epoch': sign({ ...claims, epoch: undefined }, secret),
    'an epoch that is no number': sign({ ...claims, epoch: String(claims.epoch) }, secret),
    'a start in the future': sign({ ...claims, nbf: (claims.exp as number) + 1 }, secret),
    'no signature': `${header}.${payload}.`,
    'a cut signature': ada.token.slice(0, -4),
    'two parts': `${header}.${payload}`,
    'four parts': `${ada.token}.${signature}`,
    'claims that are no JSON': `${header}.${Buffer.from('{').toString('base64url')}.${signature}`,
    'claims that are null': sign(null as never, secret),
    'not a token': 'token',
    'a very long one': 'x'.repeat(8000),
  }
  for (const [what, token] of Object.entries(forged))
    t.strictSame(refusal(await me(server, token)), AUTH_FAILED, what)

  const raised = await me(server, sign({ ...claims, role: 'admin', uname: 'admin' }, secret))
  t.match(raised.body, { username: 'ada', role: 'user' }, 'role and name come from the database')
})

t.test('a request can send its token only in the Authorization header', async (t) => {
  const { token } = server.admin
  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    t.equal((await me(server, null, { authorization: `${scheme} ${token}` })).status, 200, scheme)
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    token,
    `Basic ${token}`,
    `Bearer ${token} ${token}`,
    `Bearer,${token}`,
  ])
    t.strictSame(
      refusal(await me(server, null, { authorization })),
      AUTH_FAILED,
      `"${authorization.slice(0, 20)}"`,
    )
  t.strictSame(refusal(await server.request('GET', `/auth/me?token=${token}`, { token: null })), AUTH_FAILED)
  const protocol = { 'sec-websocket-protocol': `bearer.${token}` }
  t.strictSame(refusal(await me(server, null, protocol)), AUTH_FAILED)
})

t.test('a socket takes the token from header, query or subprotocol', async (t) => {
  const { token } = server.admin
  const url = `${server.url.replace('http', 'ws')}/api/mirror`
  const sockets = [
    await server.connect('/mirror'),
    await connectSocket(t, url, [`bearer.${token}`]),
    await connectSocket(t, url, ['chat', `bearer.${token}`]),
    await connectSocket(t, url, [`bearer.${token}`, 'svc']),
  ]
  t.strictSame(
    sockets.map(({ webSocket }) => webSocket.protocol),
    ['', `bearer.${token}`, `bearer.${token}`, 'svc'],
    'what nobody knows is not confirmed',
  )
  for (const socket of sockets) {
    socket.send({ type: 'who' })
    t.equal((await socket.next('you')).username, 'admin')
  }
  const failed = refused(401, 'AUTH_FAILED')
  for (const wrong of [url, `${url}?token=`, `${url}?token=${token}x`, `${url}?access_token=${token}`])
    await t.rejects(connectSocket(t, wrong), failed)
  await t.rejects(connectSocket(t, url, ['bearer.']), failed)
  await t.rejects(connectSocket(t, url, ['bearer']), failed)
})

t.test('an account that must change its password gets no socket', async (t) => {
  const { token, id } = await server.createUser({ username: 'eve' })
  await server.server.runtime
    .cradleOf('users')
    .users.setPassword(id, 'another-secret-2', { must_change_password: true })
  await t.rejects(server.connect('/mirror', { token }), refused(403, 'PASSWORD_CHANGE_REQUIRED'))
})

t.test('a token expires', async (t) => {
  const clock = createTestClock()
  const server = await startServer(t, { clock, env: { SVC_ACCESS_TOKEN_TTL: '60' }, plugins: { mirror } })
  clock.advance(61)
  t.strictSame(refusal(await me(server, server.admin.token)), { status: 401, code: 'TOKEN_EXPIRED' })
  await t.rejects(server.connect('/mirror'), refused(401, 'TOKEN_EXPIRED'))
  const [header, , signature] = server.admin.token.split('.')
  const renewed = { ...claimsOf(server.admin.token), exp: clock.seconds() + 60 }
  t.strictSame(refusal(await me(server, `${header}.${encode(renewed)}.${signature}`)), AUTH_FAILED)
  const token = await server.login('admin', ADMIN.password)
  t.strictSame(
    (await server.request('GET', '/auth/sessions', { token })).body.length,
    1,
    'its session is gone',
  )
})

t.test(
  'an answer carries a fresh token of the session when less than a third of its life is left',
  async (t) => {
    const clock = createTestClock()
    const server = await startServer(t, { clock, env: { SVC_ACCESS_TOKEN_TTL: '600' } })
    const old = server.admin.token
    clock.advance(390)
    t.equal((await me(server, old)).headers.get('x-access-token'), null)
    clock.advance(20)
    const reply = await me(server, old)
    t.equal(reply.status, 200)
    const fresh = reply.headers.get('x-access-token')!
    t.equal(claimsOf(fresh).jti, claimsOf(old).jti)
    t.ok((claimsOf(fresh).exp as number) >= clock.seconds() + 598)
    t.equal((await me(server, fresh)).headers.get('x-access-token'), null, 'a fresh one is not renewed')
    const again = (await me(server, old)).headers.get('x-access-token')!
    t.equal(claimsOf(again).exp, claimsOf(fresh).exp, 'the old one leads to the same end until it expires')

    clock.advance(250)
    t.strictSame(refusal(await me(server, old)), { status: 401, code: 'TOKEN_EXPIRED' })
    const { body } = await server.request('GET', '/auth/sessions', { token: fresh })
    t.match(body, [{ current: true, expires_at: claimsOf(fresh).exp }])
    t.equal((await server.request('POST', '/auth/logout', { token: fresh })).status, 204)
    t.strictSame(refusal(await me(server, again)), AUTH_FAILED, 'a logout ends every token of the session')
  },
)

t.test(
  'two servers that start at once on an empty database sign with one secret',
  { skip: onlyLong },
  async (t) => {
    const home = createHome(t)
    const servers = await Promise.all([startServer(t, { home }), startServer(t, { home })])
    for (const server of servers)
      for (const { admin } of servers) t.equal((await me(server, admin.token)).status, 200)
    t.equal(await servers[0].db.collection('signing_keys').countDocuments(), 1)
  },
)

t.test('the secret is encrypted in the database', async (t) => {
  const secret = await secretOf(server)
  const stored = JSON.stringify(await server.db.collection('signing_keys').find().toArray())
  t.ok(secret.length >= 32)
  for (const encoding of ['base64url', 'base64', 'hex'] as const)
    t.notOk(stored.includes(secret.toString(encoding)))
})
