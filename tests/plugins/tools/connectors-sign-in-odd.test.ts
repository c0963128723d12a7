import t from '../../run/file-test.ts'
import { spread } from '../../run/tier.ts'
import { ENTERED, ENTERED_PUBLIC, type Oddity, type OddReply } from '../../support/odd-oauth.ts'
import { type OddSignIn, startOddSignIns } from '../../support/odd-sign-ins.ts'
import { SSO_PUBLIC_URL } from '../../support/oidc-client.ts'

const { odd, server, call, signIn } = await startOddSignIns(t)

const nulls = {
  scopes_supported: null,
  service_documentation: '',
  op_policy_uri: null,
  revocation_endpoint: null,
  introspection_endpoint: '',
  ui_locales_supported: null,
  code_challenge_methods_supported: null,
  grant_types_supported: null,
  token_endpoint_auth_signing_alg_values_supported: null,
}
const without = (right: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(right).filter(([name]) => !names.includes(name)))
const PRM = '/.well-known/oauth-protected-resource'
const AS = '/.well-known/oauth-authorization-server'
const OIDC = '/.well-known/openid-configuration'
const refuseIf =
  (isRefused: (client: Record<string, unknown>) => boolean): Oddity['register'] =>
  (client) =>
    isRefused(client) ? { status: 400, body: { error: 'invalid_client_metadata' } } : undefined
const hasSecret: Oddity['register'] = (_client, right) => ({
  status: 201,
  body: { ...right, client_secret: 'made/up+here', client_secret_expires_at: 0 },
})

