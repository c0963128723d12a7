import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { startDatabaseProxy } from '../../support/database-proxy.ts'
import { runCommand } from '../../support/kernel.ts'
import { ADMIN, startServer, type TestReply, type TestServer } from '../../support/server.ts'

/** A plugin with a socket and a route that send the permissions of the caller. */
const mirror = `export default {
  kernel: 1,
  name: 'mirror', summary: 'Tells what you may do', depends: ['auth'],
  setup(host) {
    host.routes([{
      method: 'GET', path: '/caller', summary: 'Mirror', guard: 'user', response: { 200: { type: 'object' } },
      handler: ({ caller }) => caller,
    }])
    host.socket({
      path: '/mirror', summary: 'Mirror', guard: 'user',
      receive: { who: { type: 'object' } },
      send: { you: { type: 'object', properties: { caller: { type: 'object' } } } },
      handler: (connection, request) => (
        { message: () => connection.send({ type: 'you', caller: request.context.caller }) }),
    })
  },
}`

const proxy = await startDatabaseProxy(t)
const server = await startServer(t, { plugins: { mirror }, config: { database: { url: proxy.url } } })
const second = await startServer(t, { home: server.home })

const ENDED = { code: 4401, reason: 'session ended' }
const AUTH_FAILED = { status: 401, code: 'AUTH_FAILED' }

const me = (server: TestServer, token: string) => server.request('GET', '/auth/me', { token })
const refusal = ({ status, body }: TestReply) => ({ status, code: body.error?.code })

const look = (server: TestServer, token: string) => server.request('GET', '/caller', { token })

/** Waits until a server has noticed what another process changed. */
const seeRefusal = (node: TestServer, token: string, expected: { status: number; code: string }) =>
  eventually(`${expected.code} of a server`, async () => {
    const { status, code } = refusal(await look(node, token))
    return status === expected.status && code === expected.code
  })

/** Opens a socket and waits until it answers. */
const open = async (server: TestServer, token: string) => {
  const socket = await server.connect('/mirror', { token })
  const ask = async () => {
    socket.send({ type: 'who' })
    return (await socket.next('you')).caller
  }
  await ask()
  return { ...socket, ask }
}

/** Runs `svc` on the home and database of a server, in a runtime of its own. */
const svc = async ({ home, server }: TestServer, ...args: string[]): Promise<string> => {
  const { url } = server.runtime.blueprint.config.values.database
  const { code, stdout, stderr } = await runCommand(home, args, { env: url ? { SVC_DATABASE_URL: url } : {} })
  if (code !== 0) throw new Error(stderr)
  return stdout
}

t.test('of more than 50 sessions the oldest ends', { skip: onlyLong }, async (t) => {
  const olga = await server.createUser({ username: 'olga' })
  const sockets = [await open(server, olga.token), await open(second, olga.token)]
  const login = { username: 'olga', password: olga.password }
  const logIn = async () => (await server.request('POST', '/auth/login', { token: null, body: login })).body
  const tokens = []
  for (let made = 1; made < 50; made += 1) tokens.push((await logIn()).access_token)
  t.match((await me(server, olga.token)).body.limits.sessions, { used: 50, max: 50 })
  const sessions = server.db.collection<{ user_id: string; created_at: number }>('sessions')
  // All were opened within about a second, and the first must be the oldest.
  const { body: listed } = await server.request('GET', '/auth/sessions', { token: olga.token })
  const { id } = listed.find(({ current }: { current: boolean }) => current)
  await sessions.updateOne({ _id: id }, { $inc: { created_at: -10 } })

  const more = await Promise.all([logIn(), logIn(), logIn()])
  for (const socket of sockets) t.strictSame(await socket.closed, ENDED)
  t.strictSame(refusal(await me(server, olga.token)), AUTH_FAILED)
  await seeRefusal(second, olga.token, AUTH_FAILED)
  for (const { access_token } of more)
    t.equal((await me(server, access_token)).status, 200, 'none of the new ones')
  const statuses = await Promise.all(tokens.map(async (token) => (await me(second, token)).status))
  t.equal(statuses.filter((status) => status === 401).length, 2)
  t.match((await me(server, more[0].access_token)).body.limits.sessions, { used: 50 })
})

t.test('a logout closes the sockets of its session and no others', async (t) => {
  const token = await server.login('admin', ADMIN.password)
  const [one, two, other] = [
    await open(server, token),
    await open(server, token),
    await open(server, server.admin.token),
  ]
  await server.request('POST', '/auth/logout', { token })
  t.strictSame(await one.closed, ENDED)
  t.strictSame(await two.closed, ENDED)
  t.match(await other.ask(), { username: 'admin' })
})

t.test('ending a session from another one closes its sockets', async (t) => {
  const token = await server.login('admin', ADMIN.password)
  const socket = await open(server, token)
  const { session_id } = await socket.ask()
  t.equal((await server.request('DELETE', `/auth/sessions/${session_id}`)).status, 204)
  t.strictSame(await socket.closed, ENDED)
})

