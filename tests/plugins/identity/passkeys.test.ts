import t from '../../run/file-test.ts'
import { createFrozenClock } from '../../support/clock.ts'
import { startServer, type TestReply } from '../../support/server.ts'
import { createTwoFactorCalls, refusal } from '../../support/two-factor.ts'

const ORIGIN = 'https://agents.example'
const REFUSED = { status: 401, code: 'PASSKEY_INVALID' }
const INVALID = { status: 400, code: 'PASSKEY_INVALID' }
const EXPIRED = { status: 400, code: 'PASSKEY_CHALLENGE_EXPIRED' }

const clock = createFrozenClock()
const server = await startServer(t, {
  clock,
  config: { http: { public_url: `${ORIGIN}/` } },
  env: { SVC_LIMIT_PASSKEYS: '3' },
})
const { post, logIn, signIn, setUp, createDevice } = createTwoFactorCalls(server, clock)

const list = async (token: string) => (await server.request('GET', '/auth/passkeys', { token })).body

t.test('a passkey signs in without username, password and code', async (t) => {
  await server.createUser({ username: 'ann' })
  const token = await signIn('ann')
  const device = createDevice(ORIGIN)
  const { body: options } = await post(token, '/auth/passkeys/options')
  t.match(options, {
    rp: { id: 'agents.example', name: 'svc' },
    user: { name: 'ann' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
  })
  const made = await device.register(token, 'Laptop')
  t.equal(made.status, 201)
  t.strictSame(made.body, {
    id: made.body.id,
    name: 'Laptop',
    domain: 'agents.example',
    backed_up: false,
    created_at: clock.seconds(),
    last_used_at: null,
  })
  await setUp(token)
  t.match(refusal(await logIn('ann')), { code: 'TOTP_REQUIRED' })

  const begun = await post(null, '/auth/passkeys/sign-in/options')
  t.match(begun.body, { rpId: 'agents.example', userVerification: 'required' })
  t.notOk(begun.body.allowCredentials?.length, 'it names nobody')
  const { status, body, headers } = await post(null, '/auth/passkeys/sign-in', {
    assertion: device.authenticator.get(begun.body),
    cookie: true,
  })
  t.equal(status, 200)
  t.match(body, { token_type: 'Bearer', user: { username: 'ann' } })
  t.match(headers.get('set-cookie'), /^svc_refresh=/)
  t.match(await list(body.access_token), [{ name: 'Laptop', last_used_at: clock.seconds() }])
  t.match((await server.request('GET', '/users/ann')).body, { second_factors: ['totp', 'passkey'] })

  const path = `/auth/passkeys/${made.body.id}`
  const renamed = await server.request('PATCH', path, { token, body: { name: 'Phone' } })
  t.match(renamed, { status: 200, body: { name: 'Phone' } })
  const other = await server.createUser({ username: 'oda' })
  for (const method of ['PATCH', 'DELETE'])
    t.match(
      await server.request(method, path, {
        token: other.token,
        body: method === 'PATCH' ? { name: 'x' } : {},
      }),
      { status: 404 },
    )
  t.equal((await server.request('DELETE', path, { token })).status, 204)
  t.strictSame(refusal(await device.signIn()), REFUSED)

  const { body: rows } = await server.request('GET', '/admin/audit-log?limit=100')
  const actions = rows.map(({ action, actor }: Record<string, string>) => `${actor} ${action}`)
  for (const action of ['add_passkey', 'passkey_login', 'rename_passkey', 'delete_passkey'])
    t.ok(actions.includes(`ann auth.${action}`), action)
})

t.test('each challenge is for one use, one purpose, one account and five minutes', async (t) => {
  await server.createUser({ username: 'bob' })
  await server.createUser({ username: 'cat' })
  const [bob, cat] = [await signIn('bob'), await signIn('cat')]
  const { authenticator, register, signIn: signInHere } = createDevice(ORIGIN)
  const { body: creation } = await post(bob, '/auth/passkeys/options')
  const credential = authenticator.create(creation)
  const add = (token: string, attestation: object) =>
    post(token, '/auth/passkeys', { name: 'Key', attestation })
  t.strictSame(refusal(await add(cat, credential)), EXPIRED, 'of another account')
  t.equal((await add(bob, credential)).status, 201)
  t.strictSame(refusal(await add(bob, credential)), EXPIRED, 'used before')

  const { body: request } = await post(null, '/auth/passkeys/sign-in/options')
  const forRegistration = authenticator.create({ ...creation, challenge: request.challenge })
  t.strictSame(refusal(await add(bob, forRegistration)), EXPIRED, 'for a sign-in')
  const assertion = authenticator.get(request, { credential: credential.id })
  const send = (assertion: object) => post(null, '/auth/passkeys/sign-in', { assertion })
  const replies = await Promise.all([send(assertion), send(assertion), send(assertion)])
  t.strictSame(replies.map(({ status }) => status).sort(), [200, 400, 400])
  t.strictSame(refusal(await send(assertion)), EXPIRED)

  const { body: unused } = await post(bob, '/auth/passkeys/options')
  const wrongPurpose = authenticator.get(
    { rpId: 'agents.example', challenge: unused.challenge },
    { credential: credential.id },
  )
  t.strictSame(refusal(await send(wrongPurpose)), EXPIRED, 'for a registration')
  t.strictSame(
    refusal(await signInHere({ challenge: 'bWFkZSB1cA', credential: credential.id })),
    EXPIRED,
    'made up',
  )
  const { body: late } = await post(null, '/auth/passkeys/sign-in/options')
  clock.advance(301)
  t.strictSame(refusal(await send(authenticator.get(late, { credential: credential.id }))), EXPIRED)
  for (const clientDataJSON of ['bm8ganNvbg', 'bnVsbA', 'eyJjaGFsbGVuZ2UiOjF9'])
    t.strictSame(
      refusal(await send({ ...assertion, response: { ...assertion.response, clientDataJSON } })),
      EXPIRED,
    )
  t.match(await register(bob), { status: 201 })
})

t.test('what an authenticator or a page forges is refused', async (t) => {
  await server.createUser({ username: 'dan' })
  await server.createUser({ username: 'eve' })
  const token = await signIn('dan')
  const device = createDevice(ORIGIN)
  for (const lies of [{ origin: 'https://agents.example.evil' }, { isVerified: false }])
    t.strictSame(refusal(await device.register(token, 'Key', lies)), INVALID)
  t.equal((await device.register(token)).status, 201)
  const eve = await createDevice(ORIGIN).register(await signIn('eve'))
  t.equal(eve.status, 201)

  for (const lies of [
    { origin: 'https://evil.example' },
    { origin: 'http://agents.example' },
    { isVerified: false },
    { userHandle: Buffer.from('01JZZZZZZZZZZZZZZZZZZZZZZZ').toString('base64url') },
  ])
    t.strictSame(refusal(await device.signIn(lies)), REFUSED, JSON.stringify(lies))
  const { body: options } = await post(null, '/auth/passkeys/sign-in/options')
  const swapped = { ...device.authenticator.get(options), id: eve.body.id, rawId: eve.body.id }
  t.strictSame(refusal(await post(null, '/auth/passkeys/sign-in', { assertion: swapped })), REFUSED)

  t.equal((await device.signIn({ counter: 20 })).status, 200)
  for (const counter of [20, 19, 0])
    t.strictSame(refusal(await device.signIn({ counter })), REFUSED, 'the counter of a copy')
  t.equal((await device.signIn({ counter: 21 })).status, 200)
})

t.test('passkeys need a recent sign-in, a domain and https, and there are only so many', async (t) => {
  await server.createUser({ username: 'fay' })
  const token = await signIn('fay')
  const device = createDevice(ORIGIN)
  clock.advance(601)
  const recent = { status: 403, code: 'RECENT_SIGN_IN_REQUIRED' }
  t.strictSame(refusal(await device.register(token)), recent)
  const fresh = await signIn('fay')
  const made: TestReply[] = []
  for (let n = 0; n < 3; n += 1) made.push(await device.register(fresh, `Key ${n}`))
  t.strictSame(
    made.map(({ status }) => status),
    [201, 201, 201],
  )
  t.match(refusal(await device.register(fresh)), { status: 409, code: 'LIMIT_REACHED' })
  const remove = (body: object) =>
    server.request('DELETE', `/auth/passkeys/${made[0]!.body.id}`, { token, body })
  t.strictSame(refusal(await remove({})), recent)
  t.equal((await remove({ password: 'fay-password-1' })).status, 204)

  const plain = await startServer(t, {
    home: server.home,
    clock,
    env: { SVC_PUBLIC_URL: 'http://a.example' },
  })
  const options = (headers: Record<string, string>) =>
    plain.request('POST', '/auth/passkeys/sign-in/options', { token: null, headers, body: {} })
  t.match(refusal(await options({})), { status: 400, code: 'PASSKEY_UNAVAILABLE' })
})

t.test('without a public address, passkeys belong to the address of the page', async (t) => {
  const server = await startServer(t)
  const options = (headers: Record<string, string>) =>
    server.request('POST', '/auth/passkeys/sign-in/options', { token: null, headers, body: {} })
  const own = await options({ host: 'localhost:8088', origin: 'http://localhost:8088' })
  t.match(own, { status: 200, body: { rpId: 'localhost' } })
  const proxied = { origin: 'https://agents.example', host: 'agents.example' }
  t.match(await options(proxied), { status: 200, body: { rpId: 'agents.example' } })
  for (const headers of [
    {},
    { host: 'agents.example' },
    { host: 'localhost:1', origin: 'http://127.0.0.1:1' },
    { host: '[::1]:80', origin: 'http://[::1]:80' },
    { host: '127.0.0.1', origin: 'null' },
  ] as Record<string, string>[]) {
    const { status, body } = await options(headers)
    const expected = headers.host === 'localhost:1' ? 200 : 400
    t.equal(status, expected, `${JSON.stringify(headers)} ${JSON.stringify(body)}`)
  }
})

t.test('a reset, a disabled or a deleted account ends sign-ins with its passkeys', async (t) => {
  const devices = []
  for (const username of ['gus', 'hal', 'ida', 'jan']) {
    await server.createUser({ username })
    const device = createDevice(ORIGIN)
    t.equal((await device.register(await signIn(username))).status, 201)
    devices.push(device)
  }
  const [gus, hal, ida, jan] = devices
  await server.request('DELETE', '/users/gus/second-factors')
  await server.request('POST', '/users/hal/reset-password', { body: { new_password: 'another-pass-1' } })
  await server.request('PATCH', '/users/ida', { body: { enabled: false } })
  const earlierCount = await server.db.collection('passkeys').countDocuments()
  await server.request('DELETE', '/users/jan')
  t.equal(await server.db.collection('passkeys').countDocuments(), earlierCount - 1)
  for (const device of [gus, hal, jan]) t.strictSame(refusal(await device!.signIn()), REFUSED)
  t.strictSame(refusal(await ida!.signIn()), { status: 403, code: 'USER_DISABLED' })
  await server.request('PATCH', '/users/ida', { body: { enabled: true } })
  t.equal((await ida!.signIn()).status, 200)
})