/** Deviations of servers, each of which must lead to tools. */
const SIGN_INS: Record<string, Oddity> = {
  'all as it should be': {},
  'an issuer with a slash that the resource names without': {
    metadata: (m, u) => ({ ...m, issuer: `${u.issuer}/` }),
  },
  'an issuer without a slash that the resource names with': {
    resource: (r, u) => ({ ...r, authorization_servers: [`${u.issuer}/`] }),
  },
  'an issuer with a path and a slash': {
    path: '/tenant',
    metadata: (m, u) => ({ ...m, issuer: `${u.issuer}/` }),
  },
  'a resource with a slash': { resource: (r) => ({ ...r, resource: `${r.resource}/` }) },
  'a resource that is the whole origin': {
    resource: (r) => ({ ...r, resource: new URL(`${r.resource}`).origin }),
  },
  'a resource that is the whole origin, with a slash': {
    resource: (r) => ({ ...r, resource: `${new URL(`${r.resource}`).origin}/` }),
  },
  'a resource in other case': {
    resource: (r) => ({ ...r, resource: `${r.resource}`.replace('http:', 'HTTP:') }),
  },
  'a resource that is null': { resource: (r) => ({ ...r, resource: null }) },
  'a resource that is blank': { resource: (r) => ({ ...r, resource: '' }) },
  'no resource': { resource: (r) => without(r, 'resource') },
  'scopes of the resource that are null': { resource: (r) => ({ ...r, scopes_supported: null }) },
  'scopes of the resource in one text': { resource: (r) => ({ ...r, scopes_supported: 'read write' }) },
  'fields of the resource that are null': {
    resource: (r) => ({
      ...r,
      resource_name: null,
      jwks_uri: '',
      bearer_methods_supported: null,
      x_more: { a: 1 },
    }),
  },
  'no challenge': { challenge: () => null },
  'a challenge without a description': { challenge: () => 'Bearer' },
  'a challenge without quotes': {
    challenge: ({ resource }) => `Bearer resource_metadata=${new URL(resource).origin}${PRM}/mcp`,
  },
  'a challenge in single quotes': {
    challenge: ({ resource }) => `Bearer resource_metadata='${new URL(resource).origin}${PRM}/mcp'`,
  },
  'a challenge in lower case': {
    challenge: ({ resource }) =>
      `bearer realm="a, b", resource_metadata="${new URL(resource).origin}${PRM}/mcp"`,
  },
  'a challenge in capitals': {
    challenge: ({ resource }) => `BEARER Resource_Metadata="${new URL(resource).origin}${PRM}/mcp"`,
  },
  'a relative description': { challenge: () => `Bearer resource_metadata="${PRM}/mcp"` },
  'a description with escapes': {
    challenge: () => `Bearer realm="say \\"x\\"", resource_metadata="${PRM}\\/mcp"`,
  },
  'several challenges': {
    challenge: () =>
      `Basic realm="x", Negotiate, Bearer error="invalid_token", resource_metadata="${PRM}/mcp"`,
  },
  'a description elsewhere at the server': {
    challenge: () => `Bearer resource_metadata="${PRM}/other"`,
    resourceAt: [`${PRM}/other`],
  },
  'a description whose address is dead': { challenge: () => `Bearer resource_metadata="${PRM}/gone"` },
  'a description whose address is nonsense': { challenge: () => 'Bearer resource_metadata="http://"' },
  'a description at the path alone': { challenge: () => null, resourceAt: [`${PRM}/mcp`] },
  'a description at the root alone': { challenge: () => null, resourceAt: [PRM] },
  'no description of the resource (404)': { isOlder: true },
  'no description of the resource (401)': { isOlder: true, resourceOtherwise: 401 },
  'no description of the resource (403)': { isOlder: true, resourceOtherwise: 403 },
  'no description of the resource (500)': { isOlder: true, resourceOtherwise: 500 },
  'no description of the resource (200)': { isOlder: true, resourceOtherwise: 200 },
  'no metadata at all': { isOlder: true, metadataAt: [] },
  'a page in place of metadata': {
    isOlder: true,
    metadataAt: [],
    metadataOtherwise: { body: '<html>', type: 'text/html' },
  },
  'optional fields as null and blank': { metadata: (m) => ({ ...m, ...nulls }) },
  'endpoints of others as blank': {
    metadata: (m) => ({ ...m, userinfo_endpoint: '', jwks_uri: '', end_session_endpoint: null }),
  },
  'no response types': { metadata: (m) => without(m, 'response_types_supported') },
  'response types that are null': { metadata: (m) => ({ ...m, response_types_supported: null }) },
  'response types in one text': { metadata: (m) => ({ ...m, response_types_supported: 'code token' }) },
  'no methods of PKCE': { metadata: (m) => without(m, 'code_challenge_methods_supported') },
  'an empty list of methods of PKCE': { metadata: (m) => ({ ...m, code_challenge_methods_supported: [] }) },
  'no methods of clients': { metadata: (m) => without(m, 'token_endpoint_auth_methods_supported') },
  'methods of clients that are null': {
    metadata: (m) => ({ ...m, token_endpoint_auth_methods_supported: null }),
  },
  'unknown fields': { metadata: (m) => ({ ...m, x_more: [{ a: null }], mtls_endpoint_aliases: {} }) },
  'no issuer': { metadata: (m) => without(m, 'issuer') },
  'an issuer that is null': { metadata: (m) => ({ ...m, issuer: null }) },
  'relative endpoints': {
    metadata: (m) => ({
      ...m,
      authorization_endpoint: '/authorize',
      token_endpoint: '/token',
      registration_endpoint: '/register',
    }),
  },
  'the issuer of Entra for accounts of all tenants': {
    path: '/common/v2.0',
    metadataAt: [`/common/v2.0${OIDC}`],
    metadata: (m, u) => ({ ...m, issuer: u.issuer.replace('common', '{tenantid}') }),
  },
  'the issuer of Entra for a tenant that is named by its domain': {
    path: '/contoso.example/v2.0',
    metadataAt: [`/contoso.example/v2.0${OIDC}`],
    metadata: (m, u) => ({
      ...m,
      issuer: u.issuer.replace('contoso.example', '6babcaad-604b-40ac-a9d7-9fd97c0b779f'),
    }),
  },
  'authorization requests that must be pushed': { needsPush: true },
  'pushed requests of a client with a secret': {
    needsPush: true,
    auth: 'client_secret_post',
    register: hasSecret,
  },
  'metadata as plain text': { metadataType: 'text/plain' },
  'metadata as a page': { metadataType: 'text/html; charset=utf-8' },
  'metadata of OpenID Connect alone': { metadataAt: [OIDC] },
  'metadata with the path inserted': { path: '/tenant', metadataAt: [`${AS}/tenant`] },
  'metadata of OpenID Connect with the path inserted': { path: '/tenant', metadataAt: [`${OIDC}/tenant`] },
  'metadata of OpenID Connect after the path': { path: '/tenant/v2.0', metadataAt: [`/tenant/v2.0${OIDC}`] },
  'metadata after a page (401)': {
    path: '/tenant',
    metadataAt: [`/tenant${OIDC}`],
    metadataOtherwise: { status: 401, body: 'no' },
  },
  'metadata after a page (200)': {
    path: '/tenant',
    metadataAt: [`/tenant${OIDC}`],
    metadataOtherwise: { body: '<!doctype html>', type: 'text/html' },
  },
  'metadata after an outage (500)': {
    path: '/tenant',
    metadataAt: [`/tenant${OIDC}`],
    metadataOtherwise: { status: 500 },
  },
  'metadata after a redirect': {
    path: '/a',
    metadataAt: [`${AS}/b`],
    metadata: (m) => m,
    metadataOtherwise: { status: 302, headers: { location: `${AS}/b` } },
  },
  'several authorization servers, the first dead': {
    resource: (r, u) => ({ ...r, authorization_servers: [`${u.issuer}/gone`, u.issuer] }),
  },
  'an authorization server in one text': { resource: (r, u) => ({ ...r, authorization_servers: u.issuer }) },
  'authorization servers with nonsense': {
    resource: (r, u) => ({ ...r, authorization_servers: [null, '', 'id', u.issuer] }),
  },
  'a registration that answers only the id': {
    register: (_c, { client_id }) => ({ status: 201, body: { client_id } }),
  },
  'a registration that answers 200': { register: (_c, right) => ({ status: 200, body: right }) },
  'a registration with nulls': {
    register: (_c, right) => ({
      status: 201,
      body: {
        ...right,
        client_secret: null,
        client_secret_expires_at: null,
        client_uri: null,
        contacts: null,
      },
    }),
  },
  'a registration with blanks': {
    register: (_c, right) => ({
      status: 201,
      body: { ...right, client_secret: '', logo_uri: '', scope: '' },
    }),
  },
  'a registration with a number as id': {
    register: (_c, right) => ({ status: 201, body: { ...right, client_id: 4711 } }),
  },
  'a registration without its addresses': {
    register: (_c, right) => ({ status: 201, body: without(right, 'redirect_uris') }),
  },
  'a registration as text': {
    register: (_c, right) => ({ status: 201, body: JSON.stringify(right), type: 'text/plain' }),
  },
  'a registration that refuses the grant refresh_token': {
    register: refuseIf(({ grant_types }) => JSON.stringify(grant_types).includes('refresh_token')),
  },
  'a registration that refuses unknown fields': {
    register: refuseIf(
      ({ application_type, scope }) => application_type !== undefined || scope !== undefined,
    ),
  },
  'a registration that wants addresses and name alone': {
    register: refuseIf((client) =>
      Object.keys(client).some((name) => !/^(redirect_uris|client_name)$/.test(name)),
    ),
  },
  'a registration that refuses by 422': {
    register: (client) => (client.application_type ? { status: 422, body: 'no' } : undefined),
  },
  'a registration that refuses by an error in a 200 answer': {
    register: (client) =>
      client.application_type ? { body: { error: 'invalid_client_metadata' } } : undefined,
  },
  'a secret that nobody asked for, in the form': { auth: 'client_secret_post', register: hasSecret },
  'a secret that nobody asked for, in the header': { auth: 'client_secret_basic', register: hasSecret },
  'a secret whose method is not named': {
    auth: 'client_secret_post',
    metadata: (m) => without(m, 'token_endpoint_auth_methods_supported'),
    register: (_c, right) => ({
      status: 201,
      body: { client_id: right.client_id, client_secret: 'made/up+here' },
    }),
  },
  'a secret that the client method none does not use': {
    auth: 'none',
    register: (_c, right) => ({ status: 201, body: { ...right, token_endpoint_auth_method: 'none' } }),
  },
  'a server that refuses clients without a secret': {
    auth: 'client_secret_post',
    register: (client, right) =>
      client.token_endpoint_auth_method === 'none'
        ? { status: 400, body: { error: 'invalid_client_metadata' } }
        : hasSecret(client, right),
  },
  'a server that refuses clients without a secret and does not say so': {
    auth: 'client_secret_post',
    metadata: (m) => without(m, 'token_endpoint_auth_methods_supported'),
    register: (client, right) =>
      client.token_endpoint_auth_method === 'none'
        ? { status: 400, body: { error: 'invalid_client_metadata' } }
        : hasSecret(client, right),
  },
  'tokens in a form': {
    token: (right) => ({
      body: new URLSearchParams(right as Record<string, string>).toString(),
      type: 'application/x-www-form-urlencoded',
    }),
  },
  'tokens with the status 201': { token: (right) => ({ status: 201, body: right }) },
  'tokens as a page': { token: (right) => ({ body: JSON.stringify(right), type: 'text/html' }) },
  'tokens after a byte order mark': { token: (right) => ({ body: `\uFEFF${JSON.stringify(right)}` }) },
  'a token that lasts as a text': { token: (right) => ({ body: { ...right, expires_in: '3600' } }) },
  'a token that lasts null': { token: (right) => ({ body: { ...right, expires_in: null } }) },
  'a token that lasts 0': { token: (right) => ({ body: { ...right, expires_in: 0 } }) },
  'a token without its time': { token: (right) => ({ body: without(right, 'expires_in') }) },
  'a token type in lower case': { token: (right) => ({ body: { ...right, token_type: 'bearer' } }) },
  'a token type in capitals': { token: (right) => ({ body: { ...right, token_type: 'BEARER' } }) },
  'no token type': { token: (right) => ({ body: without(right, 'token_type') }) },
  'a token type that is null': { token: (right) => ({ body: { ...right, token_type: null } }) },
  'a refresh token that is null': { token: (right) => ({ body: { ...right, refresh_token: null } }) },
  'no refresh token': { token: (right) => ({ body: without(right, 'refresh_token') }) },
  'a scope that is null': { token: (right) => ({ body: { ...right, scope: null } }) },
  'scopes in a list': { token: (right) => ({ body: { ...right, scope: ['a', 'b'] } }) },
  'an ID token that is null': { token: (right) => ({ body: { ...right, id_token: null, error: null } }) },
}

