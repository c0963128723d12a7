import t from '../../run/file-test.ts'
import { CLIENT, SSO_PUBLIC_URL, ssoConfig, useIssuer } from '../../support/oidc-client.ts'
import { startOidcForger } from '../../support/oidc-forger.ts'
import { startServer, type TestReply } from '../../support/server.ts'
import { createBrowser, reasonIn } from '../../support/sso-browser.ts'

const [server, forger] = await Promise.all([startServer(t, { config: ssoConfig() }), startOidcForger()])
t.teardown(() => forger.close())

const PROVIDER = '/auth/oauth/providers/oidc'
const put = (body: object, kind = 'oidc') => server.request('PUT', `/auth/oauth/providers/${kind}`, { body })
const refusal = ({ status, body }: TestReply) => [status, body?.error?.code]
const issuesOf = ({ body }: TestReply) => body.error.details.issues.map(({ path }: { path: string }) => path)

t.test('settings have defaults, and each field can be changed alone', async (t) => {
  const defaults = {
    kind: 'oidc',
    enabled: false,
    display_name: 'Single sign-on',
    client_id: '',
    has_client_secret: false,
    scopes: 'openid profile email',
    issuer: null,
    agent_id: null,
    dashboard_origin: null,
    rules: [],
    redirect_uri: `${SSO_PUBLIC_URL}/api/auth/oauth/callback`,
    updated_at: null,
  }
  const { body } = await server.request('GET', PROVIDER)
  t.strictSame(body, defaults)
  const oidc = await server.request('GET', '/auth/oidc/config', { headers: { 'accept-language': 'zh' } })
  t.strictSame(oidc.body, {
    ...defaults,
    display_name: '单点登录',
    redirect_uri: `${SSO_PUBLIC_URL}/api/auth/oidc/callback`,
  })

  const first = await put({ client_id: 'one', client_secret: CLIENT.secret })
  t.strictSame(first.body, {
    ...defaults,
    client_id: 'one',
    has_client_secret: true,
    updated_at: first.body.updated_at,
  })
  t.type(first.body.updated_at, 'number')
  const second = await server.request('PUT', '/auth/oidc/config', { body: { display_name: 'Ours' } })
  t.match(second.body, { client_id: 'one', has_client_secret: true, display_name: 'Ours' })
  t.match((await put({ client_secret: null, display_name: null })).body, {
    client_id: 'one',
    has_client_secret: false,
    display_name: 'Single sign-on',
  })
  for (const kind of ['feishu', 'dingtalk', 'wecom'])
    t.match((await server.request('GET', `/auth/oauth/providers/${kind}`)).body, { kind, enabled: false })
  for (const kind of ['github', '__proto__', 'constructor'])
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['POST', '/test'],
    ] as const) {
      const reply = await server.request(method, `/auth/oauth/providers/${kind}${path}`, {
        body: method === 'PUT' ? {} : undefined,
      })
      t.strictSame(refusal(reply), [404, 'NOT_FOUND'], `${method} ${kind}`)
    }
})

t.test('the secret is stored encrypted', async (t) => {
  await put({ client_secret: CLIENT.secret })
  const stored = await server.db.collection('sso_providers').find().toArray()
  t.notOk(JSON.stringify(stored).includes(CLIENT.secret))
  t.match(stored[0]!.client_secret, /^v1\./)
  const { body: log } = await server.request('GET', '/admin/audit-log?action=sso.update')
  t.ok(log.length > 0)
  t.notOk(JSON.stringify(log).includes(CLIENT.secret))
  t.notOk(server.logged().includes(CLIENT.secret))
})

