import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { ADMIN, createHome, startServer, type TestServer } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

/** Servers without a configured administrator's password, so that one is generated. */
const GENERATED = { signIn: false, env: { SVC_ADMIN_PASSWORD: '' } }

const generated = await startServer(t, GENERATED)
const server = await startServer(t, { signIn: false, env: { SVC_ADMIN_USERNAME: 'Root.User' } })

const fileOf = (home: string) => join(home, 'initial-admin-password')
const passwordIn = (home: string) => readFileSync(fileOf(home), 'utf8').trim()
const announced = ({ server }: TestServer) =>
  server.announcements.filter(({ label }) => label === 'administrator').map(({ text }) => text)
const change = (server: TestServer, token: string, old_password: string, new_password: string) =>
  server.request('POST', '/auth/change-password', { token, body: { old_password, new_password } })

t.test(
  'the first start makes an administrator whose random password is shown once and kept in a file',
  async (t) => {
    const password = passwordIn(generated.home)
    t.match(password, /^(?=.*[a-z])(?=.*\d)[a-z\d-]{16,}$/)
    t.equal(statSync(fileOf(generated.home)).mode & 0o777, 0o600)
    t.equal(announced(generated).length, 1)
    t.match(announced(generated)[0], password)
    t.notMatch(generated.logged(), password, 'it is not in the log')

    const { status, body } = await generated.request('POST', '/auth/login', {
      token: null,
      body: { username: 'admin', password },
    })
    t.equal(status, 200)
    t.match(body.user, { username: 'admin', role: 'admin', must_change_password: false })
    t.ok(body.user.permissions.includes('users'), 'an administrator holds what the plugin declares')

    await generated.restart()
    t.strictSame(announced(generated), [], 'a later start shows nothing')
    t.equal(passwordIn(generated.home), password)
  },
)

t.test(
  'the file goes when that administrator changes the password, not when somebody else does',
  async (t) => {
    const password = passwordIn(generated.home)
    const ada = await generated.createUser({ username: 'ada' })
    t.equal((await change(generated, ada.token, ada.password, 'another-secret-2')).status, 204)
    t.equal(passwordIn(generated.home), password)
    const token = await generated.login('admin', password)
    t.equal((await change(generated, token, password, 'another-secret-2')).status, 204)
    t.notOk(existsSync(fileOf(generated.home)))
    t.ok(await generated.login('admin', 'another-secret-2'))
  },
)

t.test(
  'a configured administrator gets that name in lower case and that password, and no file',
  async (t) => {
    t.notOk(existsSync(fileOf(server.home)))
    t.notMatch(announced(server).join(), ADMIN.password)
    t.ok(await server.login('root.user', ADMIN.password))
    const { status } = await server.request('POST', '/auth/login', {
      token: null,
      body: { username: 'admin', password: ADMIN.password },
    })
    t.equal(status, 401)
  },
)

t.test(
  'a start with a weak administrator password is refused in a sentence that names the key',
  async (t) => {
    const started = startServer(t, { signIn: false, env: { SVC_ADMIN_PASSWORD: 'password1' } })
    await t.rejects(started, { message: /plugins\.users\.admin_password \(SVC_ADMIN_PASSWORD\) is too weak/ })
  },
)

t.test('two servers that start at once on an empty database create one administrator', async (t) => {
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  const servers = await Promise.all([
    startServer(t, { ...GENERATED, home }),
    startServer(t, { ...GENERATED, home }),
  ])
  const texts = servers.flatMap(announced)
  t.equal(texts.length, 1, 'one of them announces it')
  const password = passwordIn(home)
  t.match(texts[0], password)
  for (const server of servers) t.ok(await server.login('admin', password))
  t.equal(await servers[0].db.collection('users').countDocuments(), 1)
})

t.test('a first start that crashed after writing the file is resumed with that password', async (t) => {
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  writeFileSync(fileOf(home), 'left-by-start-1\n', { mode: 0o600 })
  const server = await startServer(t, { ...GENERATED, home })
  t.match(announced(server)[0], 'left-by-start-1')
  t.ok(await server.login('admin', 'left-by-start-1'))
})

t.test('usernames are case-insensitive', async (t) => {
  const { password } = await server.createUser({ username: 'Ada.Lovelace' })
  const { body } = await server.request('POST', '/auth/login', {
    token: null,
    body: { username: 'ADA.lovelace', password },
  })
  t.equal(body.user.username, 'ada.lovelace')
  await t.rejects(server.createUser({ username: 'ADA.LOVELACE' }), { code: 'USERNAME_TAKEN' })
  for (const username of ['', '.ada', '-ada', 'a b', 'ada@home', 'a'.repeat(65), 'ä'])
    await t.rejects(server.createUser({ username }), { code: 'VALIDATION_FAILED' }, `${username} is refused`)
})

t.test('passwords are stored as argon2id hashes only', async (t) => {
  const stored = await server.db.collection('users').findOne({ username: 'root.user' })
  const salted = String.raw`\$[\w+/]{22}\$[\w+/]{43}$`
  t.match(stored?.password_hash, new RegExp(String.raw`^\$argon2id\$v=19\$m=\d+,t=2,p=1${salted}`))
  t.notMatch(JSON.stringify(stored), ADMIN.password)
})

t.test('hashes that another implementation of argon2id made are verified', async (t) => {
  const { id } = await server.createUser({ username: 'old.hash' })
  // Made by @node-rs/argon2 2.2.1 from "Secret pass 1".
  const password_hash =
    '$argon2id$v=19$m=19456,t=2,p=1$5yBYLMtsDXCMXXoqi1OXRA$2DLxwQqdIRhPOTFq6s0gmD6/8b4e/y7QdtK/HV392Rs'
  await server.db.collection<{ _id: string }>('users').updateOne({ _id: id }, { $set: { password_hash } })
  t.ok(await server.login('old.hash', 'Secret pass 1'))
  await t.rejects(server.login('old.hash', 'Secret pass 2'), /AUTH_FAILED/)
})

t.test(
  'a new password must have 8 to 200 characters with a letter and a digit and be uncommon',
  async (t) => {
    const { token, password: old } = await server.createUser({ username: 'eve' })
    const weak = ['abc1234', '12345678', 'abcdefgh', 'password1', 'PassWord123', 'Qwerty123', '!!!!!!!1']
    for (const password of weak) {
      const { status, body } = await change(server, token, old, password)
      t.match(
        { status, code: body.error?.code },
        { status: 400, code: 'PASSWORD_TOO_WEAK' },
        `${password} is refused`,
      )
    }
    const long = `a1${'x'.repeat(198)}`
    t.equal((await change(server, token, old, `${long}x`)).status, 422)
    t.equal((await change(server, token, old, long)).status, 204)
    t.equal((await change(server, token, long, 'пароль-第7个')).status, 204)
    t.equal((await change(server, token, 'пароль-第7个', 'e\u0301clair-no-9')).status, 204)
    t.ok(await server.login('eve', '\u00e9clair-no-9'), 'however the keyboard composes a letter')
  },
)