for (const [name, oddity] of spread(Object.entries(SIGN_INS), 25))
  t.test(`Signs in: ${name}`, async (t) => {
    const { path, location, refusal } = await signIn(oddity)
    t.match(refusal?.body, undefined)
    t.equal(location, `${SSO_PUBLIC_URL}/connectors`)
    t.match((await call('GET', path)).body, {
      status: 'ready',
      has_credentials: true,
      tools: [{ name: 'look' }],
    })
    t.strictSame(odd.faults, [])
    await call('DELETE', path)
  })

/** The parameters that servers add to a callback. */
const CALLBACKS: Record<string, Record<string, string | string[]>> = {
  'of Google': { authuser: '0', hd: 'example.com', prompt: 'consent', scope: 'a https://b.example/c' },
  'of Entra': { client_info: 'eyJ1aWQiOiIifQ', session_state: 'x-1' },
  'of Keycloak': { session_state: 'x', iss: '' },
  'that are repeated': { prompt: ['a', 'b'], scope: ['a', 'a'] },
  'that are long': { x: 'ü'.repeat(1500), user_info: '{"name":"\\u0000"}' },
  'with names of objects': { __proto__x: '1', constructor: '2', 'a[b]': '3', '': '4' },
}

for (const [name, parameters] of spread(Object.entries(CALLBACKS), 3))
  t.test(`A callback ignores parameters ${name}`, async (t) => {
    const { path, location } = await signIn({}, { parameters })
    t.equal(location, `${SSO_PUBLIC_URL}/connectors`)
    await call('DELETE', path)
  })

