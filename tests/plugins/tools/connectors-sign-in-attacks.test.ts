import t from '../../run/file-test.ts'
import { ENTERED, type Oddity, type OddReply } from '../../support/odd-oauth.ts'
import { startOddSignIns } from '../../support/odd-sign-ins.ts'
import { SSO_PUBLIC_URL } from '../../support/oidc-client.ts'

const { odd, server, call, comeBack, signIn } = await startOddSignIns(t)
const HOME = `${SSO_PUBLIC_URL}/connectors`
const isRefresh = ({ grant_type }: Record<string, string>) => grant_type === 'refresh_token'

t.test('A sign-in that ends during a refresh is kept', async (t) => {
  const { path } = await signIn({})
  odd.expire()
  let answer: (reply: undefined) => void = () => undefined
  const asked = new Promise<void>((resolve) => {
    odd.now = {
      token: (_right, form) => {
        if (!isRefresh(form)) return undefined
        resolve()
        return new Promise<undefined>((resolve) => {
          answer = resolve
        })
      },
    }
  })
  const slow = call('POST', `${path}/test`)
  await asked
  odd.now = {}
  const begun = await call('POST', `${path}/authorize`, {})
  t.equal((await comeBack(begun)).location, HOME)
  answer(undefined)
  await slow
  const { access_token } = odd.issued.at(-2)!
  odd.sent.length = 0
  t.match((await call('POST', `${path}/test`)).body, { ok: true })
  t.ok(odd.sent.length > 0)
  t.strictSame(
    odd.sent.filter((token) => token !== access_token),
    [],
    'the tokens of the latest sign-in are sent',
  )
  await call('DELETE', path)
})

/** Replies that repeat what they were sent. */
const ECHOES: Record<string, (form: Record<string, string>) => OddReply> = {
  'a description': (form) => ({
    status: 400,
    body: { error: 'invalid_request', error_description: `bad request: ${JSON.stringify(form)}` },
  }),
  'a code of its own': (form) => ({ status: 400, body: { error: `refused ${Object.values(form)}` } }),
  'an error with the form as it came': (form) => ({
    status: 400,
    body: { error: { message: `bad form ${new URLSearchParams(form)}` } },
  }),
}

for (const [name, echo] of Object.entries(ECHOES))
  t.test(`A refresh whose refusal repeats our secrets shows none: ${name}`, async (t) => {
    const { path } = await signIn(
      { auth: 'client_secret_post', token: (_right, form) => (isRefresh(form) ? echo(form) : undefined) },
      { config: ENTERED },
    )
    odd.expire()
    const { refresh_token } = odd.issued.at(-1)!
    const { body } = await call('POST', `${path}/test`)
    t.match(body, { ok: false, detail: /••••/ }, 'the words are shown without the secrets')
    const shown = JSON.stringify([body, (await call('GET', path)).body]) + server.logged()
    for (const secret of [ENTERED.client_secret, encodeURIComponent(ENTERED.client_secret), refresh_token])
      t.notOk(shown.includes(secret), secret)
    await call('DELETE', path)
  })

t.test('A sign-in whose refusal repeats the code and the verifier logs neither', async (t) => {
  let form: Record<string, string> = {}
  const { path } = await signIn({
    token: (_right, sent) => {
      form = sent
      return {
        status: 400,
        body: { error: 'invalid_request', error_description: Object.values(sent).join(' ') },
      }
    },
  })
  t.notOk(server.logged().includes(form.code!))
  t.notOk(server.logged().includes(form.code_verifier!))
  await call('DELETE', path)
})

t.test('The secret of an entered client goes to the issuer of its first sign-in alone', async (t) => {
  const { path, location } = await signIn({ auth: 'client_secret_post' }, { config: ENTERED })
  t.equal(location, HOME)
  const early = await call('POST', `${path}/authorize`, {})
  odd.now = { ...odd.now, path: '/other', needsPush: true }
  const refused = await call('POST', `${path}/authorize`, {})
  t.match(refused, { status: 502, body: { error: { details: { reason: 'issuer' } } } })
  t.equal(odd.of('/par').length, 0, 'nothing is sent before')
  odd.now = { ...odd.now, needsPush: undefined }
  t.equal((await comeBack(early)).location, HOME, 'a sign-in at the first issuer goes on')
  await call('PATCH', path, { config: { ...ENTERED, oauth_scope: 'read' } })
  t.equal((await call('POST', `${path}/authorize`, {})).status, 200, 'until the settings are changed')
  await call('DELETE', path)
})