t.test('a change of the password closes the sockets of the other sessions, on every server', async (t) => {
  const { token, password } = await server.createUser({ username: 'eve' })
  const other = await second.login('eve', password)
  const here = await open(server, token)
  const secondSocket = await open(second, token)
  const others = [await open(server, other), await open(second, other)]
  const body = { old_password: password, new_password: 'another-secret-2' }
  t.equal((await server.request('POST', '/auth/change-password', { token, body })).status, 204)
  for (const socket of others) t.strictSame(await socket.closed, ENDED)
  for (const socket of [here, secondSocket]) t.match(await socket.ask(), { username: 'eve' })
})

t.test('disabling an account ends its sessions and sockets permanently, on every server', async (t) => {
  const ada = await server.createUser({ username: 'ada' })
  const sockets = [await open(server, ada.token), await open(second, ada.token)]
  const bystander = await open(second, second.admin.token)
  const { users } = server.server.runtime.cradleOf('users')
  await users.update(ada.id, { enabled: false })
  t.strictSame(refusal(await me(server, ada.token)), { status: 403, code: 'USER_DISABLED' })
  await seeRefusal(second, ada.token, { status: 403, code: 'USER_DISABLED' })
  for (const socket of sockets) t.strictSame(await socket.closed, ENDED)
  await users.update(ada.id, { enabled: true })
  t.strictSame(refusal(await me(server, ada.token)), AUTH_FAILED, 'enabling again brings no session back')
  await seeRefusal(second, ada.token, AUTH_FAILED)
  t.ok(await second.login('ada', ada.password))
  t.match(await bystander.ask(), { username: 'admin' })
})

t.test('a change of role or permissions applies to the next frame, and the session stays live', async (t) => {
  const kay = await server.createUser({ username: 'kay' })
  const socket = await open(server, kay.token)
  t.match(await socket.ask(), { role: 'user', permissions: [] })
  const { users } = server.server.runtime.cradleOf('users')
  await users.update(kay.id, { permissions: ['users'] })
  t.match(await socket.ask(), { role: 'user', permissions: ['users'] })
  await users.update(kay.id, { role: 'admin' })
  t.match(await socket.ask(), { role: 'admin' })
  await second.server.runtime.cradleOf('users').users.update(kay.id, { role: 'user', permissions: [] })
  let caller = await socket.ask()
  // The other server's change applies after the watch has run; every question before that is still answered.
  while (caller.role === 'admin') caller = await socket.ask()
  t.match(caller, { role: 'user', permissions: [] })
})

t.test('no change is answered from memory, and other servers notice it', async (t) => {
  const { users } = server.server.runtime.cradleOf('users')
  const { sessions, passwordChanges } = server.server.runtime.cradleOf('auth')
  const DISABLED = { status: 403, code: 'USER_DISABLED' }
  const sessionOf = async (token: string) => (await look(server, token)).body.session_id
  const changes: [string, typeof AUTH_FAILED, (user: { id: string; token: string }) => unknown][] = [
    ['out', AUTH_FAILED, ({ token }) => server.request('POST', '/auth/logout', { token })],
    ['end', AUTH_FAILED, async ({ id, token }) => sessions.end(id, await sessionOf(token))],
    ['all', AUTH_FAILED, ({ id }) => sessions.endAll(id)],
    ['reset', AUTH_FAILED, ({ id }) => passwordChanges.reset(id, 'another-secret-2')],
    ['off', DISABLED, ({ id }) => users.update(id, { enabled: false })],
    ['gone', AUTH_FAILED, () => server.request('DELETE', '/users/gone')],
    [
      'must',
      { status: 403, code: 'PASSWORD_CHANGE_REQUIRED' },
      ({ id }) => users.setPassword(id, 'another-secret-2', { must_change_password: true }),
    ],
  ]
  const see = async ([username, expected, change]: (typeof changes)[number]) => {
    const user = await server.createUser({ username })
    for (const node of [server, second]) t.equal((await look(node, user.token)).status, 200)
    // So that reads are under way when the change is made.
    let isOver = false
    const load = (async () => {
      while (!isOver) await look(server, user.token)
    })()
    await change(user)
    t.strictSame(refusal(await look(server, user.token)), expected, username)
    isOver = true
    await seeRefusal(second, user.token, expected)
    await load
  }
  await Promise.all(changes.map(see))
  const kim = await server.createUser({ username: 'kim' })
  for (const permissions of [['users'], []]) {
    t.ok(await look(server, kim.token))
    await users.update(kim.id, { permissions })
    t.strictSame((await look(server, kim.token)).body.permissions, permissions)
    await eventually('the other server knows the permissions', async () => {
      const { body } = await look(second, kim.token)
      return body.permissions.length === permissions.length
    })
  }
})

t.test('while the database is unavailable nobody is admitted from memory', async (t) => {
  const { token } = await server.createUser({ username: 'ivy' })
  t.equal((await look(server, token)).status, 200)
  proxy.cut()
  await eventually('the memory is too old', async () => (await look(server, token)).status !== 200)
  const refused = refusal(await look(server, token))
  proxy.restore()
  t.match(refused, { status: 503 })
  await eventually('the database is back', async () => (await look(server, token)).status === 200)
})

