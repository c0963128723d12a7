import t from '../../run/file-test.ts'
import { SSO_PUBLIC_URL, ssoConfig, useIssuer } from '../../support/oidc-client.ts'
import { comeFrom, startOidcForger } from '../../support/oidc-forger.ts'
import { startServer, type TestReply } from '../../support/server.ts'
import { createBrowser, reasonIn, toldBy } from '../../support/sso-browser.ts'

const [server, forger] = await Promise.all([startServer(t, { config: ssoConfig() }), startOidcForger()])
t.teardown(() => forger.close())
await useIssuer(server, forger.url, { display_name: 'Ours' })

const refusal = ({ status, body }: TestReply) => [status, body?.error?.code]

const bind = (token: string, sub: string, browser = createBrowser(server)) =>
  comeFrom(forger, browser, { claims: { sub }, start: { token, redirect_after: '/settings' } })

const unbind = (token: string, kind = 'oidc') =>
  server.request('POST', '/auth/oauth/unbind', { token, body: { kind } })

const bindings = async (token: string) =>
  (await server.request('GET', '/auth/oauth/bindings', { token })).body

const lastRow = async () => (await server.request('GET', '/admin/audit-log?limit=1')).body[0]

t.test('an account links an identity, and signs in with it', async (t) => {
  const ada = await server.createUser({ username: 'ada' })
  const page = await bind(ada.token, 'ada-sub')
  t.equal(page.origin + page.pathname, `${SSO_PUBLIC_URL}/login/oauth/complete`)
  t.strictSame(toldBy(page), { bound: 'oidc', redirect: '/settings' }, 'nobody is signed in by it')
  t.match(await lastRow(), { action: 'auth.oauth_bind', actor: 'ada', payload: { kind: 'oidc' } })
  t.match(await bindings(ada.token), [{ kind: 'oidc', display_name: 'Ours', linked_at: Number }])
  t.match((await server.request('GET', '/users/ada')).body, { sso_linked: true, has_password: true })

  const browser = createBrowser(server)
  const arrived = await comeFrom(forger, browser, { claims: { sub: 'ada-sub', preferred_username: 'else' } })
  t.equal((await browser.exchange(arrived)).body.user.id, ada.id)
  t.strictSame(refusal(await createBrowser(server).start({ token: ada.token })), [
    409,
    'IDENTITY_ALREADY_LINKED',
  ])

  const late = await comeFrom(forger, browser, { claims: { sub: 'ada-sub' } })
  t.equal((await unbind(ada.token)).status, 204)
  t.match(await lastRow(), { action: 'auth.oauth_unbind', actor: 'ada' })
  t.strictSame(
    refusal(await browser.exchange(late)),
    [400, 'OAUTH_BAD_REQUEST'],
    'not with what was unlinked',
  )
  t.strictSame(await bindings(ada.token), [])
  t.strictSame(refusal(await unbind(ada.token)), [404, 'NOT_FOUND'])
  t.strictSame(refusal(await unbind(ada.token, 'github')), [422, 'VALIDATION_FAILED'])
})

t.test('an identity belongs to one account, and an account has one of each kind', async (t) => {
  const [bob, eve] = [
    await server.createUser({ username: 'bob' }),
    await server.createUser({ username: 'eve' }),
  ]
  await bind(bob.token, 'bob-sub')
  t.equal(reasonIn(await bind(eve.token, 'bob-sub')), 'taken')
  t.match(await lastRow(), {
    action: 'auth.oauth_bind',
    actor: 'eve',
    status: 400,
    payload: { kind: 'oidc', reason: 'taken' },
  })
  t.strictSame(await bindings(eve.token), [])

  // Two windows: both began before either completed.
  const [one, two] = [createBrowser(server), createBrowser(server)]
  const begun = await one.start({ token: eve.token })
  await bind(eve.token, 'eve-sub', two)
  const query = new URLSearchParams({ code: 'a-code', state: begun.body.state })
  const { searchParams } = new URL(begun.body.authorization_url)
  Object.assign(forger, { nonce: searchParams.get('nonce'), forgery: { claims: { sub: 'eve-other' } } })
  const page = await one.comeBack(`${SSO_PUBLIC_URL}/api/auth/oauth/callback?${query}`)
  t.equal(reasonIn(page), 'already_linked')
  t.equal((await bindings(eve.token)).length, 1)
})

t.test('only the session that began the attempt links an identity', async (t) => {
  const cleo = await server.createUser({ username: 'cleo' })
  const begin = async (token: string) => {
    const browser = createBrowser(server)
    const { body } = await browser.start({ token })
    const { searchParams } = new URL(body.authorization_url)
    Object.assign(forger, { nonce: searchParams.get('nonce'), forgery: { claims: { sub: 'cleo-sub' } } })
    const query = new URLSearchParams({ code: 'a-code', state: body.state })
    return { browser, callback: `${SSO_PUBLIC_URL}/api/auth/oauth/callback?${query}` }
  }
  const stolen = await begin(cleo.token)
  t.equal(reasonIn(await createBrowser(server).comeBack(stolen.callback)), 'state', 'in another browser')

  const ended = await begin(cleo.token)
  await server.request('POST', '/auth/logout', { token: cleo.token })
  t.equal(reasonIn(await ended.browser.comeBack(ended.callback)), 'state', 'after a logout')
  t.match(await lastRow(), { action: 'auth.oauth_bind', actor: 'cleo', payload: { reason: 'state' } })

  const token = await server.login('cleo', cleo.password)
  const disabled = await begin(token)
  await server.request('PATCH', '/users/cleo', { body: { enabled: false } })
  t.equal(reasonIn(await disabled.browser.comeBack(disabled.callback)), 'state', 'of a disabled account')
  await server.request('PATCH', '/users/cleo', { body: { enabled: true } })

  const deleted = await begin(await server.login('cleo', cleo.password))
  await server.request('DELETE', '/users/cleo')
  t.equal(await server.db.collection('sso_attempts').countDocuments({ user_id: cleo.id }), 0)
  t.equal(reasonIn(await deleted.browser.comeBack(deleted.callback)), 'state', 'of an account that is gone')
  t.equal((await server.request('GET', '/users/cleo')).status, 404)
})

t.test('the last way to sign in cannot be removed', async (t) => {
  const browser = createBrowser(server)
  const page = await comeFrom(forger, browser, { claims: { sub: 'dora', preferred_username: 'dora' } })
  const { body } = await browser.exchange(page)
  const token = body.access_token
  t.strictSame(refusal(await unbind(token)), [409, 'LAST_SIGN_IN'])
  await server.request('POST', '/users/dora/reset-password', { body: { new_password: 'a-new-password-1' } })
  const again = await server.login('dora', 'a-new-password-1')
  t.equal((await unbind(again)).status, 204)
  t.match((await server.request('GET', '/users/dora')).body, { sso_linked: false, has_password: true })
})