t.test('A callback takes the issuer with and without a slash, and long codes', async (t) => {
  const begun = async (oddity: Oddity, parameters: OddSignIn['parameters']) => {
    const { path, location } = await signIn(oddity, { parameters })
    await call('DELETE', path)
    return location
  }
  odd.reset({})
  const named: Oddity = {
    metadata: (m) => ({ ...m, authorization_response_iss_parameter_supported: true }),
  }
  const fine = `${SSO_PUBLIC_URL}/connectors`
  t.equal(await begun(named, { iss: odd.issuer }), fine)
  t.equal(await begun(named, { iss: `${odd.issuer}/` }), fine)
  t.match(await begun(named, {}), /=failed/, 'an issuer that was announced is missing')
  t.match(await begun({}, { iss: 'https://evil.example' }), /=failed/)
  t.match(await begun({}, { iss: [odd.issuer, 'https://evil.example'] }), /=failed/)
  t.match(await begun({}, { iss: `${odd.issuer}/other` }), /=failed/)
  t.equal(odd.of('/token').length, 0, 'no code is sent after the answer of another issuer')
  t.equal(await begun({ longCode: 5000 }, {}), fine)
})

t.test('An error leads to the console, with a reason that has a sentence', async (t) => {
  const end = async (parameters: Record<string, string | string[]>) => {
    const { path, location, status } = await signIn({}, { parameters: { code: '', ...parameters } })
    await call('DELETE', path)
    t.equal(status, 302)
    return new URL(location!).searchParams.get('connector_error')
  }
  const long = `AADSTS65004: User declined to consent. ${'Trace ID: ü '.repeat(100)}`
  t.equal(await end({ error: 'access_denied' }), 'refused')
  t.equal(
    await end({ error: 'login_required', error_description: long, error_uri: 'https://x.example' }),
    'refused',
  )
  t.equal(
    await end({ error: 'server_error', error_description: 'line\none', error_codes: ['1', '2'] }),
    'refused',
  )
  t.equal(await end({ error: 'x'.repeat(900) }), 'refused')
  t.equal(await end({ error: 'unauthorized_client' }), 'client')
  t.equal(await end({ error: 'invalid_target' }), 'resource')
  for (const code of ['AADSTS901002', 'AADSTS9010010'])
    t.equal(
      await end({ error: 'invalid_request', error_description: `${code}: the resource ${long}` }),
      'resource',
    )
  t.equal(await end({ error: 'access_denied', iss: 'https://evil.example' }), 'failed')
  t.equal(await end({}), 'failed', 'neither a code nor an error')
  t.equal(await end({ error: 'access_denied', state: '' }), 'expired')
  t.equal(await end({ state: ['a', 'b'] }), 'expired')
  for (const query of [
    '%ff=%ff',
    'state=%ff&error_description=%fc%20ber',
    'state=%00',
    '&&=&state&code',
    '%',
  ])
    t.match(
      (
        await fetch(`${server.url}/api/connectors/oauth/callback?${query}`, { redirect: 'manual' })
      ).headers.get('location'),
      /connector_error=expired$/,
      query,
    )
  const bare = await fetch(`${server.url}/api/connectors/oauth/callback`, { redirect: 'manual' })
  t.match(bare.headers.get('location'), /connector_error=expired$/)
  t.ok(server.logged().includes('AADSTS65004'), 'the words of the service are logged')
})