t.test('a session opened while the account is being disabled does not survive it', async (t) => {
  const ken = await server.createUser({ username: 'ken' })
  const { users } = server.server.runtime.cradleOf('users')
  const body = { username: 'ken', password: ken.password }
  const logins = Array.from({ length: 10 }, () =>
    server.request('POST', '/auth/login', { token: null, body }),
  )
  await Promise.race(logins)
  await users.update(ken.id, { enabled: false })
  const tokens = (await Promise.all(logins)).flatMap(({ body }) => body.access_token ?? [])
  await users.update(ken.id, { enabled: true })
  t.ok(tokens.length > 0)
  for (const token of tokens) t.strictSame(refusal(await me(server, token)), AUTH_FAILED)
})

t.test('a reset ends every session and any lock, and without the policy needs no change', async (t) => {
  const joy = await server.createUser({ username: 'joy' })
  const socket = await open(server, joy.token)
  const logIn = (password: string) =>
    server.request('POST', '/auth/login', { token: null, body: { username: 'joy', password } })
  for (let attempt = 1; attempt <= 6; attempt++) await logIn('wrong-password-1')
  t.equal((await logIn(joy.password)).status, 429)

  const { passwordChanges } = server.server.runtime.cradleOf('auth')
  await t.rejects(passwordChanges.reset(joy.id, 'weak'), { code: 'PASSWORD_TOO_WEAK' })
  await t.rejects(passwordChanges.reset('unknown', 'another-secret-2'), { code: 'NOT_FOUND' })
  t.equal((await me(server, joy.token)).status, 200)
  await passwordChanges.reset(joy.id, 'another-secret-2')
  t.strictSame(await socket.closed, ENDED)
  t.strictSame(refusal(await me(server, joy.token)), AUTH_FAILED)
  t.equal((await logIn(joy.password)).status, 401)
  const { status, body } = await logIn('another-secret-2')
  t.match({ status, body }, { status: 200, body: { user: { must_change_password: false } } })
  t.match((await me(server, body.access_token)).body, { must_change_password: false })
})

// The tests below run last, because they rotate the secret, which ends every session, and stop the servers.

t.test('rotating the secret ends every session at once while the servers run', async (t) => {
  const amy = await server.createUser({ username: 'amy' })
  const sockets = [await open(server, amy.token), await open(second, second.admin.token)]

  const live = await server.db.collection('sessions').countDocuments({ ended_at: null })
  const line = await svc(server, 'admin', 'rotate-jwt-secret')
  t.match(line, new RegExp(`^[^\n]*epoch 2[^\n]*sessions ended: ${live}[^\n]*\n$`))
  for (const token of [server.admin.token, second.admin.token, amy.token])
    for (const node of [server, second]) await seeRefusal(node, token, AUTH_FAILED)
  for (const socket of sockets) t.strictSame(await socket.closed, ENDED)

  const token = await second.login('admin', ADMIN.password)
  for (const node of [server, second])
    t.equal((await me(node, token)).status, 200, 'a new login works everywhere')

  t.strictSame(JSON.parse(await svc(server, 'admin', 'rotate-jwt-secret', '--json')), {
    epoch: 3,
    sessions_ended: 1,
  })
  for (const node of [server, second]) await seeRefusal(node, token, AUTH_FAILED)
})

t.test('the secret can be rotated without a server, before or between its runs', async (t) => {
  const token = await server.login('admin', ADMIN.password)
  const { epoch } = await server.server.runtime.cradleOf('auth').signingKeys.read()
  await Promise.all([server.stop(), second.stop()])
  t.match(await svc(server, 'admin', 'rotate-jwt-secret'), `epoch ${epoch + 1}`)
  await server.restart()
  t.strictSame(refusal(await me(server, token)), AUTH_FAILED)
  t.ok(await server.login('admin', ADMIN.password))
})

t.test(
  'a start without the key that sealed the secret is refused in a sentence, and a rotation helps',
  async (t) => {
    const token = await server.login('admin', ADMIN.password)
    await Promise.all([server.stop(), second.stop()])
    rmSync(join(server.home, 'secret.key'))
    await t.rejects(server.restart(), {
      message: /secret\.key is missing, but the database has secrets .*svc admin rotate-jwt-secret/,
    })
    t.notOk(existsSync(join(server.home, 'secret.key')), 'no new key was made')
    writeFileSync(join(server.home, 'secret.key'), 'A'.repeat(43))
    await t.rejects(server.restart(), {
      message: /encrypted with another secret\.key.*svc admin rotate-jwt-secret/,
    })
    await svc(server, 'admin', 'rotate-jwt-secret')
    await server.restart()
    t.strictSame(refusal(await me(server, token)), AUTH_FAILED)
    t.equal((await me(server, await server.login('admin', ADMIN.password))).status, 200)
  },
)