/** Addresses with credentials, and resources that name more than the server, none of which may be used. */
const USERINFO: Record<string, [Oddity, RegExp]> = {
  'a page with credentials': [
    { metadata: (m) => ({ ...m, authorization_endpoint: 'https://bank.example:x@evil.example/authorize' }) },
    /authorization_endpoint/,
  ],
  'a token endpoint with credentials': [
    { metadata: (m) => ({ ...m, token_endpoint: `${m.token_endpoint}`.replace('//', '//user:word@') }) },
    /token_endpoint/,
  ],
  'a resource with credentials': [
    { resource: (r) => ({ ...r, resource: `${r.resource}`.replace('//', '//user:word@') }) },
    /does not include/,
  ],
  'a resource with a query': [
    { resource: (r) => ({ ...r, resource: `${r.resource}?tenant=other` }) },
    /does not include/,
  ],
  'a resource with a fragment': [
    { resource: (r) => ({ ...r, resource: `${r.resource}#part` }) },
    /does not include/,
  ],
}

for (const [name, [oddity, words]] of Object.entries(USERINFO))
  t.test(`No sign-in begins: ${name}`, async (t) => {
    const { path, refusal } = await signIn(oddity)
    t.match(refusal?.body, { error: { details: { reason: 'metadata', detail: words } } })
    await call('DELETE', path)
  })

t.test('A description, an issuer and a redirect with credentials are passed over', async (t) => {
  const withUser = (url: string) => url.replace('//', '//user:word@')
  const oddities: Oddity[] = [
    { challenge: ({ resource }) => `Bearer resource_metadata="${withUser(resource)}"` },
    { resource: (r, u) => ({ ...r, authorization_servers: [withUser(u.issuer), u.issuer] }) },
    {
      path: '/a',
      metadataAt: ['/a/.well-known/openid-configuration'],
      metadataOtherwise: { status: 302, headers: { location: 'http://:word@127.0.0.1/x' } },
    },
  ]
  for (const oddity of oddities) {
    const { path, location, refusal } = await signIn(oddity)
    t.equal(location, HOME, JSON.stringify(refusal?.body))
    await call('DELETE', path)
  }
})

t.test('A sign-in does not store what is too large', async (t) => {
  const long = 'x'.repeat(300_000)
  const oddities: Oddity[] = [
    { metadata: (m) => ({ ...m, token_endpoint_auth_methods_supported: ['none', long] }) },
    { metadata: (m) => ({ ...m, scopes_supported: [long] }) },
    { resource: (r) => ({ ...r, scopes_supported: Array.from({ length: 40_000 }, (_, at) => `s${at}`) }) },
    { register: (_c, right) => ({ status: 201, body: { ...right, client_id: long } }) },
  ]
  for (const oddity of oddities) {
    const { path, refusal } = await signIn(oddity)
    t.match(refusal?.body, { error: { details: { reason: 'metadata', detail: /too large/ } } })
    await call('DELETE', path)
  }
  for (const token of [long, 'a\nb', 'ключ', 'a\u0000b']) {
    const { path, location } = await signIn({
      token: (right) => ({ body: { ...right, access_token: token } }),
    })
    t.match(location, /connector_error=failed$/, token.slice(0, 10))
    t.match((await call('GET', path)).body, { has_credentials: false })
    await call('DELETE', path)
  }
})

t.test('Another authorization server of the resource is used if the first is out of order', async (t) => {
  const firsts = ['http://127.0.0.1:1', 'https://169.254.169.254', 'https://no-such-host.invalid']
  for (const first of firsts) {
    const { path, location, refusal } = await signIn({
      resource: (r, u) => ({ ...r, authorization_servers: [first, u.issuer] }),
    })
    t.equal(location, HOME, `${first} ${JSON.stringify(refusal?.body)}`)
    await call('DELETE', path)
  }
})

t.test('Tokens are not revoked without encryption', async (t) => {
  const { path } = await signIn({
    metadata: (m) => ({ ...m, revocation_endpoint: 'http://evil.example/revoke' }),
  })
  await call('DELETE', `${path}/credentials`)
  t.match(server.logged(), /a sign-in could not be revoked/)
  t.match(server.logged(), /without encryption, as at http:\/\/evil\.example/)
  await call('DELETE', path)
})

t.test('A server that repeats the token of an account shows it to nobody', async (t) => {
  const { path } = await signIn({})
  const { access_token } = odd.issued.at(-1)!
  odd.now = { tool: (token) => ({ status: 403, body: { error: `Bearer ${token} may not` } }) }
  const { body } = await call('POST', `${path}/test`)
  t.match(body, { ok: false, detail: /Bearer ••••/ })
  t.notOk(JSON.stringify([body, (await call('GET', path)).body]).includes(access_token))
  t.notOk(server.logged().includes(access_token))
  await call('DELETE', path)
})
