import t from '../../run/file-test.ts'
import { createTestClock } from '../../support/clock.ts'
import { CLIENT, SSO_PUBLIC_URL, ssoConfig, useIssuer } from '../../support/oidc-client.ts'
import { comeFrom, type Forgery, startOidcForger } from '../../support/oidc-forger.ts'
import { startOidcIssuer } from '../../support/oidc-issuer.ts'
import { strangeKey } from '../../support/oidc-keys.ts'
import { startServer } from '../../support/server.ts'
import { createBrowser, reasonIn, toldBy } from '../../support/sso-browser.ts'

const clock = createTestClock()
const [server, issuer, forger] = await Promise.all([
  startServer(t, { clock, config: ssoConfig({ http: { trust_proxy: true } }) }),
  startOidcIssuer(),
  startOidcForger(),
])
t.teardown(() => Promise.all([issuer.close(), forger.close()]))

const refusal = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
]

/** Reads the audit rows of sign-ins and links, newest first. */
const rows = async () => {
  const { body } = await server.request('GET', '/admin/audit-log?limit=50')
  return body.filter(({ action }: { action: string }) => action.startsWith('auth.oauth'))
}

const accounts = async (): Promise<number> => (await server.request('GET', '/users')).body.length

t.test('a callback with another state than the browser was given is refused', async (t) => {
  await useIssuer(server, issuer.url)
  const users = await accounts()
  const rowCount = (await rows()).length
  const browser = createBrowser(server)
  const other = createBrowser(server)

  const callback = await browser.authorize()
  const changed = (change: (parameters: URLSearchParams) => void) => {
    const url = new URL(callback)
    change(url.searchParams)
    return url.href
  }
  const wrong = {
    'no state': changed((parameters) => parameters.delete('state')),
    'an unknown state': changed((parameters) => parameters.set('state', 'x'.repeat(43))),
    'a state that is none': changed((parameters) => parameters.set('state', '{"$ne":""}')),
    'two states': changed((parameters) => parameters.append('state', 'x')),
    'no parameters': callback.split('?')[0]!,
  }
  for (const [what, address] of Object.entries(wrong))
    t.equal(reasonIn(await browser.comeBack(address)), 'state', what)
  t.equal(reasonIn(await other.comeBack(callback)), 'state', 'another browser has no cookie')
  t.equal(reasonIn(await browser.comeBack(callback)), 'state', 'the attempt is used up by it')

  const again = await browser.authorize()
  const [first] = browser.cookies()
  t.ok((await browser.comeBack(again)).hash.includes('code='), 'the right one is believed')
  t.equal(reasonIn(await browser.comeBack(again)), 'state', 'only once')

  const crossed = await createBrowser(server).authorize({ entry: 'oidc' })
  t.equal(
    reasonIn(await browser.comeBack(crossed.replace('/oidc/', '/oauth/'))),
    'state',
    'what was begun under one name does not end under the other',
  )
  t.match(first, { name: /^svc_sso_[\w-]{12}$/, path: '/api/auth' })

  const late = await browser.authorize()
  clock.advance(601)
  server.admin.token = await server.login(server.admin.username, server.admin.password)
  t.equal(reasonIn(await browser.comeBack(late)), 'state', 'after ten minutes')

  const newRows = (await rows()).slice(0, -rowCount || undefined)
  t.equal(newRows.length, 10, 'each failure is one row')
  for (const row of newRows)
    t.match(row, { action: 'auth.oauth_login', actor: null, payload: { reason: 'state' } })
  t.equal(await accounts(), users + 1, 'one person came in')
})

t.test('the cookie is hidden from scripts and other sites, and removed after use', async (t) => {
  const browser = createBrowser(server)
  const { headers, body } = await browser.start()
  const cookie = headers.get('set-cookie')!
  for (const part of ['HttpOnly', 'SameSite=Lax', 'Secure', 'Path=/api/auth', 'Max-Age=600'])
    t.ok(cookie.includes(part), part)
  const callback = `${SSO_PUBLIC_URL}/api/auth/oauth/callback?error=access_denied&state=${body.state}`
  const reply = await browser.open(callback)
  t.equal(reply.status, 302)
  t.match(reply.headers.get('set-cookie'), /Max-Age=0/)
  t.strictSame(
    ['referrer-policy', 'cache-control'].map((name) => reply.headers.get(name)),
    ['no-referrer', 'no-store'],
  )
  t.equal(reply.headers.get('location'), `${SSO_PUBLIC_URL}/login?oauth_error=denied`)
  t.equal(reasonIn(await browser.comeBack(callback)), 'state', 'a refusal uses the attempt up')
})