t.test('the secret stays with the origin of its issuer, also in two steps', async (t) => {
  const [one, other] = ['https://one.example/realm', 'https://other.example']
  const secret = { client_secret: CLIENT.secret }
  const assertRefused = async (body: object) => {
    const reply = await put(body)
    t.strictSame(refusal(reply), [422, 'VALIDATION_FAILED'])
    t.match(reply.body.error.details.issues, [{ path: '/client_secret', rule: 'address' }])
  }
  await put({ client_secret: null, issuer: null })
  await put(secret)
  t.equal((await put({ issuer: one })).status, 200, 'it belongs to the first issuer')
  await assertRefused({ issuer: other })
  t.equal((await put({ issuer: 'https://one.example/another' })).status, 200)
  t.equal((await put({ issuer: null })).status, 200)
  await assertRefused({ issuer: other })
  t.equal((await put({ issuer: one })).status, 200)
  t.match(await put({ issuer: other, ...secret }), { status: 200, body: { has_client_secret: true } })
  t.match(await put({ issuer: one, client_secret: null }), {
    status: 200,
    body: { has_client_secret: false },
  })
  await put({ issuer: null })
})

t.test('invalid settings are refused', async (t) => {
  const rule = { claim: 'groups', value: 'staff' }
  const cases: [body: object, path: string][] = [
    [{ issuer: 'not an address' }, '/issuer'],
    [{ issuer: 'ftp://example.org' }, '/issuer'],
    [{ issuer: 'http://example.org' }, '/issuer'],
    [{ issuer: 'https://user:password@example.org' }, '/issuer'],
    [{ issuer: 'https://example.org/?a=b' }, '/issuer'],
    [{ issuer: 'https://example.org/#a' }, '/issuer'],
    [{ agent_id: '1' }, '/agent_id'],
    [{ dashboard_origin: 'https://example.org/' }, '/dashboard_origin'],
    [{ dashboard_origin: 'https://example.org/console' }, '/dashboard_origin'],
    [{ dashboard_origin: 'https://EXAMPLE.org' }, '/dashboard_origin'],
    [{ dashboard_origin: 'javascript:alert(1)' }, '/dashboard_origin'],
    [{ client_secret: '' }, '/client_secret'],
    [{ unknown: 1 }, '/unknown'],
    [{ rules: [{ claim: '', value: 'a' }] }, '/rules/0/claim'],
    [{ rules: [{ ...rule, role: 'user' }] }, '/rules/0/role'],
    [{ rules: [rule, { ...rule, permissions: ['sso', 'flying'] }] }, '/rules/1/permissions/1'],
    [{ rules: Array.from({ length: 101 }, () => rule) }, '/rules'],
  ]
  for (const [body, path] of cases) {
    const reply = await put(body)
    t.strictSame(refusal(reply), [422, 'VALIDATION_FAILED'], JSON.stringify(body).slice(0, 80))
    t.ok(issuesOf(reply).includes(path), path)
  }
  t.strictSame(issuesOf(await put({ issuer: 'https://example.org' }, 'feishu')), ['/issuer'])
  for (const issuer of [
    'https://10.0.0.1',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://localhost',
  ])
    t.strictSame(refusal(await put({ issuer })), [400, 'ADDRESS_NOT_ALLOWED'], issuer)
  t.equal((await put({ issuer: forger.url })).status, 200, 'but for hosts that are allowed')
})

