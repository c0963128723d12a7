import t from '../../run/file-test.ts'
import { roundRobin } from '../../run/tier.ts'
import { createTestClock } from '../../support/clock.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const PASSWORD = 'another-secret-2'

/** Calls the account routes with the token of one caller. */
const asker = (server: TestServer, token: string) => ({
  list: () => server.request('GET', '/users', { token }),
  get: (name: string) => server.request('GET', `/users/${name}`, { token }),
  create: (body: object) =>
    server.request('POST', '/users', { token, body: { password: PASSWORD, ...body } }),
  patch: (name: string, body: object) => server.request('PATCH', `/users/${name}`, { token, body }),
  reset: (name: string, new_password = PASSWORD) =>
    server.request('POST', `/users/${name}/reset-password`, { token, body: { new_password } }),
  unlock: (name: string) => server.request('POST', `/users/${name}/unlock-login`, { token }),
  remove: (name: string) => server.request('DELETE', `/users/${name}`, { token }),
})

const failLogin = (server: TestServer, username: string) =>
  server.request('POST', '/auth/login', { token: null, body: { username, password: 'wrong-password-1' } })

t.test('accounts', async (t) => {
  const clock = createTestClock()
  const server = await startServer(t, { clock })
  const admin = asker(server, server.admin.token)
  const manager = await server.createUser({ username: 'mia', permissions: ['users'] })
  const mia = asker(server, manager.token)

  await t.test('a new account has the given fields and the defaults', async (t) => {
    const { status, body } = await admin.create({ username: 'Ann' })
    t.equal(status, 201)
    const { id, created_at, updated_at, ...row } = body
    t.strictSame(row, {
      username: 'ann',
      role: 'user',
      display_name: null,
      email: null,
      enabled: true,
      locale: null,
      permissions: [],
      workspace_root_dir: null,
      budget: null,
      timezone: null,
      token_quota: null,
      tokens_used: 0,
      has_password: true,
      sso_linked: false,
      groups: [{ id: 'grp_everyone', name: 'everyone' }],
      last_login_at: null,
      last_seen: null,
      login_locked: false,
      login_retry_after_seconds: null,
      must_change_password: false,
    })
    t.ok(id && created_at > 0 && updated_at === created_at)
    t.ok(await server.login('ann', PASSWORD))
    const token = await server.login('ann', PASSWORD)
    t.match((await server.request('GET', '/agents', { token })).body, [{ name: 'assistant' }])

    const newAccount = {
      username: 'ben',
      role: 'admin',
      display_name: 'Ben',
      email: 'ben@example.org',
      locale: 'zh',
      permissions: ['users'],
      workspace_root_dir: '/srv/ben/../ben/',
      token_quota: 1000,
    }
    t.match(await admin.create(newAccount), {
      status: 201,
      body: { ...newAccount, workspace_root_dir: '/srv/ben/' },
    })
    t.match(await admin.get('BEN'), { status: 200, body: { username: 'ben' } }, 'without regard to case')

    const { id: id_of_ben } = (await admin.get('ben')).body
    t.match(await admin.get(id_of_ben), { status: 200, body: { username: 'ben' } }, 'by its id')
    t.match(await admin.patch(id_of_ben, { locale: 'en-GB' }), { status: 200, body: { locale: 'en' } })
    t.match(await admin.create({ username: id_of_ben }), { status: 409 }, 'nobody is named like an id')
  })

  await t.test('the list has every account, by username', async (t) => {
    const { status, body } = await mia.list()
    t.equal(status, 200)
    t.strictSame(
      body.map(({ username }: { username: string }) => username),
      ['admin', 'ann', 'ben', 'mia'],
    )
    t.notMatch(JSON.stringify(body), /argon2|password_hash|changed_at|_id/)
  })

  await t.test('an invalid new account is refused with the reason', async (t) => {
    const cases: [body: object, status: number, code: string, details?: object][] = [
      [{ username: 'ANN' }, 409, 'USERNAME_TAKEN'],
      [{ username: 'invites' }, 409, 'USERNAME_TAKEN'],
      [{ username: 'Permissions' }, 409, 'USERNAME_TAKEN'],
      [{ username: '-x' }, 422, 'VALIDATION_FAILED', { issues: [{ path: '/username', rule: 'pattern' }] }],
      [{ username: 'a/b' }, 422, 'VALIDATION_FAILED'],
      [{ username: 'x', password: 'short1' }, 400, 'PASSWORD_TOO_WEAK'],
      [{ username: 'x', password: 'password123' }, 400, 'PASSWORD_TOO_WEAK'],
      [{ username: 'x', password: 'onlyletters' }, 400, 'PASSWORD_TOO_WEAK'],
      [
        { username: 'x', role: 'root' },
        422,
        'VALIDATION_FAILED',
        { issues: [{ path: '/role', rule: 'enum' }] },
      ],
      [{ username: 'x', email: 'nobody' }, 422, 'VALIDATION_FAILED', { issues: [{ path: '/email' }] }],
      [{ username: 'x', token_quota: -1 }, 422, 'VALIDATION_FAILED', { issues: [{ path: '/token_quota' }] }],
      [{ username: 'x', locale: 'en_US' }, 422, 'VALIDATION_FAILED', { issues: [{ path: '/locale' }] }],
      [{ username: 'x', tokens_used: 0 }, 422, 'VALIDATION_FAILED', { issues: [{ path: '/tokens_used' }] }],
      [
        { username: 'x', permissions: ['fly'] },
        422,
        'VALIDATION_FAILED',
        { issues: [{ path: '/permissions/0' }] },
      ],
      [{ username: 'x', permissions: ['users', 'users'] }, 422, 'VALIDATION_FAILED'],
      ...[
        'relative',
        'a\0b',
        '/a\0b',
        server.home,
        `${server.home}/agents`,
        `${server.home}/../${server.home.split('/').at(-1)}`,
      ].map((workspace_root_dir): [object, number, string, object] => [
        { username: 'x', workspace_root_dir },
        422,
        'VALIDATION_FAILED',
        { issues: [{ path: '/workspace_root_dir' }] },
      ]),
    ]
    for (const [body, status, code, details = {}] of cases)
      t.match(await admin.create(body), { status, body: { error: { code, details } } }, JSON.stringify(body))
    t.equal((await admin.get('x')).status, 404)
    for (const name of ['nobody', 'a%2Fb', '%20'])
      t.match(await admin.get(name), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  })

  await t.test('a change affects only the fields that it contains', async (t) => {
    const account = (await admin.get('ann')).body
    const changes = {
      display_name: 'Ann',
      email: 'ann@example.org',
      locale: 'zh',
      permissions: ['users'],
      workspace_root_dir: '/srv/ann',
      token_quota: 5,
    }
    const { status, body } = await admin.patch('ann', changes)
    t.equal(status, 200)
    t.strictSame(body, { ...account, ...changes, updated_at: body.updated_at })
    const cleared = {
      display_name: null,
      email: null,
      locale: null,
      workspace_root_dir: null,
      token_quota: null,
    }
    t.match(await admin.patch('ann', { ...cleared, permissions: [] }), {
      body: { ...cleared, permissions: [] },
    })
    t.match(await admin.patch('ann', {}), { status: 200, body: { ...cleared, role: 'user', enabled: true } })
    t.match(await admin.patch('nobody', {}), { status: 404 })
    for (const body of [{ username: 'x' }, { password: PASSWORD }, { role: null }, { enabled: null }])
      t.match(await admin.patch('ann', body), { status: 422 }, JSON.stringify(body))
  })

  await t.test('callers grant only rights that they hold', async (t) => {
    const exceeds = (...missing: string[]) => ({
      status: 403,
      body: { error: { code: 'FORBIDDEN', message: /only permissions that you have/, details: { missing } } },
    })
    t.match(await mia.create({ username: 'x', role: 'admin' }), exceeds('admin'))
    t.match(await mia.patch('ann', { role: 'admin' }), exceeds('admin'))
    t.match(await mia.create({ username: 'cid', permissions: ['users'] }), { status: 201 })
    await server.db
      .collection<{ _id: string }>('users')
      .updateOne(
        { _id: manager.id },
        { $set: { permissions: ['users', 'gone'], workspace_root_dir: '/srv/team' } },
      )
    const folder = (workspace_root_dir: string) => mia.patch('cid', { workspace_root_dir })
    t.match(await folder('/srv'), exceeds('workspace_root_dir'))
    t.match(await folder('/srv/teamster'), exceeds('workspace_root_dir'))
    t.match(await folder('/srv/team/../other'), exceeds('workspace_root_dir'))
    t.match(await folder('/srv/team'), { status: 200 })
    t.match(await folder('/srv/team/cid'), { status: 200 })
    t.match(await mia.patch('cid', { permissions: [] }), { status: 200 }, 'taking away what one has')
    t.match(await mia.patch('cid', { permissions: ['gone'] }), { status: 422 }, 'no plugin declares it')
    t.match(
      await mia.patch('mia', { permissions: ['users', 'gone'] }),
      { status: 200 },
      'what is held may stay',
    )
    const { token } = await server.createUser({ username: 'dan' })
    t.match(await asker(server, token).list(), {
      status: 403,
      body: { error: { details: { permission: 'users' } } },
    })
  })

  await t.test('nobody takes over or locks out an account with more rights', async (t) => {
    const refused = (message: RegExp, ...missing: string[]) => ({
      status: 403,
      body: { error: { code: 'FORBIDDEN', message, details: { missing } } },
    })
    const exceeds = refused(/permissions that you do not have/, 'execute', 'workspace_root_dir')
    await admin.create({
      username: 'ops',
      email: 'ops@example.org',
      permissions: ['execute', 'users'],
      workspace_root_dir: '/srv/ops',
    })
    const account = (await admin.get('ops')).body
    t.match(await mia.reset('ops'), exceeds)
    t.match(await mia.remove('ops'), exceeds)
    t.match(await mia.patch('ops', { email: 'mia@example.org' }), exceeds)
    t.match(await mia.patch('ops', { email: null }), exceeds)
    t.match(await mia.patch('ops', { enabled: false }), exceeds)
    t.match(await mia.patch('ops', { token_quota: 1 }), exceeds)
    const taken = refused(/only permissions that you have/, 'execute')
    t.match(await mia.patch('ops', { permissions: ['users'] }), taken)
    const folder = refused(/only permissions that you have/, 'workspace_root_dir')
    for (const workspace_root_dir of [null, '/srv/team', '/srv/ops/below'])
      t.match(await mia.patch('ops', { workspace_root_dir }), folder)
    t.strictSame((await admin.get('ops')).body, account, 'nothing of it was done')
    t.ok(await server.login('ops', PASSWORD))

    const { updated_at, ...same } = account
    const { display_name, email, enabled, locale, permissions, workspace_root_dir, token_quota } = same
    const unchanged = { display_name, email, enabled, locale, permissions, workspace_root_dir, token_quota }
    t.match(
      await mia.patch('ops', { ...unchanged, display_name: 'Ops' }),
      { status: 200 },
      'what stays is free',
    )
    t.match(await mia.unlock('ops'), { status: 204 })
    t.match(await mia.patch('ops', { permissions: ['execute'] }), { status: 200 }, 'so is what mia has too')

    await admin.patch('ops', { enabled: false })
    t.match(await mia.patch('ops', { enabled: true }), exceeds, 'an account that is let in again')
    await admin.patch('ops', { permissions: [], workspace_root_dir: '/srv/team/ops' })
    t.match(await mia.patch('ops', { enabled: true, email: 'o@example.org' }), { status: 200 })
    t.match(await mia.reset('ops'), { status: 204 }, 'a folder below one’s own counts as held')
    t.match(await mia.remove('ops'), { status: 204 })
  })

  await t.test('a grant between the check and the action is not missed', async (t) => {
    const locks = server.db.collection<{ _id: string; lease: string; until: number }>('user_locks')
    const acts = {
      disabling: () => mia.patch('race', { enabled: false }),
      deletion: () => mia.remove('race'),
    }
    for (const [name, act] of roundRobin(Object.entries(acts), 0)) {
      await admin.create({ username: 'race' })
      // Both wait for this lock after they have been checked.
      const lock = { lease: 'of the test', until: Date.now() + 30_000 }
      await locks.updateOne({ _id: 'administrators' }, { $set: lock }, { upsert: true })
      const acting = act()
      for (let look = 0; look < 20; look += 1) await admin.get('race')
      t.match(await admin.patch('race', { permissions: ['execute'] }), { status: 200 })
      await locks.updateOne({ _id: 'administrators' }, { $set: { until: 0 } })
      t.match(await acting, { status: 403, body: { error: { details: { missing: ['execute'] } } } }, name)
      t.match(await admin.get('race'), { status: 200, body: { enabled: true } })
      await admin.remove('race')
    }
  })

  await t.test('only an administrator changes a manager’s own limits', async (t) => {
    const refused = { status: 403, body: { error: { code: 'FORBIDDEN', message: /your token limit/ } } }
    await admin.patch('mia', { token_quota: 1000 })
    t.match(await mia.patch('mia', { token_quota: null }), refused)
    t.match(await mia.patch('mia', { token_quota: 10 }), refused)
    t.match(await mia.patch('mia', { workspace_root_dir: '/srv/team/mia' }), refused)
    const same = { token_quota: 1000, workspace_root_dir: '/srv/team', email: 'mia@example.org' }
    t.match(await mia.patch('mia', same), { status: 200, body: same }, 'what stays as it is may be sent')
    t.match(await admin.patch('admin', { token_quota: 5 }), { status: 200 })
    t.match(await admin.patch('admin', { token_quota: null }), { status: 200 })
    t.match(await mia.patch('ann', { token_quota: 7 }), { status: 200, body: { token_quota: 7 } })
  })

  await t.test('only an administrator manages an administrator', async (t) => {
    const isProtected = {
      status: 403,
      body: { error: { code: 'FORBIDDEN', message: /Only administrators/ } },
    }
    t.match(await mia.patch('ben', { display_name: 'x' }), isProtected)
    t.match(await mia.reset('ben'), isProtected)
    t.match(await mia.unlock('ben'), isProtected)
    t.match(await mia.remove('ben'), isProtected)
    t.equal((await mia.get('ben')).status, 200, 'but may be looked at')
    t.match(await admin.patch('ben', { display_name: 'B' }), { status: 200 })
  })

  await t.test('nobody demotes, disables or deletes themselves', async (t) => {
    const refused = (message: RegExp) => ({ status: 403, body: { error: { code: 'FORBIDDEN', message } } })
    t.match(await admin.patch('admin', { role: 'user' }), refused(/demote/))
    t.match(await admin.patch('admin', { enabled: false }), refused(/disable/))
    t.match(await admin.remove('admin'), refused(/delete your own account/))
    t.match(await mia.patch('mia', { enabled: false }), refused(/disable/))
    t.match(await mia.remove('mia'), refused(/delete your own account/))
    t.match(await admin.patch('admin', { role: 'admin', display_name: 'Root' }), { status: 200 })
    t.match(
      await mia.patch('mia', { role: 'user' }),
      { status: 200 },
      'who is no administrator is not demoted',
    )
  })

  await t.test('a reset password works; the old one and its sessions do not', async (t) => {
    const eva = await server.createUser({ username: 'eva' })
    t.match(await mia.reset('eva', 'weak'), { status: 400, body: { error: { code: 'PASSWORD_TOO_WEAK' } } })
    t.match(await mia.reset('nobody'), { status: 404 })
    t.match(await mia.reset('eva'), { status: 204, body: '' })
    t.equal((await server.request('GET', '/auth/me', { token: eva.token })).status, 401)
    await t.rejects(server.login('eva', eva.password))
    t.ok(await server.login('eva', PASSWORD))
  })

  await t.test('a refusal is in the language of the caller', async (t) => {
    const { token } = await server.createUser({ username: 'gus' })
    await server.request('PATCH', '/auth/me', { token, body: { locale: 'zh' } })
    t.match(await asker(server, token).list(), {
      status: 403,
      body: { error: { message: '您没有权限执行此操作。' } },
    })
    const refusal = await server.connect('/agents/none/chat/ws', { token }).catch((error) => error)
    t.match(refusal, { status: 404, body: { error: { message: /[\u4e00-\u9fff]/ } } }, 'on a socket too')
  })

  await t.test('a lock is shown and can be ended', async (t) => {
    for (let attempt = 1; attempt <= 6; attempt++) await failLogin(server, 'eva')
    const { body } = await mia.get('eva')
    t.equal(body.login_locked, true)
    t.ok(body.login_retry_after_seconds > 890 && body.login_retry_after_seconds <= 900)
    t.match(await mia.unlock('eva'), { status: 204, body: '' })
    t.match(await mia.get('eva'), { body: { login_locked: false, login_retry_after_seconds: null } })
    t.ok(await server.login('eva', PASSWORD))
    t.match(await mia.unlock('eva'), { status: 204 }, 'even if there is none')
    t.match(await mia.unlock('nobody'), { status: 404 })
  })

  await t.test('a lock that ends by itself is no longer shown', async (t) => {
    for (let attempt = 1; attempt <= 5; attempt++) await failLogin(server, 'eva')
    t.match(await mia.get('eva'), { body: { login_locked: true, login_retry_after_seconds: Number } })
    clock.advance(900)
    t.match(await mia.get('eva'), { body: { login_locked: false, login_retry_after_seconds: null } })
  })

  await t.test(
    'the catalog of permissions is what enabled plugins declare, in the reader’s language',
    async (t) => {
      const { token } = await server.createUser({ username: 'fay' })
      const read = (language: string) =>
        server.request('GET', '/users/permissions', { token, headers: { 'accept-language': language } })
      const declared = server.server.runtime.blueprint.plugins.flatMap(
        ({ plugin }) => plugin.permissions ?? [],
      )
      for (const locale of ['en', 'zh'] as const)
        t.strictSame(
          (await read(locale)).body,
          declared.map(({ key, category, label, description, is_suggested = false }) => {
            return { key, category, label: label[locale], description: description[locale], is_suggested }
          }),
        )
      t.ok(declared.some(({ key }) => key === 'users'))
    },
  )
})

t.test('with the policy enabled, a reset password must be changed first', async (t) => {
  const config = { plugins: { auth: { require_password_change_after_reset: true } } }
  const server = await startServer(t, { config })
  await server.createUser({ username: 'ann' })
  const admin = asker(server, server.admin.token)
  await admin.reset('ann')
  t.match(await admin.get('ann'), { body: { must_change_password: true } })
  const login = { token: null, body: { username: 'ann', password: PASSWORD } }
  const { body } = await server.request('POST', '/auth/login', login)
  t.match(body, { user: { must_change_password: true } })
  const token = body.access_token
  t.match(await server.request('GET', '/agents', { token }), {
    status: 403,
    body: { error: { code: 'PASSWORD_CHANGE_REQUIRED' } },
  })
  const change = { old_password: PASSWORD, new_password: 'yet-another-3' }
  t.equal((await server.request('POST', '/auth/change-password', { token, body: change })).status, 204)
  t.equal((await server.request('GET', '/agents', { token })).status, 200)
  t.match(await admin.get('ann'), { body: { must_change_password: false } })
})
