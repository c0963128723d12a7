import jwt from 'jsonwebtoken'
import t from '../../run/file-test.ts'
import { spread } from '../../run/tier.ts'
import { CLIENT, ssoConfig, useIssuer } from '../../support/oidc-client.ts'
import { comeFrom, startOidcForger } from '../../support/oidc-forger.ts'
import { signingKey, strangeKey } from '../../support/oidc-keys.ts'
import { startServer } from '../../support/server.ts'
import { createBrowser, reasonIn } from '../../support/sso-browser.ts'

const [server, forger] = await Promise.all([
  startServer(t, {
    config: ssoConfig({ plugins: { sso: { allow_hosts: ['127.0.0.1'], clock_skew_seconds: 90 } } }),
  }),
  startOidcForger(),
])
t.teardown(() => forger.close())

type Claims = Record<string, unknown>
const rules = [
  { claim: 'groups', value: 'admins', role: 'admin' },
  { claim: 'groups', value: 'staff', permissions: ['channels'] },
]
let people = 0

/** Signs a person in; returns the reason of a failure, or the account. */
const signIn = async (claims: Claims): Promise<{ reason: string | null; user: Claims }> => {
  const browser = createBrowser(server)
  const page = await comeFrom(forger, browser, { claims })
  const reason = reasonIn(page)
  if (reason !== null) return { reason, user: {} }
  return { reason, user: (await browser.exchange(page)).body.user }
}

const createSub = () => {
  people += 1
  return `person-${people}`
}

/** Replaces the answer of the userinfo endpoint. */
const answerWith = (
  answer: { status: number; body?: unknown; headers?: Record<string, string> } | undefined,
) => {
  forger.reset()
  forger.userinfo = { sub: 'unused' }
  forger.answers = answer ? { '/userinfo': answer } : {}
}

const newest = async (action: string) =>
  (await server.request('GET', `/admin/audit-log?limit=1&action=${action}`)).body[0]

/** Answers of a userinfo endpoint that is out of order or was not asked for. */
const NO_USERINFO: Record<string, { status: number; body?: unknown; headers?: Record<string, string> }> = {
  'a 401 with a challenge': { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
  'a 401 with an odd challenge': { status: 401, headers: { 'www-authenticate': 'Bearer error=' } },
  'a 401': { status: 401, body: { error: { code: 'InvalidAuthenticationToken' } } },
  'a 403': { status: 403, body: '' },
  'a 404': { status: 404, body: '<html>' },
  'a 405': { status: 405 },
  'a 429': { status: 429 },
  'a 500': { status: 500, body: 'oops' },
  'a 503': { status: 503 },
  'a 204': { status: 204, body: '' },
  'a 302': { status: 302, headers: { location: 'http://10.0.0.1/' } },
  'a page': { status: 200, body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } },
  'an empty body': { status: 200, body: '' },
  'half an answer': { status: 200, body: '{"sub":"per' },
  'a list': { status: 200, body: '[]' },
  'an object without a subject': { status: 200, body: { name: 'Somebody' } },
  'a subject that is null': { status: 200, body: { sub: null } },
}

t.test('The ID token suffices without userinfo', async (t) => {
  await useIssuer(server, forger.url, { rules })
  for (const [name, answer] of spread(Object.entries(NO_USERINFO), 5)) {
    answerWith(answer)
    const sub = createSub()
    const { reason, user } = await signIn({ sub, preferred_username: sub, groups: ['staff'] })
    t.equal(reason, null, name)
    t.match(user, { username: sub, permissions: ['channels'] }, name)
  }
  t.match(server.logged(), /a sign-in went on without userinfo/)
})

t.test('A userinfo endpoint that never answers is waited for a moment', { timeout: 30_000 }, async (t) => {
  answerWith(undefined)
  forger.silent = ['/userinfo']
  const sub = createSub()
  t.match(await signIn({ sub, preferred_username: sub, groups: [] }), {
    reason: null,
    user: { username: sub },
  })
})

t.test('A sign-in fails without userinfo if rules or the name of an account need it', async (t) => {
  answerWith({ status: 503 })
  t.match(await signIn({ sub: createSub(), preferred_username: 'ada' }), { reason: 'exchange' }, 'no groups')
  t.match(await signIn({ sub: createSub(), groups: ['staff'] }), { reason: 'exchange' }, 'no name')
  answerWith(undefined)
  const sub = createSub()
  forger.userinfo = { sub, preferred_username: sub, groups: ['staff'] }
  t.match(await signIn({ sub }), { reason: null, user: { username: sub, permissions: ['channels'] } })
  answerWith({ status: 503 })
  t.match(await signIn({ sub }), { reason: 'exchange' }, 'the rights of an account depend on it')
  const named = await signIn({ sub, groups: ['staff'] })
  t.match(named, { reason: null, user: { username: sub } }, 'an account needs no name')
})

