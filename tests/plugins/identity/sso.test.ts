import t from '../../run/file-test.ts'
import { SSO_PUBLIC_URL, ssoConfig, useIssuer } from '../../support/oidc-client.ts'
import { signInAs, startOidcForger } from '../../support/oidc-forger.ts'
import { startOidcIssuer } from '../../support/oidc-issuer.ts'
import { startServer } from '../../support/server.ts'
import { createBrowser, reasonIn, toldBy } from '../../support/sso-browser.ts'

const [server, issuer, forger] = await Promise.all([
  startServer(t, { config: ssoConfig() }),
  startOidcIssuer(),
  startOidcForger(),
])
t.teardown(() => Promise.all([issuer.close(), forger.close()]))

const row = async (username: string) => (await server.request('GET', `/users/${username}`)).body

/** Reads the audit rows of these actions, newest first. */
const rows = async (...actions: string[]) => {
  const { body } = await server.request('GET', '/admin/audit-log?limit=100')
  return body.filter(({ action }: { action: string }) => actions.includes(action))
}

const signIn = (claims: Record<string, unknown>) => signInAs(forger, createBrowser(server), claims)

t.test('a new user gets an account, and signs in to it again', async (t) => {
  await useIssuer(server, issuer.url)
  const claims = { name: 'Ada Lovelace', preferred_username: 'Ada', email: 'ada@example.org' }
  issuer.person = { sub: 'ada', ...claims, email_verified: true }
  const browser = createBrowser(server)
  const page = await browser.arrive({ redirect_after: '/agents' })
  t.equal(page.origin + page.pathname, `${SSO_PUBLIC_URL}/login/oauth/complete`)
  t.match(toldBy(page), { code: /^[\w-]{43}$/, redirect: '/agents' })
  const { status, body, headers } = await browser.exchange(page)
  t.equal(status, 200)
  t.equal(headers.get('set-cookie'), null)
  t.match(body, {
    token_type: 'Bearer',
    user: { username: 'ada', display_name: 'Ada Lovelace', email: 'ada@example.org', role: 'user' },
  })
  t.strictSame(body.user.permissions, [])
  t.match(await row('ada'), { sso_linked: true, has_password: false, role: 'user' })
  t.match(await row('admin'), { sso_linked: false, has_password: true })
  const agents = await server.request('GET', '/agents', { token: body.access_token })
  t.equal(agents.body.length, 1, 'with an assistant, as every account has')

  const again = await createBrowser(server).signIn({ entry: 'oidc' })
  t.equal(again.user.id, body.user.id, 'under the other name too')
  const auditRows = await rows('auth.oauth_login', 'user.sso_create', 'user.sso_update')
  t.strictSame(
    auditRows.map(({ action, actor, target }: Record<string, unknown>) => [action, actor, target]),
    [
      ['auth.oauth_login', 'ada', null],
      ['auth.oauth_login', 'ada', null],
      ['user.sso_create', 'ada', 'ada'],
    ],
  )
  t.strictSame(auditRows[2].payload, { kind: 'oidc', role: 'user', permissions: [] })

  for (const password of ['password-1', 'null', 'undefined']) {
    const refused = await server.request('POST', '/auth/login', {
      token: null,
      body: { username: 'ada', password },
    })
    t.equal(refused.status, 401, 'there is no password to log in with')
  }
})

t.test('a page that exchanges the code may ask for the cookie', async (t) => {
  await useIssuer(server, issuer.url)
  issuer.person = { sub: 'cara', preferred_username: 'cara' }
  const page = await createBrowser(server).arrive()
  t.equal(toldBy(page).redirect, '/', 'the page that names no other leads to the conversations')
  const body = { code: toldBy(page).code, cookie: true }
  const { status, headers } = await server.request('POST', '/auth/oauth/exchange', { token: null, body })
  t.equal(status, 200)
  t.match(
    headers.get('set-cookie'),
    /^svc_refresh=.*; Path=\/api\/auth\/refresh; HttpOnly; Secure; SameSite=Strict/,
  )
})

t.test('a user who refuses consent is not signed in', async (t) => {
  issuer.person = null
  t.equal(reasonIn(await createBrowser(server).arrive({ entry: 'oidc' }), 'oidc'), 'denied')
  t.match((await rows('auth.oauth_login'))[0], {
    actor: null,
    status: 400,
    payload: { kind: 'oidc', reason: 'denied' },
  })
})

