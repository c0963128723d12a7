import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { ssoConfig, useIssuer } from '../../support/oidc-client.ts'
import { signInAs, startOidcForger } from '../../support/oidc-forger.ts'
import { startOidcIssuer } from '../../support/oidc-issuer.ts'
import { startServer } from '../../support/server.ts'
import { createBrowser, reasonIn } from '../../support/sso-browser.ts'

const [server, issuer, forger] = await Promise.all([
  startServer(t, { config: ssoConfig() }),
  startOidcIssuer(),
  startOidcForger(),
])
t.teardown(() => Promise.all([issuer.close(), forger.close()]))
await useIssuer(server, forger.url)

/** Reads the audit rows of an action, newest first. */
const rows = async (action: string) =>
  (await server.request('GET', `/admin/audit-log?limit=50&action=${action}`)).body

const signIn = (claims: Record<string, unknown>) => signInAs(forger, createBrowser(server), claims)

t.test('usernames of new accounts are derived from the available claims', { skip: onlyLong }, async (t) => {
  await server.createUser({ username: 'grace' })
  const cases: [claims: Record<string, unknown>, username: string | RegExp][] = [
    [{ preferred_username: 'Katherine.J' }, 'katherine.j'],
    [{ preferred_username: 'Grace' }, 'grace_2'],
    [{ preferred_username: 'GRACE' }, 'grace_3'],
    [{ preferred_username: 'José Ortega' }, 'jose-ortega'],
    [{ preferred_username: 'mary@corp.example' }, 'mary'],
    [{ preferred_username: '..hidden--' }, 'hidden'],
    [{ preferred_username: '张三', email: 'Zhang.San@example.org' }, 'zhang.san'],
    [{ preferred_username: '张三' }, /^sso_[0-9a-f]{8}$/],
    [{ preferred_username: 'invites' }, 'invites_2'],
    [{ preferred_username: 42, email: 'forty-two@example.org' }, 'forty-two'],
    [{ preferred_username: ' ', email: '@' }, /^sso_[0-9a-f]{8}$/],
    [{ preferred_username: 'x'.repeat(500) }, 'x'.repeat(56)],
    [{ preferred_username: 'x'.repeat(500) }, `${'x'.repeat(56)}_2`],
    [{ preferred_username: '../../etc/passwd' }, 'etc-passwd'],
    [{}, /^sso_[0-9a-f]{8}$/],
  ]
  for (const [index, [claims, username]] of cases.entries()) {
    const { user } = await signIn({ ...claims, sub: `name-${index}` })
    t.match(user.username, username)
  }
  const crowd = ['crowd', ...Array.from({ length: 19 }, (_, index) => `crowd_${index + 2}`)]
  const users = server.db.collection('users')
  await users.insertMany(crowd.map((username) => ({ username })))
  const { user } = await signIn({ sub: 'crowded', preferred_username: 'crowd' })
  t.match(user.username, /^crowd_[0-9a-f]{6}$/)
  await users.deleteMany({ username: { $in: crowd } })
})

t.test('accounts are found by their identity only', async (t) => {
  const ours = await server.createUser({ username: 'edith' })
  await server.request('PATCH', '/auth/me', { token: ours.token, body: { email: 'edith@example.org' } })
  const claims = { preferred_username: 'edith', email: 'edith@example.org', email_verified: true }
  const { user } = await signIn({ ...claims, sub: 'edith' })
  t.equal(user.username, 'edith_2', 'neither by a name nor by an address')
  t.not(user.id, ours.id)
  const renamed = await signIn({ sub: 'edith', preferred_username: 'somebody', email: 'new@example.org' })
  t.equal(renamed.user.id, user.id, 'whatever else is said')
  const unverified = await signIn({ sub: 'eve', email: 'boss@example.org', email_verified: false })
  t.equal(unverified.user.email, null)
  const odd = await signIn({ sub: 'odd', name: 'Odd\u0000\n Name', email: 'no address' })
  t.match(odd.user, { display_name: 'Odd  Name', email: null })
})

t.test('a user who signs in many times at once gets one account', async (t) => {
  await useIssuer(server, issuer.url)
  issuer.person = { sub: 'many', preferred_username: 'many' }
  const browsers = Array.from({ length: amount({ short: 5, long: 20 }) }, () => createBrowser(server))
  const callbacks = await Promise.all(browsers.map((browser) => browser.authorize()))
  const pages = await Promise.all(browsers.map((browser, index) => browser.comeBack(callbacks[index]!)))
  const replies = await Promise.all(browsers.map((browser, index) => browser.exchange(pages[index]!)))
  t.strictSame([...new Set(replies.map(({ status }) => status))], [200])
  t.equal(new Set(replies.map(({ body }) => body.user.id)).size, 1)
  t.strictSame((await rows('user.sso_create'))[0].actor, 'many')
  t.equal(await server.db.collection('users').countDocuments({ username: /^many/ }), 1)
})

t.test('a disabled account is refused, a deleted one is created again', async (t) => {
  issuer.person = { sub: 'mary', preferred_username: 'mary-ann' }
  const browser = createBrowser(server)
  const { user } = await browser.signIn()
  const [early, gone] = [await browser.arrive(), await browser.arrive()]
  const change = (enabled: boolean) => server.request('PATCH', '/users/mary-ann', { body: { enabled } })
  await change(false)
  t.equal(reasonIn(await browser.arrive()), 'denied')
  const refused = await browser.exchange(early)
  t.match(refused, { status: 403, body: { error: { code: 'USER_DISABLED' } } })
  t.match((await rows('auth.oauth_login'))[0], { actor: 'mary-ann', status: 403 })
  await change(true)

  t.equal((await server.request('DELETE', '/users/mary-ann')).status, 204)
  t.match(await browser.exchange(gone), { status: 400, body: { error: { details: { reason: 'code' } } } })
  t.equal(await server.db.collection('sso_codes').countDocuments({ user_id: user.id }), 0)
  const anew = await browser.signIn()
  t.equal(anew.user.username, 'mary-ann')
  t.not(anew.user.id, user.id)
})
