import t from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { createFrozenClock } from '../../support/clock.ts'
import { runCommand } from '../../support/kernel.ts'
import { ssoConfig, useIssuer } from '../../support/oidc-client.ts'
import { comeFrom, startOidcForger } from '../../support/oidc-forger.ts'
import { databaseEnvironment, startServer } from '../../support/server.ts'
import { createBrowser } from '../../support/sso-browser.ts'
import { createTwoFactorCalls, refusal, STEP_SECONDS } from '../../support/two-factor.ts'
import { CTRL_D, start } from '../reach/terminal-run.ts'

const MISSING = { status: 401, code: 'TOTP_REQUIRED' }
const WRONG = { status: 401, code: 'TOTP_INVALID' }
const INVALID = { status: 400, code: 'TOTP_INVALID' }

const clock = createFrozenClock()
const forger = await startOidcForger()
t.teardown(() => forger.close())
/** Wrong codes come from one address here. */
const MANY = { SVC_LIMIT_SIGN_INS_PER_ADDRESS: '1000000' }
const server = await startServer(t, { clock, config: ssoConfig(), env: MANY })
const { codeOf, post, logIn, signIn, setUp } = createTwoFactorCalls(server, clock)

let starting: Promise<typeof server> | undefined
/** Starts a second server on the same home, once, which requires a second factor of everybody. */
const startStrict = () => {
  const env = { ...MANY, SVC_TWO_FACTOR_REQUIRED_FOR: isLong ? 'admin,user' : 'admin,everybody' }
  starting ??= startServer(t, { home: server.home, clock, env })
  return starting
}

/** Signs somebody with these claims in at another service. */
const comeBySso = async (of: typeof server, sub: string) => {
  const browser = createBrowser(of)
  const claims = { sub, preferred_username: sub }
  return (await browser.exchange(await comeFrom(forger, browser, { claims }))).body
}

t.test('a sign-in with the password needs a code once an app is confirmed', async (t) => {
  const ann = await server.createUser({ username: 'ann' })
  const token = await signIn('ann')
  const { body: key } = await post(token, '/auth/api-keys', { name: 'key', scopes: ['read'] })

  const begun = await post(token, '/auth/totp')
  t.equal(begun.status, 200)
  t.match(begun.body.secret, /^[A-Z2-7]{32}$/)
  const url = new URL(begun.body.otpauth_url)
  t.equal(url.protocol, 'otpauth:')
  t.equal(url.searchParams.get('secret'), begun.body.secret)
  t.equal((await logIn('ann')).status, 200, 'nothing has changed before the confirmation')
  t.strictSame(refusal(await post(token, '/auth/totp/confirm', { code: '000000' })), INVALID)

  const code = codeOf(begun.body.secret)
  const confirmed = await post(token, '/auth/totp/confirm', { code })
  t.equal(confirmed.status, 200)
  t.equal(new Set(confirmed.body.recovery_codes).size, 10)
  for (const text of confirmed.body.recovery_codes) t.match(text, /^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/)
  t.strictSame((await server.request('GET', '/auth/totp', { token })).body, {
    enabled: true,
    required: false,
    confirmed_at: clock.seconds(),
    last_used_at: clock.seconds(),
    recovery_codes_left: 10,
  })

  t.strictSame(refusal(await logIn('ann')), MISSING)
  t.strictSame(refusal(await logIn('ann', { password: 'another-1', code })), {
    status: 401,
    code: 'AUTH_FAILED',
  })
  t.strictSame(refusal(await logIn('ann', { code })), WRONG, 'the confirmation has used the code up')
  clock.advance(STEP_SECONDS)
  const next = codeOf(begun.body.secret)
  t.equal((await logIn('ann', { code: `${next.slice(0, 3)} ${next.slice(3)}` })).status, 200)
  t.strictSame(refusal(await logIn('ann', { code: next })), WRONG, 'a code is accepted once')
  for (const open of [ann.token, token, key.key])
    t.equal((await server.request('GET', '/auth/me', { token: open })).status, 200, 'what existed works')
})