t.test('the authorization request has PKCE, a nonce and a state', async (t) => {
  const { body } = await createBrowser(server).start()
  const query = Object.fromEntries(new URL(body.authorization_url).searchParams)
  t.match(query, {
    response_type: 'code',
    response_mode: 'query',
    scope: 'openid profile email',
    code_challenge_method: 'S256',
    code_challenge: /^[\w-]{43}$/,
    nonce: /^[\w-]{43}$/,
    redirect_uri: `${SSO_PUBLIC_URL}/api/auth/oauth/callback`,
  })
  t.equal(query.state, body.state)
})

t.test('the client authenticates with the method that the issuer supports', async (t) => {
  const cases = [
    [undefined, {}, { authorization: /^Basic / }, undefined],
    [['client_secret_post', 'client_secret_basic'], {}, { authorization: /^Basic / }, undefined],
    [['client_secret_post'], {}, {}, 'svc'],
    [undefined, { client_secret: null }, {}, 'svc'],
  ] as const
  for (const [methods, settings, headers, client_id] of cases) {
    await useIssuer(server, forger.url, settings)
    forger.metadata = methods ? { token_endpoint_auth_methods_supported: methods } : {}
    await server.request('POST', '/auth/oidc/config/test')
    forger.seen = []
    await signIn({ sub: 'ada' })
    const asked = forger.seen.find(({ path }) => path === '/token')!
    t.match(asked.headers, headers)
    t.equal(asked.form.client_id, client_id)
    t.equal(asked.form.client_secret !== undefined, client_id !== undefined && !('client_secret' in settings))
    t.match(asked.form, { grant_type: 'authorization_code', code: 'a-code', code_verifier: /^[\w-]{43}$/ })
  }
  forger.reset()
  await useIssuer(server, forger.url)
  await server.request('POST', '/auth/oidc/config/test')
})

t.test('everybody can list the ways to sign in', async (t) => {
  await useIssuer(server, issuer.url, { display_name: 'Our company' })
  const { body } = await server.request('GET', '/auth/oauth/status', { token: null })
  t.strictSame(body, {
    providers: [
      { kind: 'oidc', display_name: 'Our company', enabled: true },
      { kind: 'feishu', display_name: 'Feishu', enabled: false },
      { kind: 'dingtalk', display_name: 'DingTalk', enabled: false },
      { kind: 'wecom', display_name: 'WeCom', enabled: false },
    ],
  })
  const headers = { 'accept-language': 'zh' }
  const chinese = await server.request('GET', '/auth/oauth/status', { token: null, headers })
  t.equal(chinese.body.providers[1].display_name, '飞书')
  const oidc = await server.request('GET', '/auth/oidc/status', { token: null })
  t.strictSame(oidc.body, { enabled: true, display_name: 'Our company' })
})

t.test('the console may have another origin', async (t) => {
  await useIssuer(server, issuer.url, { dashboard_origin: 'https://console.example:8443' })
  issuer.person = { sub: 'ada' }
  const browser = createBrowser(server)
  const page = await browser.arrive()
  t.equal(page.origin + page.pathname, 'https://console.example:8443/login/oauth/complete')
  const lost = await browser.comeBack(`${SSO_PUBLIC_URL}/api/auth/oidc/callback`)
  t.equal(lost.href, 'https://console.example:8443/login?oidc_error=state')
  await useIssuer(server, issuer.url, { dashboard_origin: null })
})

t.test(
  'an issuer that is silent is left with the client, or with the server',
  { timeout: 25_000 },
  async (t) => {
    await useIssuer(server, forger.url)
    const path = '/.well-known/openid-configuration'
    Object.assign(forger, { silent: [path], seen: [] })
    const leaving = new AbortController()
    const ask = (signal?: AbortSignal) =>
      fetch(`${server.url}/api/auth/oidc/config/test`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.admin.token}` },
        signal,
      }).catch(() => undefined)
    const isAsked = async (times: number) => {
      while (forger.seen.length < times) await new Promise((resolve) => setImmediate(resolve))
    }
    const left = forger.left()
    const first = ask(leaving.signal)
    await isAsked(1)
    leaving.abort()
    await Promise.all([first, left])

    const leftAgain = forger.left()
    const second = ask()
    await isAsked(2)
    await Promise.all([server.stop(), second, leftAgain])
    t.notMatch(server.logged(), /"level":50/, 'and no error is shown')
  },
)