t.test('a way to sign in can be enabled only when it is complete, and must stay complete', async (t) => {
  await put({ issuer: null, client_id: '' })
  const refused = await put({ enabled: true })
  t.equal(refused.status, 422)
  t.strictSame(issuesOf(refused), ['/issuer', '/client_id'])
  t.equal((await put({ enabled: true, issuer: forger.url, client_id: 'svc' })).status, 200)
  t.strictSame(issuesOf(await put({ client_id: '' })), ['/client_id'])
  t.strictSame(issuesOf(await put({ enabled: true, client_id: 'a' }, 'wecom')), [
    '/client_secret',
    '/agent_id',
  ])
  const wecom = { enabled: true, client_id: 'a', client_secret: 'b', agent_id: '1' }
  t.equal((await put(wecom, 'wecom')).status, 200)
  const { body } = await createBrowserFor('wecom')
  t.match(body.authorization_url, /^https:\/\/login\.work\.weixin\.qq\.com\//)
  await put({ enabled: false }, 'wecom')
})

const createBrowserFor = (kind: string) =>
  server.request('POST', '/auth/oauth/start', { token: null, body: { kind } })

t.test('simultaneous changes are not lost', async (t) => {
  await server.db.collection('sso_providers').deleteMany({})
  const changes = [
    { client_id: 'a' },
    { client_secret: 'b' },
    { display_name: 'c' },
    { scopes: 'openid' },
    { issuer: forger.url },
    { rules: [{ claim: 'a', value: 'b' }] },
  ]
  const replies = await Promise.all(changes.map((change) => put(change)))
  t.strictSame([...new Set(replies.map(({ status }) => status))], [200])
  const { body } = await server.request('GET', PROVIDER)
  t.match(body, { ...Object.assign({}, ...changes), client_secret: undefined, has_client_secret: true })
})

t.test('a test reports its result', async (t) => {
  const test = async (path = `${PROVIDER}/test`) => (await server.request('POST', path)).body
  await put({ enabled: false, issuer: null, client_id: '' })
  t.match(await test(), { ok: false, reason: 'misconfigured', detail: /issuer, client_id/ })
  await useIssuer(server, forger.url, { enabled: false })
  forger.answers = { '/token': { status: 400, body: { error: 'invalid_grant' } } }
  t.match(await test(), { ok: true, detail: /^The issuer was found/ })
  t.match(await test('/auth/oidc/config/test'), { ok: true })
  forger.answers = { '/token': { status: 401, body: { error: 'invalid_client' } } }
  t.match(await test(), { ok: false, reason: 'misconfigured', detail: /invalid_client/ })
  forger.answers = { '/jwks': { status: 200, body: { keys: [] } } }
  t.match(await test(), { ok: false, reason: 'misconfigured', detail: /signing keys/ })
  await put({ issuer: 'http://127.0.0.1:9', client_secret: CLIENT.secret })
  t.match(await test(), { ok: false, reason: 'misconfigured', detail: /cannot be discovered/ })
  forger.reset()
})

t.test('a server without a public address signs nobody in', async (t) => {
  const config = { plugins: { sso: { allow_hosts: ['127.0.0.1'] } } }
  const server = await startServer(t, { config })
  await useIssuer(server, forger.url)
  const { body: status } = await server.request('GET', '/auth/oidc/status', { token: null })
  t.strictSame(status, { enabled: false, display_name: 'Single sign-on' })
  const { body: settings } = await server.request('GET', PROVIDER)
  t.strictSame([settings.enabled, settings.redirect_uri], [true, null])
  for (const entry of ['oauth', 'oidc'] as const) {
    const { status, body } = await createBrowser(server).start({ entry })
    t.strictSame([status, body.error.code], [400, `${entry.toUpperCase()}_BAD_REQUEST`])
    t.match(body.error, { message: /SVC_PUBLIC_URL/, details: { reason: 'misconfigured' } })
  }
  const reply = await fetch(`${server.url}/api/auth/oauth/callback`, { redirect: 'manual' })
  t.equal(reasonIn(new URL(reply.headers.get('location')!, server.url)), 'state')
})

t.test('addresses of unknown services stop the start', async (t) => {
  const start = (endpoints: object) => startServer(t, { config: { plugins: { auth: { endpoints } } } })
  await t.rejects(
    start({ github: { api: 'https://example.org' } }),
    /plugins\.auth\.endpoints\.github is not a known kind/,
  )
  await t.rejects(
    start({ feishu: { open: 'https://example.org:99999' } }),
    /endpoints\.feishu\.open must match format "url"/,
  )
  await t.rejects(
    start({ feishu: { login: 'https://example.org' } }),
    /feishu\.login is not a known address.*accounts, open/,
  )
  await t.rejects(
    start({ oidc: { issuer: 'https://example.org' } }),
    /oidc\.issuer is not a known address.*has: none/,
  )
})