t.test('the clock of an app may be off by a step, not by 90 seconds', async (t) => {
  await server.createUser({ username: 'bob' })
  const { secret } = await setUp(await signIn('bob'))
  clock.advance(10 * STEP_SECONDS)
  for (const off of [-90, 90]) t.strictSame(refusal(await logIn('bob', { code: codeOf(secret, off) })), WRONG)
  t.equal((await logIn('bob', { code: codeOf(secret, -STEP_SECONDS) })).status, 200)
  t.equal((await logIn('bob', { code: codeOf(secret, STEP_SECONDS) })).status, 200)
  t.strictSame(refusal(await logIn('bob', { code: codeOf(secret) })), WRONG, 'earlier than an accepted one')
})

t.test('of the same code in parallel sign-ins one is accepted, also of a recovery code', async (t) => {
  await server.createUser({ username: 'cat' })
  const { secret, recovery_codes } = await setUp(await signIn('cat'))
  for (const code of [codeOf(secret), recovery_codes[0]!]) {
    const replies = await Promise.all(Array.from({ length: 4 }, () => logIn('cat', { code })))
    t.strictSame(replies.map(({ status }) => status).sort(), [200, 401, 401, 401])
  }
})

t.test('recovery codes work once, for their account, until there are new ones', async (t) => {
  await server.createUser({ username: 'dan' })
  await server.createUser({ username: 'eve' })
  const token = await signIn('dan')
  const { recovery_codes, secret } = await setUp(token)
  const eve = await setUp(await signIn('eve'))
  const [first, second, third] = recovery_codes as [string, string, string]
  t.equal((await logIn('dan', { code: ` ${first.toUpperCase().replaceAll('-', ' ')}` })).status, 200)
  t.strictSame(refusal(await logIn('dan', { code: first })), WRONG)
  t.strictSame(refusal(await logIn('dan', { code: eve.recovery_codes[0] })), WRONG, 'of another account')
  t.strictSame(refusal(await logIn('dan', { code: codeOf(eve.secret) })), WRONG, 'of another account')
  t.match((await server.request('GET', '/auth/totp', { token })).body, { recovery_codes_left: 9 })

  const renewed = await post(token, '/auth/totp/recovery-codes', { code: codeOf(secret) })
  t.equal(renewed.body.recovery_codes.length, 10)
  t.strictSame(refusal(await logIn('dan', { code: second })), WRONG)
  t.equal((await logIn('dan', { code: renewed.body.recovery_codes[0] })).status, 200)
  t.strictSame(refusal(await post(token, '/auth/totp/recovery-codes', { code: third })), INVALID)
  const stored = JSON.stringify(await server.db.collection('totp_factors').find().toArray())
  for (const text of [secret, ...recovery_codes]) t.notMatch(stored, text)
})

t.test('wrong codes lock the account like wrong passwords, however many there are', async (t) => {
  await server.createUser({ username: 'fay' })
  const token = await signIn('fay')
  const { secret } = await setUp(token)
  const guesses = Array.from({ length: amount({ short: 20, long: 1000 }) }, (_, n) =>
    logIn('fay', { code: String(n).padStart(6, '0') }),
  )
  const codes = (await Promise.all(guesses)).map(refusal)
  t.equal(codes.filter(({ code }) => code === 'TOTP_INVALID').length, 5)
  t.equal(codes.filter(({ code }) => code === 'LOGIN_LOCKED').length, codes.length - 5)
  t.match(refusal(await logIn('fay', { code: codeOf(secret) })), { status: 429, code: 'LOGIN_LOCKED' })
  t.match(
    refusal(await server.request('DELETE', '/auth/totp', { token, body: { code: codeOf(secret) } })),
    { status: 429, code: 'LOGIN_LOCKED' },
    'a session does not get around the lock',
  )
  clock.advance(901)

  for (let n = 0; n < 4; n += 1) t.strictSame(refusal(await logIn('fay', { code: '000000' })), WRONG)
  t.strictSame(refusal(await logIn('fay')), MISSING, 'the password alone ends no count')
  const same = { old_password: 'fay-password-1', new_password: 'fay-password-1' }
  t.match(refusal(await post(token, '/auth/change-password', same)), { code: 'PASSWORD_SAME_AS_OLD' })
  t.strictSame(refusal(await logIn('fay', { code: '000000' })), WRONG)
  t.match(refusal(await logIn('fay', { code: codeOf(secret) })), { code: 'LOGIN_LOCKED' })
  clock.advance(901)
})

