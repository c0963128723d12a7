import t from '../../run/file-test.ts'
import { ssoConfig, useIssuer } from '../../support/oidc-client.ts'
import { comeFrom, startOidcForger } from '../../support/oidc-forger.ts'
import { startServer } from '../../support/server.ts'
import { createBrowser, reasonIn } from '../../support/sso-browser.ts'

const garden = `export default {
  kernel: 1,
  name: 'garden', summary: 'Permissions of a test',
  permissions: ['digging', 'mowing', 'raking'].map((key) => ({
    key, category: 'test', label: { en: key, zh: key }, description: { en: key, zh: key },
  })),
  setup() {},
}`
const [server, forger] = await Promise.all([
  startServer(t, { config: ssoConfig(), plugins: { garden } }),
  startOidcForger(),
])
t.teardown(() => forger.close())

const preview = async (claims: object, rules?: object[]) => {
  const body = rules ? { claims, rules } : { claims }
  return (await server.request('POST', '/auth/oauth/providers/oidc/preview', { body })).body
}

t.test('a rule applies if its claim is its value, or has it among its elements', async (t) => {
  const claims = {
    groups: ['staff', 'admins', 7],
    department: 'R&D',
    level: 3,
    vip: true,
    nothing: null,
    empty: [],
    realm_access: { roles: ['boss'], deep: { er: 'yes' } },
    'https://example.org/roles': ['auditor'],
    'realm_access.roles': 'literal',
    people: [{ name: 'ada' }],
  }
  const cases: [claim: string, value: string, matches: boolean][] = [
    ['groups', 'admins', true],
    ['groups', 'admin', false],
    ['groups', 'Admins', false],
    ['groups', '7', true],
    ['groups', 'staff,admins,7', false],
    ['department', 'R&D', true],
    ['level', '3', true],
    ['level', '3.0', false],
    ['vip', 'true', true],
    ['nothing', 'null', false],
    ['nothing', '', false],
    ['empty', '', false],
    ['missing', 'undefined', false],
    ['realm_access.deep.er', 'yes', true],
    ['realm_access.deep', '[object Object]', false],
    ['https://example.org/roles', 'auditor', true],
    ['realm_access.roles', 'literal', true],
    ['realm_access.roles', 'boss', false],
    ['people', '[object Object]', false],
    ['people.0.name', 'ada', false],
    ['groups.length', '3', false],
    ['department.length', '3', false],
    ['__proto__.x', 'y', false],
    ['constructor.name', 'Object', false],
    ['toString', 'function toString() { [native code] }', false],
    ['.', '', false],
    ['realm_access.', '', false],
  ]
  for (const [claim, value, matches] of cases) {
    const { matched } = await preview(claims, [{ claim, value }])
    t.strictSame(matched, matches ? [0] : [], `${claim} is ${value}`)
  }
})

t.test('a preview shows what a new account would be granted, and changes nothing', async (t) => {
  const rules = [
    { claim: 'groups', value: 'admins', role: 'admin' },
    { claim: 'groups', value: 'staff', permissions: ['digging', 'mowing'] },
    { claim: 'groups', value: 'guests', permissions: ['raking', 'flying'] },
  ]
  t.strictSame(await preview({ groups: ['staff'] }, rules), {
    role: 'user',
    permissions: ['digging', 'mowing'],
    groups: [],
    matched: [1],
    undecided: [],
    unknown_permissions: ['flying'],
    unknown_groups: [],
  })
  t.match(await preview({ groups: ['guests', 'admins'] }, rules), {
    role: 'admin',
    permissions: ['raking'],
    matched: [0, 2],
  })
  t.match(
    await preview({ groups: ['staff'] }),
    { role: 'user', permissions: [], matched: [] },
    'no rule is stored',
  )
  const refused = await server.request('POST', '/auth/oauth/providers/oidc/preview', { body: { claims: [] } })
  t.equal(refused.status, 422)
})