/** Answers to a refresh after which the sign-in must still be there. */
const OUTAGES: Record<string, OddReply> = {
  'a 500': { status: 500, body: '' },
  'a 502 with a page': { status: 502, body: '<html>Bad gateway</html>', type: 'text/html' },
  'a 503': { status: 503, body: { error: 'temporarily_unavailable' } },
  'a 429': { status: 429, body: 'slow down', headers: { 'retry-after': '1' } },
  'a 408': { status: 408, body: '' },
  'a 400 with a page': { status: 400, body: '<html>Request blocked</html>', type: 'text/html' },
  'a 403 of a firewall': { status: 403, body: '<html>Denied</html>', type: 'text/html' },
  'a 404': { status: 404, body: '' },
  'a reset connection': { isReset: true },
  'a page with the status 200': { body: '<html>Sign in</html>', type: 'text/html' },
  'an empty body': { body: '' },
  'half an answer': { body: '{"access_token":"abc' },
  'a list': { body: '[]' },
  null: { body: 'null' },
  'an answer without a token': { body: { token_type: 'Bearer' } },
  'a token that is null': { body: { access_token: null, refresh_token: null } },
  'an error of the server in a 200 answer': { body: { error: 'server_error' } },
  'an error of the server with the status 400': { status: 400, body: { error: 'server_error' } },
  'an error as an object': { status: 503, body: { error: { code: 503, message: 'Unavailable' } } },
  'an invalid request': { status: 400, body: { error: 'invalid_request' } },
  'a redirect elsewhere': { status: 302, headers: { location: 'https://example.invalid/' } },
}

for (const [name, reply] of spread(Object.entries(OUTAGES), 8))
  t.test(`A refresh that is answered by ${name} keeps the sign-in`, async (t) => {
    const { path } = await signIn({
      token: (_right, { grant_type }) => (grant_type === 'refresh_token' ? reply : undefined),
    })
    odd.expire()
    const failed = await call('POST', `${path}/test`)
    t.match(failed.body, { ok: false, reason: /^(unavailable|forbidden)$/, detail: /authorization server/ })
    t.match((await call('GET', path)).body, {
      has_credentials: true,
      status: 'failed',
      error: /authorization server/,
    })
    odd.now = {}
    t.match((await call('POST', `${path}/test`)).body, { ok: true, tools: [{ name: 'look' }] })
    t.match((await call('GET', path)).body, { has_credentials: true, status: 'ready' })
    t.strictSame(odd.faults, [])
    await call('DELETE', path)
  })