t.test('two tabs and two browsers can sign in at once', async (t) => {
  const tabs = createBrowser(server)
  const [one, two] = [await tabs.authorize(), await tabs.authorize({ entry: 'oidc' })]
  t.equal(tabs.cookies().length, 2)
  const other = createBrowser(server)
  const three = await other.authorize()
  for (const [browser, callback] of [
    [tabs, two],
    [other, three],
    [tabs, one],
  ] as const)
    t.ok((await browser.comeBack(callback)).hash.includes('code='), callback)
})

t.test('the code for the console is valid once, and for a minute', async (t) => {
  const browser = createBrowser(server)
  const page = await browser.arrive()
  t.equal((await browser.exchange(page)).status, 200)
  t.strictSame(refusal(await browser.exchange(page)), [400, 'OAUTH_BAD_REQUEST'], 'a second time')
  t.strictSame(refusal(await browser.exchange(page, 'oidc')), [400, 'OIDC_BAD_REQUEST'])

  const late = await browser.arrive()
  clock.advance(61)
  t.strictSame(refusal(await browser.exchange(late)), [400, 'OAUTH_BAD_REQUEST'], 'after a minute')

  const raced = await browser.arrive()
  const replies = await Promise.all(Array.from({ length: 5 }, () => browser.exchange(raced)))
  t.strictSame(replies.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
})

t.test('a console that sends its state gets only its own sign-in', async (t) => {
  const [mine, foreign] = [createBrowser(server), createBrowser(server)]
  const exchange = (page: URL, state: string) =>
    server.request('POST', '/auth/oauth/exchange', { token: null, body: { code: toldBy(page).code, state } })
  const callback = await mine.authorize()
  const state = new URL(callback).searchParams.get('state')!
  t.strictSame(refusal(await exchange(await foreign.arrive(), state)), [400, 'OAUTH_BAD_REQUEST'])
  t.equal((await exchange(await mine.comeBack(callback), state)).status, 200)
})

t.test('users are redirected only to pages of the console', async (t) => {
  const browser = createBrowser(server)
  const wrong = [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    'chat',
    '',
    '/\t/evil.example',
    '/chat\r\nSet-Cookie: a=b',
    '/%0d%0aSet-Cookie:%20a=b',
    '/%2f%2fevil.example',
    '/%2Fevil.example',
    '/%5cevil.example',
    '/%ff',
    '/.//evil.example',
    '/a/..//evil.example',
    `/${'a'.repeat(2048)}`,
  ]
  for (const redirect_after of wrong)
    t.strictSame(refusal(await browser.start({ redirect_after })), [422, 'VALIDATION_FAILED'], redirect_after)
  for (const redirect_after of [
    '/',
    '/chat/thr_1?tab=files#end',
    '/agents/%E5%8A%A9%E6%89%8B',
    '/a?b=%0A//c',
  ]) {
    const { hash } = await browser.arrive({ redirect_after })
    t.equal(new URLSearchParams(hash.slice(1)).get('redirect'), redirect_after)
  }
})

t.test('a change of settings ends the attempts in progress', async (t) => {
  const browser = createBrowser(server)
  const [one, two] = [await browser.authorize(), await browser.authorize()]
  await useIssuer(server, issuer.url, { display_name: 'Ours' })
  t.equal(reasonIn(await browser.comeBack(one)), 'state')
  await useIssuer(server, issuer.url, { enabled: false })
  t.equal(reasonIn(await browser.comeBack(two)), 'disabled')
  t.match(await browser.start(), { status: 400, body: { error: { details: { reason: 'disabled' } } } })
})

/** Opens the callback with a faulty token of the forger; returns the reason of the failure, or null if it succeeds. */
const comeFromForger = async (forgery: Forgery, parameters: Record<string, string> = {}) =>
  reasonIn(await comeFrom(forger, createBrowser(server), { ...forgery, parameters }))

/** Repairs the forger except for these fields, and has the server discover it again, as the test of settings does. */
const changeForger = async (change: Partial<typeof forger>) => {
  forger.reset()
  Object.assign(forger, change)
  return (await server.request('POST', '/auth/oauth/providers/oidc/test')).body
}

t.test('an ID token is accepted only if all of it is valid', async (t) => {
  await useIssuer(server, forger.url)
  const now = Math.floor(Date.now() / 1000)
  t.equal(await comeFromForger({}), null, 'the right one')
  t.equal(await comeFromForger({ claims: { exp: now - 10 } }), null, 'within the skew of clocks')
  const wrong: Record<string, Forgery> = {
    'another nonce': { claims: { nonce: 'n'.repeat(43) } },
    'no nonce': { claims: { nonce: undefined } },
    'another audience': { claims: { aud: 'somebody-else' } },
    'several audiences, and another authorized party': {
      claims: { aud: [CLIENT.id, 'somebody-else'], azp: 'somebody-else' },
    },
    'another issuer': { claims: { iss: issuer.url } },
    'the issuer with a slash': { claims: { iss: `${forger.url}/` } },
    expired: { claims: { exp: now - 120 } },
    'not valid yet': { claims: { nbf: now + 120 } },
    'no subject': { claims: { sub: undefined } },
    'no expiry': { claims: { exp: undefined } },
    'no signature': { algorithm: 'none', key: '' },
    'signed with the secret of the client': { algorithm: 'HS256', key: CLIENT.secret.padEnd(32, '-') },
    'signed by another': { key: strangeKey },
  }
  for (const [what, forgery] of Object.entries(wrong))
    t.equal(await comeFromForger(forgery), 'invalid_token', what)

  forger.seen = []
  t.equal(await comeFromForger({}, { iss: issuer.url }), 'invalid_token', 'sent back by another issuer')
  t.strictSame(forger.seen, [], 'whose code is not taken anywhere')
  t.equal(await comeFromForger({}, { iss: forger.url }), null, 'sent back by this one')
  await changeForger({ metadata: { authorization_response_iss_parameter_supported: true } })
  t.equal(await comeFromForger({}), 'invalid_token', 'an issuer that names itself must do so')
})

t.test('failures at the issuer have different reasons', async (t) => {
  await useIssuer(server, forger.url)
  await changeForger({})
  const token = (status: number, body: unknown, headers?: Record<string, string>) => ({
    '/token': { status, body, ...(headers && { headers }) },
  })
  const cases: [what: string, answers: (typeof forger)['answers'], reason: string][] = [
    ['the client is refused', token(401, { error: 'invalid_client' }), 'misconfigured'],
    [
      'the client is refused with a challenge',
      token(401, {}, { 'www-authenticate': 'Basic' }),
      'misconfigured',
    ],
    ['the code is refused', token(400, { error: 'invalid_grant' }), 'exchange'],
    ['no ID token', token(200, { access_token: 'a', token_type: 'Bearer' }), 'invalid_token'],
    ['no JSON', token(200, '<html>', { 'content-type': 'text/html' }), 'exchange'],
    ['broken', token(500, 'oops'), 'exchange'],
    ['without end', token(200, 'x'.repeat(2_000_000)), 'exchange'],
    ['elsewhere', token(307, '', { location: 'http://10.0.0.1/' }), 'exchange'],
    ['no keys', { '/jwks': { status: 200, body: { keys: [] } } }, 'invalid_token'],
  ]
  for (const [what, answers, reason] of cases) {
    forger.answers = answers
    t.equal(await comeFromForger({}), reason, what)
  }
  await changeForger({ userinfo: { sub: 'somebody-else', name: 'Eve' } })
  t.equal(await comeFromForger({}), 'invalid_token', 'the userinfo of somebody else')
  await changeForger({})
  const errors = { access_denied: 'denied', server_error: 'generic', login_required: 'generic' }
  for (const [error, reason] of Object.entries(errors))
    t.equal(await comeFromForger({}, { error }), reason, error)
})

t.test('an issuer whose metadata is not acceptable is not contacted', async (t) => {
  const start = async (metadata: Record<string, unknown>, answers: (typeof forger)['answers'] = {}) => {
    t.equal(
      (await changeForger({ metadata, answers })).ok,
      Object.keys({ ...metadata, ...answers }).length === 0,
    )
    return refusal(await createBrowser(server).start())
  }
  const path = '/.well-known/openid-configuration'
  await useIssuer(server, forger.url)
  // Cached metadata is used for ten minutes at most.
  clock.advance(601)
  server.admin.token = await server.login(server.admin.username, server.admin.password)
  const away = { [path]: { status: 302, headers: { location: `${issuer.url}${path}` } } }
  const inside = { [path]: { status: 302, headers: { location: 'http://169.254.169.254/' } } }
  const unreachable = [502, 'SSO_PROVIDER_UNREACHABLE']
  t.strictSame(await start({ issuer: issuer.url }), unreachable, 'it names another issuer')
  t.strictSame(await start({ issuer: `${forger.url}/other` }), unreachable, 'it names another path')
  t.strictSame(await start({}, away), unreachable, 'it is elsewhere')
  t.strictSame(await start({}, inside), unreachable, 'it is at a forbidden address')
  t.strictSame(await start({}, { [path]: { status: 500 } }), unreachable, 'it is broken')
  t.strictSame(await start({ token_endpoint: undefined }), unreachable, 'it issues no tokens')
  t.strictSame(await start({ token_endpoint: 'http://example.org/' }), unreachable, 'in the clear')
  t.strictSame(await start({ authorization_endpoint: 'javascript:alert(1)' }), unreachable, 'no address')
  t.strictSame(await start({}), [200, undefined], 'all right')
  const forbidden = await changeForger({ metadata: { jwks_uri: 'https://169.254.169.254/' } })
  t.match(forbidden, { ok: false, reason: 'misconfigured' }, 'keys at a forbidden address')
  await changeForger({ metadata: { token_endpoint: 'https://169.254.169.254/' } })
  t.equal(await comeFromForger({}), 'misconfigured', 'tokens at a forbidden address')
  await changeForger({})

  const stored = server.db.collection<{ _id: string }>('sso_providers')
  await stored.updateOne({ _id: 'oidc' }, { $set: { issuer: 'https://10.0.0.1' } })
  t.strictSame(
    refusal(await createBrowser(server).start()),
    [400, 'ADDRESS_NOT_ALLOWED'],
    'a name that now resolves to a forbidden address',
  )
})

t.test('no secret is stored in clear text or logged', async (t) => {
  issuer.person = { sub: 'ada' }
  await useIssuer(server, issuer.url)
  const browser = createBrowser(server)
  const callback = await browser.authorize()
  const { state, code } = Object.fromEntries(new URL(callback).searchParams)
  const attempt = await server.db.collection('sso_attempts').find().toArray()
  const page = await browser.comeBack(callback)
  const { body } = await browser.exchange(page)
  const oneTime = new URLSearchParams(page.hash.slice(1)).get('code')!
  Object.assign(forger, {
    answers: { '/token': { status: 400, body: { error: oneTime, error_description: oneTime } } },
  })
  await useIssuer(server, forger.url)
  await comeFromForger({})
  const secrets = {
    state,
    code,
    oneTime,
    client: CLIENT.secret,
    token: body.access_token,
    nonce: forger.nonce,
  }
  const stored = []
  for (const { name } of await server.db.listCollections().toArray())
    stored.push(...(await server.db.collection(name).find().toArray()))
  const places = { log: server.logged(), database: JSON.stringify([stored, attempt]) }
  for (const [name, secret] of Object.entries(secrets)) {
    t.ok(secret!.length > 10, name)
    for (const [name, text] of Object.entries(places))
      t.notOk(text.includes(secret!), `${name} in the ${name}`)
  }
})