t.test('every sign-in applies the rules to the account', async (t) => {
  const rules = [
    { claim: 'groups', value: 'admins', role: 'admin' },
    { claim: 'groups', value: 'staff', permissions: ['digging', 'mowing'] },
  ]
  await useIssuer(server, forger.url, { rules })
  const signIn = async (groups: string[]) => {
    const browser = createBrowser(server)
    const page = await comeFrom(forger, browser, {
      claims: { sub: 'ada', preferred_username: 'ada', groups },
    })
    t.equal(reasonIn(page), null)
    const { body } = await browser.exchange(page)
    return body
  }
  const row = async () => {
    const { role, permissions } = (await server.request('GET', '/users/ada')).body
    return { role, permissions }
  }
  await signIn(['staff'])
  t.strictSame(await row(), { role: 'user', permissions: ['digging', 'mowing'] }, 'from the first time on')

  const held = ['digging', 'mowing', 'raking']
  await server.request('PATCH', '/users/ada', { body: { permissions: held } })
  const { access_token: token } = await signIn([])
  t.strictSame(await row(), { role: 'user', permissions: ['raking'] }, 'what no rule names is left alone')
  t.equal((await server.request('GET', '/users', { token })).status, 403)

  await signIn(['admins'])
  t.strictSame(await row(), { role: 'admin', permissions: ['raking'] })
  t.equal((await server.request('GET', '/users', { token })).status, 200, 'it applies to existing sessions')
  await signIn(['staff'])
  t.strictSame(await row(), { role: 'user', permissions: held })

  const { body } = await server.request('GET', '/admin/audit-log?limit=20')
  const rowsOfSso = body.filter(({ action }: { action: string }) => action.startsWith('user.sso'))
  t.strictSame(
    rowsOfSso.map(
      ({ action, payload: { kind, ...payload } }: { action: string; payload: { kind: string } }) => [
        action,
        payload,
      ],
    ),
    [
      ['user.sso_update', { role: 'user', permissions: held }],
      ['user.sso_update', { role: 'admin' }],
      ['user.sso_update', { permissions: ['raking'] }],
      ['user.sso_create', { role: 'user', permissions: ['digging', 'mowing'] }],
    ],
  )

  await useIssuer(server, forger.url, { rules: [] })
  await server.request('PATCH', '/users/ada', { body: { role: 'admin' } })
  await signIn([])
  t.strictSame(await row(), { role: 'admin', permissions: held }, 'without rules nothing changes')
})

t.test('the rules never demote the last administrator', async (t) => {
  await useIssuer(server, forger.url, { rules: [] })
  const boss = await server.login(server.admin.username, server.admin.password)
  const browser = createBrowser(server)
  // The first administrator links an identity that no rule matches.
  const page = await comeFrom(forger, browser, { claims: { sub: 'boss' }, start: { token: boss } })
  t.match(page.hash, /bound=oidc/)
  await server.request('PATCH', '/users/ada', { body: { role: 'user' } })
  const rules = [
    { claim: 'groups', value: 'admins', role: 'admin' },
    { claim: 'groups', value: 'staff', permissions: ['digging'] },
  ]
  await useIssuer(server, forger.url, { rules })
  const arrived = await comeFrom(forger, browser, { claims: { sub: 'boss', groups: ['staff'] } })
  const { status, body } = await browser.exchange(arrived)
  t.strictSame([status, body.user.username, body.user.role], [200, 'admin', 'admin'])
  t.match((await server.request('GET', '/users/admin')).body.permissions, ['digging'], 'the rest is done')
  t.match(server.logged(), /last administrator/)
})

t.test('managers of single sign-on cannot grant more than they hold', async (t) => {
  await useIssuer(server, forger.url, { rules: [], enabled: false })
  const { token } = await server.createUser({ username: 'keeper', permissions: ['sso', 'digging'] })
  const put = (body: object, path = '/auth/oauth/providers/oidc') =>
    server.request('PUT', path, { token, body })
  const granting = (permissions: string[]) => ({ rules: [{ claim: 'a', value: 'b', permissions }] })
  t.equal((await put(granting(['digging']))).status, 200)
  for (const path of ['/auth/oauth/providers/oidc', '/auth/oidc/config']) {
    const more = await put(granting(['digging', 'mowing']), path)
    t.match(more, { status: 403, body: { error: { code: 'FORBIDDEN', details: { missing: ['mowing'] } } } })
    const admin = await put({ rules: [{ claim: 'a', value: 'b', role: 'admin' }] }, path)
    t.match(admin, { status: 403, body: { error: { details: { missing: ['admin'] } } } })
  }
  const { body } = await server.request('GET', '/auth/oidc/config')
  t.strictSame(body.rules, granting(['digging']).rules, 'nothing was changed')

  await useIssuer(server, forger.url, granting(['mowing']))
  for (const change of [{ issuer: 'https://evil.example' }, { client_id: 'x' }, { enabled: false }, {}])
    t.equal((await put(change)).status, 403, `rules of somebody else: ${JSON.stringify(change)}`)
  t.equal(
    (await put({ issuer: forger.url, rules: [] })).status,
    200,
    'rules that grant nothing may replace them',
  )
  const elsewhere = await put({ dashboard_origin: 'https://evil.example' })
  t.match(elsewhere, { status: 403, body: { error: { details: { missing: ['admin'] } } } }, 'nor read codes')
  const console = { dashboard_origin: 'https://console.example' }
  t.equal((await server.request('PUT', '/auth/oidc/config', { body: console })).status, 200)
  t.equal((await put({ ...console, scopes: 'openid' })).status, 200, 'what was set may stay')
  t.equal((await put({ dashboard_origin: null })).status, 200)
  const unknown = await server.request('PUT', '/auth/oidc/config', { body: granting(['flying']) })
  t.match(unknown, {
    status: 422,
    body: { error: { details: { issues: [{ path: '/rules/0/permissions/0' }] } } },
  })
})