/** Odd tokens of a refresh, with which the sign-in goes on. */
const REFRESHES: Record<string, Oddity['token']> = {
  'a refresh token that is null': (right) => ({ body: { ...right, refresh_token: null } }),
  'a refresh token that is blank': (right) => ({ body: { ...right, refresh_token: '' } }),
  'no refresh token': (right) => ({ body: without(right, 'refresh_token') }),
  'a scope that is null': (right) => ({ body: { ...right, scope: null } }),
  'a form': (right) => ({ body: new URLSearchParams(right as Record<string, string>).toString() }),
  'no type and no time': (right) => ({ body: without(right, 'token_type', 'expires_in') }),
  'a time in words': (right) => ({ body: { ...right, expires_in: 'soon' } }),
}

for (const [name, token] of spread(Object.entries(REFRESHES), 3))
  t.test(`A refresh with ${name} goes on`, async (t) => {
    const { path } = await signIn({})
    odd.now = { token }
    for (const round of [1, 2]) {
      odd.expire()
      t.match((await call('POST', `${path}/test`)).body, { ok: true }, `round ${round}`)
    }
    await call('DELETE', path)
  })

t.test('A refresh ends the sign-in only if the authorization server ends it', async (t) => {
  const test = async (oddity: Oddity, end: () => void, config?: object) => {
    const { path } = await signIn(oddity, { config })
    odd.expire()
    end()
    const { body } = await call('POST', `${path}/test`)
    const { has_credentials } = (await call('GET', path)).body
    return { path, reason: body.reason, has_credentials, detail: body.detail }
  }
  const ended = { reason: 'unauthorized', has_credentials: false }
  const revoked = await test({}, odd.revoke)
  t.match(revoked, ended, 'invalid_grant')
  await call('DELETE', revoked.path)
  const none = await test({ token: (right) => ({ body: without(right, 'refresh_token') }) }, () => undefined)
  t.match(none, ended, 'no refresh token')
  await call('DELETE', none.path)
  const forgotten = await test({}, odd.forgetClients)
  t.match(forgotten, ended, 'a client that the server forgot')
  const again = await call('POST', `${forgotten.path}/authorize`, {})
  odd.authorize(again.body.authorization_url)
  t.strictSame(odd.faults, [], 'another client is registered')
  await call('DELETE', forgotten.path)
  const byHand = await test({ auth: 'client_secret_basic' }, odd.forgetClients, ENTERED)
  t.match(byHand, { reason: 'forbidden', has_credentials: true, detail: /client id/ })
  await call('DELETE', byHand.path)
})

/** Replies of a token endpoint that has moved. */
const MOVED: OddReply[] = [
  { status: 404, body: '<html>', type: 'text/html' },
  { status: 410, body: '' },
  { status: 301, headers: { location: 'https://example.invalid/token' } },
  { status: 308, headers: { location: '/nowhere/' } },
]

for (const tokenOtherwise of MOVED)
  t.test(`A refresh finds a token endpoint that has moved, after ${tokenOtherwise.status}`, async (t) => {
    const { path } = await signIn({})
    odd.now = { tokenAt: '/v2/token', tokenOtherwise }
    for (const round of [1, 2]) {
      odd.expire()
      t.match((await call('POST', `${path}/test`)).body, { ok: true }, `round ${round}`)
    }
    t.equal(odd.of('/token').length, 2, 'the former place is asked once after the sign-in')
    odd.expire()
    odd.now = { tokenAt: '/v3/token', metadata: (m) => ({ ...m, issuer: 'https://evil.example' }) }
    t.match((await call('POST', `${path}/test`)).body, { ok: false, reason: /protocol|forbidden/ })
    t.equal(odd.of('/v3/token').length, 0, 'no token is sent to a place that another issuer names')
    t.match((await call('GET', path)).body, { has_credentials: true })
    await call('DELETE', path)
  })