t.test('Signed userinfo is verified and read', async (t) => {
  const sub = createSub()
  const sign = (claims: Claims, options: jwt.SignOptions = {}, key: jwt.Secret = signingKey) =>
    jwt.sign({ sub, preferred_username: sub, groups: ['staff'], ...claims }, key, {
      algorithm: 'RS256',
      keyid: 'test',
      ...options,
    })
  const answer = (body: string, type = 'application/jwt') =>
    answerWith({ status: 200, body, headers: { 'content-type': type } })
  const seconds = () => Math.floor(Date.now() / 1000)
  for (const type of [
    'application/jwt',
    'application/jwt; charset=utf-8',
    'application/jose',
    'text/plain',
  ]) {
    answer(sign({ iss: forger.url, aud: CLIENT.id }), type)
    t.match(await signIn({ sub }), { reason: null, user: { username: sub, permissions: ['channels'] } }, type)
  }
  answer(sign({}))
  t.match(await signIn({ sub }), { reason: null }, 'neither issuer nor audience')
  answer(sign({ iat: seconds() + 60, nbf: seconds() + 60 }))
  t.match(await signIn({ sub }), { reason: null }, 'a clock that is a minute ahead')
  const forged = {
    'another key': sign({}, {}, strangeKey),
    'another subject': sign({ sub: 'eve' }),
    'another issuer': sign({ iss: 'https://evil.example' }),
    'another audience': sign({ aud: 'another' }),
    'an old one': sign({ exp: seconds() - 600 }),
    'one for later': sign({ nbf: seconds() + 600 }),
    'the client secret': sign({}, { algorithm: 'HS256' }, CLIENT.secret),
    'no signature': jwt.sign({ sub }, null as never, { algorithm: 'none' }),
    'nonsense in three parts': 'a.b.c',
  }
  for (const [name, body] of Object.entries(forged)) {
    answer(body)
    t.match(await signIn({ sub, groups: [] }), { reason: 'invalid_token' }, name)
  }
  answer('a.b.c.d.e')
  t.match(await signIn({ sub, groups: [] }), { reason: 'misconfigured' })
  t.match(server.logged(), /userinfo is encrypted/)
  answerWith({ status: 200, body: { sub: 'eve', groups: ['admins'] } })
  t.match(await signIn({ sub, groups: [] }), { reason: 'invalid_token' }, 'userinfo of somebody else')
  for (const type of ['text/html', 'text/plain', 'application/json; charset=utf-8']) {
    answerWith({ status: 200, body: { sub, groups: ['staff'] }, headers: { 'content-type': type } })
    t.match(await signIn({ sub }), { reason: null, user: { permissions: ['channels'] } }, type)
  }
})

/** The ways in which services leave a claim out that is too large. */
const OMISSIONS: Record<string, Claims> = {
  'a source of Entra': {
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint: 'https://graph.example/getMemberObjects' } },
  },
  'a source without its address': { _claim_names: { groups: 'src1' } },
  'a source in a text': {
    _claim_names: '{"groups":"src1"}',
    _claim_sources: '{"src1":{"endpoint":"https://x.example"}}',
  },
  'a flag for groups': { hasgroups: true },
  'a flag for groups, in a text': { hasgroups: 'true' },
  'a key with its source': { 'groups:src1': 'https://graph.example' },
  'a value that is its source': { groups: 'src1', _claim_sources: { src1: {} } },
}

t.test('A claim that is left out as too large keeps rights as they were', async (t) => {
  await useIssuer(server, forger.url, { rules })
  for (const [name, claims] of spread(Object.entries(OMISSIONS), 5)) {
    forger.reset()
    const sub = createSub()
    const person = { sub, preferred_username: sub }
    const rights = async () => {
      const { role, permissions } = (await server.request('GET', `/users/${sub}`)).body
      return { role, permissions }
    }
    await signIn({ ...person, groups: ['admins', 'staff'] })
    const all = { role: 'admin', permissions: ['channels'] }
    t.strictSame(await rights(), all)
    t.match(await signIn({ ...person, ...claims }), { reason: null, user: { username: sub } }, name)
    t.strictSame(await rights(), all, name)
    const row = await newest('user.sso_keep')
    t.match(row, { target: sub, payload: { kind: 'oidc', omitted: ['groups'] } }, name)
    await signIn({ ...person, groups: [] })
    t.strictSame(
      await rights(),
      { role: 'user', permissions: [] },
      `${name}: an empty list takes rights away`,
    )

    const other = createSub()
    const created = await signIn({ sub: other, preferred_username: other, ...claims })
    t.match(created, { reason: null, user: { username: other, role: 'user', permissions: [] } }, name)
    t.match(
      await newest('user.sso_create'),
      { payload: { omitted: ['groups'] } },
      'a new account has no rights',
    )
  }
  t.match(server.logged(), /left out claims that rules ask for/)
})