t.test('an app is removed or replaced with a code only', async (t) => {
  await server.createUser({ username: 'gus' })
  const token = await signIn('gus')
  const { secret, recovery_codes } = await setUp(token)
  const remove = (body: object) => server.request('DELETE', '/auth/totp', { token, body })
  t.match(refusal(await remove({})), { status: 422 })
  t.strictSame(refusal(await remove({ code: '123456' })), INVALID)
  const already = { status: 409, code: 'TOTP_ALREADY_ON' }
  t.strictSame(refusal(await post(token, '/auth/totp', { password: 'gus-password-1' })), already)

  const other = await setUp(token, { code: codeOf(secret) })
  t.strictSame(refusal(await logIn('gus', { code: codeOf(secret, STEP_SECONDS) })), WRONG)
  t.strictSame(refusal(await logIn('gus', { code: recovery_codes[0] })), WRONG)
  t.equal((await logIn('gus', { code: codeOf(other.secret) })).status, 200)
  t.equal((await remove({ code: other.recovery_codes[0] })).status, 204)
  t.equal((await logIn('gus')).status, 200)
  t.equal((await logIn('gus', { code: '123456' })).status, 200, 'a code that is not needed')
  t.strictSame(refusal(await remove({ code: '123456' })), { status: 409, code: 'TOTP_OFF' })
})

t.test('an app that is removed during sign-ins leaves them without an error of the server', async (t) => {
  await server.createUser({ username: 'hal' })
  const token = await signIn('hal')
  const { secret, recovery_codes } = await setUp(token)
  const replies = await Promise.all([
    logIn('hal', { code: codeOf(secret) }),
    server.request('DELETE', '/auth/totp', { token, body: { code: recovery_codes[0] } }),
    logIn('hal', { code: codeOf(secret) }),
  ])
  t.equal(replies[1].status, 204)
  for (const { status } of replies) t.ok([200, 204, 401].includes(status), String(status))
  t.equal((await logIn('hal')).status, 200)
})

t.test('setting up needs a recent sign-in or the password, and belongs to its session', async (t) => {
  await server.createUser({ username: 'ida' })
  const token = await signIn('ida')
  clock.advance(601)
  const recent = { status: 403, code: 'RECENT_SIGN_IN_REQUIRED' }
  t.strictSame(refusal(await post(token, '/auth/totp')), recent)
  t.strictSame(refusal(await post(token, '/auth/totp', { password: 'wrong-1' })), {
    status: 400,
    code: 'PASSWORD_WRONG',
  })
  const { body } = await post(token, '/auth/totp', { password: 'ida-password-1' })
  const other = await signIn('ida')
  const confirm = (token: string, secret: string) =>
    post(token, '/auth/totp/confirm', { code: codeOf(secret, -STEP_SECONDS) })
  const notBegun = { status: 409, code: 'TOTP_NOT_BEGUN' }
  t.strictSame(refusal(await confirm(other, body.secret)), notBegun)
  clock.advance(901)
  t.strictSame(refusal(await confirm(token, body.secret)), notBegun, 'too late')

  const { body: early } = await post(token, '/auth/totp', { password: 'ida-password-1' })
  const setup = await server.db.collection('totp_setups').findOne({ _id: (await meOf(token)).id })
  await setUp(await signIn('ida'))
  await server.db.collection('totp_setups').insertOne(setup!)
  t.strictSame(refusal(await confirm(token, early.secret)), notBegun, 'begun before there was an app')
  const key = await post(other, '/auth/api-keys', { name: 'all', scopes: ['write'] })
  t.match(refusal(await post(key.body.key, '/auth/totp')), { status: 403, code: 'FORBIDDEN' })
})

const meOf = async (token: string) => (await server.request('GET', '/auth/me', { token })).body

t.test('secrets are sealed anew when the key of the server is replaced', async (t) => {
  await server.createUser({ username: 'jan' })
  const { secret } = await setUp(await signIn('jan'))
  const read = () => server.db.collection('totp_factors').findOne({ secret: /^v1\./ })
  const factorBefore = await read()
  const command = ['admin', 'rotate-secret-key', '--wait', '0', '--json']
  const { stdout } = await runCommand(server.home, command, { env: databaseEnvironment(server.home) })
  t.ok(JSON.parse(stdout).resealed > 0)
  t.not((await read())!.secret, factorBefore!.secret)
  t.equal((await logIn('jan', { code: codeOf(secret) })).status, 200)
})