t.test(
  'A second try registers another client, as the page of a service may have forgotten the first',
  async (t) => {
    const { path } = await signIn({})
    odd.forgetClients()
    const begin = async () => {
      const { body } = await call('POST', `${path}/authorize`, {})
      odd.faults.length = 0
      odd.authorize(body.authorization_url)
      return odd.faults.length
    }
    t.not(await begin(), 0, 'the service shows a page of its own')
    t.equal(await begin(), 0)
    await call('DELETE', path)
  },
)

t.test('A refresh is made once for concurrent calls, whose token works once', async (t) => {
  const { path } = await signIn({})
  odd.expire()
  const initialCount = odd.of('/token').length
  const tests = await Promise.all([1, 2, 3, 4].map(() => call('POST', `${path}/test`)))
  t.strictSame(
    tests.map(({ body }) => body.ok),
    [true, true, true, true],
  )
  t.equal(odd.of('/token').length, initialCount + 1)
  await call('DELETE', path)
})

t.test('A client that was entered by hand signs in, with each way to send its secret', async (t) => {
  for (const auth of ['client_secret_basic', 'client_secret_post'] as const)
    for (const isNamed of [true, false]) {
      const metadata: Oddity['metadata'] = (m) =>
        without(m, 'registration_endpoint', ...(isNamed ? [] : ['token_endpoint_auth_methods_supported']))
      const { path, location } = await signIn({ auth, metadata }, { config: ENTERED })
      t.equal(location, `${SSO_PUBLIC_URL}/connectors`, `${auth} ${isNamed}`)
      await call('DELETE', path)
    }
  const open = await signIn({ auth: 'none' }, { config: ENTERED_PUBLIC })
  t.equal(open.location, `${SSO_PUBLIC_URL}/connectors`, 'no secret')
  t.equal(odd.of('/register').length, 0, 'nothing is registered beside it')
  await call('DELETE', open.path)
  const wrong = await signIn({}, { config: { ...ENTERED, client_secret: 'wrong' } })
  t.match(wrong.location, /connector_error=client$/)
  await call('DELETE', wrong.path)
})

t.test('The resource can be left out, and the hint names the setting', async (t) => {
  const refused = await signIn({ refusesResource: true })
  t.match(refused.location, /connector_error=resource$/)
  await call('DELETE', refused.path)
  const { path, location } = await signIn({ refusesResource: true }, { config: { oauth_resource: 'omit' } })
  t.equal(location, `${SSO_PUBLIC_URL}/connectors`)
  odd.expire()
  t.match((await call('POST', `${path}/test`)).body, { ok: true }, 'nor is it sent with a refresh')
  t.strictSame(odd.faults, [])
  await call('PATCH', path, { config: { oauth_resource: 'send' } })
  odd.expire()
  t.match((await call('POST', `${path}/test`)).body, { ok: false, detail: /oauth_resource/ })
  await call('DELETE', path)
})