t.test('A claim that is left out harms no rule that does not ask for it', async (t) => {
  const body = {
    rules: [
      ...rules,
      { claim: 'roles', value: 'boss', role: 'admin' },
      { claim: 'groups.deep', value: 'x', permissions: ['sso'] },
    ],
    claims: { _claim_names: { groups: 'src1' }, roles: ['boss'] },
  }
  const preview = await server.request('POST', '/auth/oauth/providers/oidc/preview', { body })
  t.match(preview.body, { role: 'admin', permissions: [], matched: [2], undecided: [0, 1, 3] })
  const decided = { ...body, claims: { ...body.claims, groups: ['staff'] } }
  const second = await server.request('POST', '/auth/oauth/providers/oidc/preview', { body: decided })
  t.match(second.body, { permissions: ['channels'], matched: [1, 2] }, 'userinfo may have it')
  for (const _claim_names of [null, [], 'src1', 7, '{', true, { constructor: 'x' }]) {
    const odd = { rules, claims: { _claim_names, _claim_sources: _claim_names } }
    const reply = await server.request('POST', '/auth/oauth/providers/oidc/preview', { body: odd })
    t.match(reply, { status: 200, body: { undecided: [] } }, JSON.stringify(_claim_names))
  }
})

const SOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const WINDOWS = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname'

/** Claims of usual services, the name of the account and the name that people see. */
const NAMES: [service: string, claims: Claims, username: string, display_name: string | null][] = [
  [
    'Keycloak',
    { preferred_username: 'n.keycloak', name: 'Nia K', email: 'x@example.org' },
    'n.keycloak',
    'Nia K',
  ],
  ['Okta', { preferred_username: 'n.okta@example.org', name: 'Nia O' }, 'n.okta', 'Nia O'],
  ['Google', { email: 'n.google@example.org', email_verified: true, name: 'Nia G' }, 'n.google', 'Nia G'],
  ['Entra', { upn: 'n.entra@example.org', name: 'Nia E', oid: 'b7' }, 'n.entra', 'Nia E'],
  [
    'Entra v1',
    { unique_name: 'n.entra1@example.org', given_name: 'Nia', family_name: 'Em' },
    'n.entra1',
    'Nia Em',
  ],
  ['Entra with another provider', { unique_name: 'live.com#n.live@example.org' }, 'n.live', null],
  ['Entra with a guest', { upn: 'n.guest_example.org#EXT#@tenant.example' }, 'n.guest_example.org', null],
  ['ADFS', { upn: 'n.adfs@corp.example', unique_name: 'CORP\\n.other' }, 'n.adfs', null],
  ['ADFS with a domain', { unique_name: 'CORP\\N.Domain' }, 'n.domain', null],
  ['ADFS with an account', { winaccountname: 'n.account', commonname: 'Nia A' }, 'n.account', 'Nia A'],
  [
    'ADFS with addresses',
    { [`${SOAP}/upn`]: 'n.soap@corp.example', [`${SOAP}/givenname`]: 'Nia', [`${SOAP}/surname`]: 'Es' },
    'n.soap',
    'Nia Es',
  ],
  ['ADFS with a name', { [`${SOAP}/name`]: 'CORP\\n.soapname' }, 'n.soapname', null],
  ['ADFS with a mail address', { [`${SOAP}/emailaddress`]: 'n.soapmail@corp.example' }, 'n.soapmail', null],
  ['ADFS with Windows', { [WINDOWS]: 'CORP\\n.windows' }, 'n.windows', null],
  [
    'a mail address that is not verified',
    { email: 'n.mail@example.org', email_verified: false },
    'n.mail',
    null,
  ],
  ['a nickname', { nickname: 'N.Nick' }, 'n.nick', 'N.Nick'],
  ['a whole name', { name: 'Nia Whole' }, 'nia-whole', 'Nia Whole'],
  [
    'a Chinese name with a mail address',
    { preferred_username: '张三', email: 'n.san@example.org' },
    'n.san',
    null,
  ],
  [
    'claims of other types',
    { preferred_username: 7, upn: null, unique_name: ['x'], email: '', nickname: 'n.types' },
    'n.types',
    'n.types',
  ],
]

t.test('The usual claims name an account', async (t) => {
  forger.reset()
  await useIssuer(server, forger.url, { rules: [] })
  for (const [service, claims, username, display_name] of spread(NAMES, 8)) {
    const { user } = await signIn({ sub: createSub(), ...claims })
    t.match(user, { username, display_name }, service)
  }
  const sub = createSub()
  forger.userinfo = { sub }
  const { user } = await signIn({ sub })
  t.match(user.username, /^sso_[0-9a-f]{8}$/, 'no telling claim')
})

t.test('The clock of the issuer may differ by what the setting says', async (t) => {
  forger.reset()
  const person = { sub: createSub(), preferred_username: 'clock' }
  const now = Math.floor(Date.now() / 1000)
  t.match(await signIn({ ...person, nbf: now + 75 }), { reason: null }, 'ahead')
  t.match(await signIn({ ...person, exp: now - 75 }), { reason: null }, 'behind')
  t.match(await signIn({ ...person, nbf: now + 300 }), { reason: 'invalid_token' }, 'too far ahead')
  t.match(await signIn({ ...person, exp: now - 300 }), { reason: 'invalid_token' }, 'too far behind')
})