t.test('user managers reset factors of accounts that they cover, and operators of any account', async (t) => {
  await server.createUser({ username: 'kim' })
  const manager = await server.createUser({ username: 'lea', permissions: ['users'] })
  await server.createUser({ username: 'max', permissions: ['users', 'channels'] })
  await server.createUser({ username: 'root', role: 'admin' })
  for (const name of ['kim', 'lea', 'max', 'root']) await setUp(await signIn(name))
  const reset = async (name: string, token: string | undefined = manager.token) =>
    refusal(await server.request('DELETE', `/users/${name}/second-factors`, { token }))
  t.match((await server.request('GET', '/users/kim')).body, { second_factors: ['totp'] })
  t.strictSame(await reset('max'), { status: 403, code: 'FORBIDDEN' })
  t.strictSame(await reset('root'), { status: 403, code: 'FORBIDDEN' })
  t.strictSame(await reset('lea'), { status: 403, code: 'FORBIDDEN' }, 'the own one needs a code')
  t.match(await reset('nobody'), { status: 404 })
  t.match(await reset('kim'), { status: 204 })
  t.equal((await logIn('kim')).status, 200)
  t.notOk('second_factors' in (await server.request('GET', '/users/kim')).body)
  t.match(await reset('max', server.admin.token), { status: 204 })

  const command = await runCommand(server.home, ['user', 'reset-two-factor', 'root'])
  t.equal(command.code, 0, command.stderr)
  t.equal((await logIn('root')).status, 200)

  const rowsOf = async (action: string): Promise<{ actor: string; target: string }[]> =>
    (await server.request('GET', `/admin/audit-log?action=${action}`)).body
  const actions = ['begin_totp', 'confirm_totp', 'remove_totp', 'renew_recovery_codes']
  const changes = await Promise.all(actions.map((action) => rowsOf(`auth.${action}`)))
  for (const [index, rows] of changes.entries()) t.ok(rows.length > 0, actions[index]!)
  const resets = await rowsOf('user.reset_second_factors')
  t.match(
    resets.find(({ target }) => target === 'kim'),
    { actor: 'lea' },
  )
  t.ok(resets.some(({ actor }) => actor.startsWith('os:')))
  t.notMatch(JSON.stringify(changes), /"code":"\d{6}"/)
})

t.test('an account for which it is required can only set it up', async (t) => {
  await useIssuer(server, forger.url)
  const sso = await comeBySso(server, 'sue')
  await setUp(sso.access_token)
  t.notOk((await comeBySso(server, 'sue')).user.required_actions, 'single sign-on is asked for no code')
  const old = await server.createUser({ username: 'ned' })

  const strict = await startStrict()
  const at = createTwoFactorCalls(strict, clock)
  const me = (token: string) => strict.request('GET', '/auth/me', { token })
  t.equal((await strict.request('GET', '/agents', { token: old.token })).status, 200, 'sessions go on')

  const [attacker, own] = [await at.logIn('ned'), await at.logIn('ned')]
  t.strictSame(own.body.user.required_actions, ['set_up_totp'])
  const token = own.body.access_token
  t.strictSame((await me(token)).body.required_actions, ['set_up_totp'])
  const incomplete = { status: 403, code: 'FORBIDDEN' }
  t.strictSame(refusal(await strict.request('GET', '/agents', { token })), incomplete)
  t.strictSame(
    refusal(await strict.request('PATCH', '/auth/me', { token, body: { email: 'a@example.org' } })),
    incomplete,
  )
  t.strictSame(refusal(await at.post(token, '/auth/api-keys', { name: 'x', scopes: ['read'] })), incomplete)
  t.strictSame(refusal(await at.post(token, '/auth/passkeys/options')), incomplete)
  await t.rejects(strict.connect('/agents/assistant/chat/ws', { token }))

  const { secret } = await at.setUp(token)
  t.equal((await strict.request('GET', '/agents', { token })).status, 200)
  t.notOk((await me(token)).body.required_actions)
  t.match(refusal(await me(attacker.body.access_token)), { status: 401 }, 'opened with the password alone')
  t.strictSame(
    refusal(await strict.request('DELETE', '/auth/totp', { token, body: { code: codeOf(secret) } })),
    { status: 403, code: 'FORBIDDEN' },
  )
  const next = await at.logIn('ned', { code: codeOf(secret) })
  t.notOk(next.body.user.required_actions)

  t.strictSame((await comeBySso(strict, 'tim')).user.required_actions, ['set_up_totp'])
  const again = await comeBySso(strict, 'sue')
  t.strictSame(again.user.required_actions, ['verify_totp'])
  t.strictSame(refusal(await at.post(again.access_token, '/auth/totp')), incomplete)
  t.strictSame(refusal(await at.post(again.access_token, '/auth/totp/verify', { code: '000000' })), INVALID)
})