/** Servers that nobody may sign in to, and the sentence that the person reads. */
const REFUSED: Record<string, [Oddity, string, RegExp]> = {
  'a foreign issuer': [{ metadata: (m) => ({ ...m, issuer: 'https://evil.example' }) }, 'metadata', /evil/],
  'an issuer below the right one': [
    { metadata: (m, u) => ({ ...m, issuer: `${u.issuer}/tenant` }) },
    'metadata',
    /tenant/,
  ],
  'a template of tenants at another origin': [
    { path: '/common', metadata: (m) => ({ ...m, issuer: 'https://evil.example/{tenantid}' }) },
    'metadata',
    /evil/,
  ],
  'a template of tenants at another path': [
    {
      path: '/common/v2.0',
      metadata: (m, u) => ({ ...m, issuer: u.issuer.replace('common/v2.0', '{tenantid}/v1.0') }),
    },
    'metadata',
    /tenantid/,
  ],
  'another template': [
    { path: '/common', metadata: (m, u) => ({ ...m, issuer: u.issuer.replace('common', '{anything}') }) },
    'metadata',
    /anything/,
  ],
  'a server that describes no sign-in': [
    { isOlder: true, metadataAt: [], register: () => ({ status: 404, body: '' }) },
    'metadata',
    /does not describe a sign-in/,
  ],
  'pushed requests in an outage': [
    {
      metadata: (m, u) => ({
        ...m,
        require_pushed_authorization_requests: true,
        pushed_authorization_request_endpoint: `${u.issuer}/gone`,
      }),
      tokenOtherwise: { status: 503 },
    },
    'unavailable',
    /503/,
  ],
  'a foreign resource': [
    { resource: (r) => ({ ...r, resource: 'https://evil.example/mcp' }) },
    'metadata',
    /evil/,
  ],
  'a resource beside the server': [
    { resource: (r) => ({ ...r, resource: `${r.resource}-other` }) },
    'metadata',
    /other/,
  ],
  'methods of PKCE without S256': [
    { metadata: (m) => ({ ...m, code_challenge_methods_supported: ['plain'] }) },
    'metadata',
    /S256/,
  ],
  'no code flow': [{ metadata: (m) => ({ ...m, response_types_supported: ['token'] }) }, 'metadata', /code/],
  'no page to sign in': [
    { metadata: (m) => ({ ...m, authorization_endpoint: null }) },
    'metadata',
    /authorization_endpoint/,
  ],
  'a page that is a script': [
    { metadata: (m) => ({ ...m, authorization_endpoint: 'javascript:alert(1)' }) },
    'metadata',
    /authorization_endpoint/,
  ],
  'no registration': [
    { metadata: (m) => ({ ...m, registration_endpoint: null }) },
    'registration',
    /client id/,
  ],
  'a registration for members': [
    { register: () => ({ status: 401, body: { error: 'invalid_token' } }) },
    'registration',
    /invalid_token/,
  ],
  'a registration that refuses all': [
    { register: () => ({ status: 400, body: '<html>' }) },
    'registration',
    /400/,
  ],
  'a registration without an id': [
    { register: () => ({ status: 201, body: { client_id: null } }) },
    'unavailable',
    /201/,
  ],
  'a registration in an outage': [{ register: () => ({ status: 503, body: '' }) }, 'unavailable', /503/],
  'metadata in an outage': [{ metadataAt: [], metadataOtherwise: { status: 503 } }, 'unavailable', /503/],
}

for (const [name, [oddity, reason, detail]] of Object.entries(REFUSED))
  t.test(`No sign-in begins: ${name}`, async (t) => {
    const { path, refusal } = await signIn(oddity)
    const { status, body } = refusal!
    t.match(
      { status, body },
      { status: 502, body: { error: { code: 'CONNECTOR_SIGN_IN_FAILED', details: { reason, detail } } } },
    )
    t.notMatch(body.error.message, /[{[]|zod|undefined/)
    const localized = await server.request('POST', `${path}/authorize`, {
      body: {},
      headers: { 'accept-language': 'zh' },
    })
    t.match(localized.body.error.message, /\p{Script=Han}/u)
    await call('DELETE', path)
  })

t.test('Tokens that need a proof, and errors in place of tokens, end in a sentence', async (t) => {
  const end = async (token: Oddity['token']) => {
    const { path, location } = await signIn({ token })
    await call('DELETE', path)
    return new URL(location!).searchParams.get('connector_error')
  }
  t.equal(await end((right) => ({ body: { ...right, token_type: 'DPoP' } })), 'failed')
  t.equal(await end(() => ({ body: { error: 'bad_verification_code' } })), 'failed')
  t.equal(await end(() => ({ body: 'error=bad_verification_code&error_description=x' })), 'failed')
  t.equal(await end(() => ({ status: 503, body: '<html>' })), 'unavailable')
  t.equal(await end(() => ({ isReset: true })), 'unavailable')
  t.equal(
    await end(() => ({ status: 400, body: { error: 'invalid_grant', error_description: 'x'.repeat(5000) } })),
    'failed',
  )
})

t.test('Codes and secrets go to no address that is forbidden or without encryption', async (t) => {
  const endpoints = { 'http://evil.example/token': 'failed', 'https://169.254.169.254/token': 'unavailable' }
  for (const [token_endpoint, reason] of Object.entries(endpoints)) {
    const { path, location } = await signIn({ metadata: (m) => ({ ...m, token_endpoint }) })
    t.equal(new URL(location!).searchParams.get('connector_error'), reason, token_endpoint)
    await call('DELETE', path)
  }
  const { path, refusal } = await signIn({
    resource: (r) => ({ ...r, authorization_servers: ['https://169.254.169.254'] }),
  })
  t.match(refusal?.body, { error: { details: { reason: 'unavailable' } } })
  await call('DELETE', path)
})