t.test('the terminal sets up a required app before it stores a session', async (t) => {
  await server.createUser({ username: 'pia' })
  const strict = await startStrict()
  const home = t.testdir()
  const options = { url: strict.url, username: 'pia', home, env: { SVC_PASSWORD: 'pia-password-1' } }

  const unattended = start(t, { ...options, message: 'hello' })
  t.equal(await unattended.code, 1)
  t.match(unattended.written.stderr, 'run svc chat in a terminal')
  const left = start(t, { ...options, tty: true })
  await left.until('Code of pia: ')
  left.stdin.write(CTRL_D)
  t.equal(await left.code, 1)

  const run = start(t, { ...options, tty: true })
  await run.until('Scan this code with an authenticator app:')
  await run.until('Or type this key into the app: ')
  await run.until('Code of pia: ')
  const shown = run.written.stdout
  const [, secret = ''] = /key into the app: ([A-Z2-7 ]+)/.exec(shown)!
  t.match(shown, /[█▀▄ ]{30}/, 'a QR code')
  run.stdin.write('000000\r')
  await run.until('The code is invalid')
  run.stdin.write(`${codeOf(secret.replaceAll(' ', ''))}\r`)
  await run.until('Store these recovery codes')
  await run.until('you › ')
  run.stdin.write(CTRL_D)
  t.equal(await run.code, 0)
  const codes = run.written.stdout.match(/[0-9a-z]{4}(-[0-9a-z]{4}){3}/g) ?? []
  t.equal(codes.length, 10)

  const later = start(t, { ...options, tty: true })
  await later.until('you › ')
  later.stdin.write(CTRL_D)
  t.equal(await later.code, 0, 'the stored session goes on')
})

t.test('a session of single sign-on is completed with a code', async (t) => {
  const { access_token } = await comeBySso(server, 'uma')
  const { recovery_codes } = await setUp(access_token)
  const strict = await startStrict()
  const { access_token: token } = await comeBySso(strict, 'uma')
  const verified = await strict.request('POST', '/auth/totp/verify', {
    token,
    body: { code: recovery_codes[0] },
  })
  t.equal(verified.status, 204)
  t.equal((await strict.request('GET', '/agents', { token })).status, 200)
})

t.test('the terminal asks for the code', async (t) => {
  await server.createUser({ username: 'zoe' })
  const { secret } = await setUp(await signIn('zoe'))
  const env = { SVC_PASSWORD: 'zoe-password-1' }
  const run = start(t, { url: server.url, username: 'zoe', tty: true, env })
  await run.until('Enter the code of your authenticator app')
  await run.until('Code of zoe: ')
  run.stdin.write('000000\r')
  await run.until('The code is invalid')
  run.stdin.write(`${codeOf(secret)}\r`)
  await run.until('you › ')
  run.stdin.write(CTRL_D)
  t.equal(await run.code, 0)

  const unattended = start(t, { url: server.url, username: 'zoe', message: 'hello', env })
  t.equal(await unattended.code, 1)
  t.match(unattended.written.stderr, 'Enter the code of your authenticator app')
})

t.test('a deleted account leaves nothing', async (t) => {
  const { id } = await server.createUser({ username: 'vic' })
  const token = await signIn('vic')
  const { secret } = await setUp(token)
  t.equal((await post(token, '/auth/totp', { code: codeOf(secret) })).status, 200)
  t.equal((await server.request('DELETE', '/users/vic')).status, 204)
  for (const name of ['totp_factors', 'totp_setups'])
    t.equal(await server.db.collection<{ _id: string }>(name).countDocuments({ _id: id }), 0, name)
})
