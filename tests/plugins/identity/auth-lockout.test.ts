import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { createTestClock } from '../../support/clock.ts'
import { ADMIN, startServer, type TestReply, type TestServer } from '../../support/server.ts'

const WRONG = 'wrong-password-1'

const clock = createTestClock()
const server = await startServer(t, { clock })
/** The failed sign-ins of an address; 30 is the default. */
const PER_ADDRESS = amount({ short: 6, long: 30 })
/** A server that trusts a proxy and locks an account for a minute after two failures. */
const strict = await startServer(t, {
  clock,
  env: {
    SVC_LOGIN_MAX_ATTEMPTS: '2',
    SVC_LOGIN_LOCKOUT_SECONDS: '60',
    SVC_TRUST_PROXY: '1',
    ...(PER_ADDRESS < 30 && { SVC_LIMIT_SIGN_INS_PER_ADDRESS: `${PER_ADDRESS}` }),
  },
})
/** Reads the stored failures. */
const KEPT = ['login_attempts', 'login_addresses']
t.beforeEach(async () => {
  for (const name of KEPT) await server.db.collection(name).deleteMany({})
})

const logIn = (
  server: TestServer,
  username: string,
  password: string,
  headers: Record<string, string> = {},
) => server.request('POST', '/auth/login', { token: null, body: { username, password }, headers })

const times = <Value>(count: number, make: (index: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

const statuses = (replies: TestReply[]) => replies.map(({ status }) => status).sort()
const count = (replies: TestReply[], status: number) =>
  replies.filter((reply) => reply.status === status).length

t.test('five failures answer 401, and every later attempt 429, even with the right password', async (t) => {
  for (let attempt = 1; attempt <= 5; attempt++) t.equal((await logIn(server, 'admin', WRONG)).status, 401)
  for (const password of [WRONG, ADMIN.password]) {
    const { status, body, headers } = await logIn(server, password === WRONG ? 'admin' : 'ADMIN', password)
    t.equal(status, 429)
    t.equal(body.error.code, 'LOGIN_LOCKED')
    const { retry_after_seconds, minutes } = body.error.details
    t.ok(Number.isInteger(retry_after_seconds) && retry_after_seconds > 0 && retry_after_seconds <= 900)
    t.equal(minutes, Math.ceil(retry_after_seconds / 60))
    t.equal(headers.get('retry-after'), String(retry_after_seconds))
    t.match(body.error.message, `locked after too many failed attempts. Try again in ${minutes} min`)
    const { locked_until } = body.error.details
    t.ok(Math.abs(locked_until - retry_after_seconds - Date.now() / 1000) <= 2, 'also as a time')
  }
  const { body } = await logIn(server, 'admin', WRONG, { 'accept-language': 'zh-CN' })
  t.match(body.error.message, `该账号已被锁定，将在 ${body.error.details.minutes} 分钟后解锁`)
  t.equal((await server.request('GET', '/auth/me')).status, 200, 'open sessions go on')
  await server.restart()
  t.equal((await logIn(server, 'admin', ADMIN.password)).status, 429, 'the lock outlives a restart')
})

t.test('an unknown name answers and is locked exactly like a known one', async (t) => {
  const headers = { 'x-request-id': 'same' }
  const story = async (username: string) => {
    const replies = []
    for (let attempt = 1; attempt <= 7; attempt++) {
      const { status, body, headers: answered } = await logIn(server, username, WRONG, headers)
      const names = [...answered.keys()].sort()
      delete body.error.details.retry_after_seconds
      delete body.error.details.locked_until
      replies.push({ status, body, names })
    }
    return replies
  }
  const answers = await story('admin')
  t.strictSame(
    answers.map(({ status }) => status),
    [401, 401, 401, 401, 401, 429, 429],
  )
  t.strictSame(await story('nobody'), answers)
  t.strictSame(await story('not a username, that is sure'), answers)
})

/** The number of simultaneous sign-ins; more than the five failures that lock an account. */
const AT_ONCE = amount({ short: 6, long: 20 })
const GUESSES = amount({ short: 8, long: 100 })

t.test(`of ${GUESSES} simultaneous guesses, at most 5 are evaluated`, async (t) => {
  for (const username of ['admin', 'nobody']) {
    const replies = await times(GUESSES, (index) => logIn(server, username, `${WRONG}${index}`))
    t.equal(count(replies, 401), 5, username)
    t.equal(count(replies, 429), GUESSES - 5, username)
  }
  const hidden = await times(AT_ONCE, (index) =>
    logIn(server, 'admin', index === AT_ONCE / 2 ? ADMIN.password : WRONG),
  )
  t.equal(count(hidden, 429), AT_ONCE, 'a right one among them tells nothing')
})

t.test(`${AT_ONCE} simultaneous right logins all succeed, even after four failures`, async (t) => {
  for (let attempt = 1; attempt <= 4; attempt++) await logIn(server, 'admin', WRONG)
  const replies = await times(AT_ONCE, () => logIn(server, 'admin', ADMIN.password))
  t.equal(count(replies, 200), AT_ONCE)
  t.equal(
    new Set(replies.map(({ body }) => body.access_token)).size,
    AT_ONCE,
    'each with a session of its own',
  )
})

t.test('attempts on one account run one at a time, also across servers', async (t) => {
  const second = await startServer(t, { home: server.home, clock })
  const servers = [server, second]
  const attempts = 2 * AT_ONCE
  const guesses = await times(attempts, (index) => logIn(servers[index % 2]!, 'nobody', WRONG))
  t.equal(count(guesses, 401), 5)
  t.equal(count(guesses, 429), attempts - 5)
  for (let attempt = 1; attempt <= 4; attempt++) await logIn(server, 'admin', WRONG)
  const logins = await times(attempts, (index) => logIn(servers[index % 2]!, 'admin', ADMIN.password))
  t.equal(count(logins, 200), attempts, 'nobody takes an attempt that is still being evaluated for a lock')
})

t.test(
  'an attempt waits for one that another server evaluates, but not for a server that died',
  async (t) => {
    const ada = await server.createUser({ username: 'ada' })
    const attempts = server.db.collection<{ _id: string }>('login_attempts')
    const lease = { lease: 'of another server', lease_until: clock.now() + 10_000 }
    await attempts.insertOne({ _id: 'admin', failures: 1, locked_until: 0, ...lease } as never)
    let answered = false
    const waiting = logIn(server, 'admin', ADMIN.password).finally(() => {
      answered = true
    })
    for (let round = 1; round <= 5; round++) t.ok(await server.login('ada', ada.password))
    t.notOk(answered, 'other accounts go on meanwhile')
    clock.advance(11)
    t.equal((await waiting).status, 200)
    t.equal(await attempts.countDocuments(), 0)
  },
)

t.test('a success clears the count', async (t) => {
  for (let round = 1; round <= amount({ short: 2, long: 3 }); round++) {
    for (let attempt = 1; attempt <= 4; attempt++) t.equal((await logIn(server, 'admin', WRONG)).status, 401)
    t.equal((await logIn(server, 'admin', ADMIN.password)).status, 200)
  }
})

t.test('after a lock the count starts at zero', async (t) => {
  const fail = async () => (await logIn(strict, 'admin', WRONG)).status
  t.strictSame([await fail(), await fail(), await fail()], [401, 401, 429])
  clock.advance(50)
  const { status, body } = await logIn(strict, 'admin', ADMIN.password)
  t.match({ status, body }, { status: 429, body: { error: { details: { minutes: 1 } } } })
  t.ok(body.error.details.retry_after_seconds <= 10, 'the remaining time is reported')
  clock.advance(11)
  t.strictSame([await fail(), await fail(), await fail()], [401, 401, 429])
  clock.advance(61)
  t.equal((await logIn(strict, 'admin', ADMIN.password)).status, 200)
})

t.test('wrong old passwords count, and a locked account cannot change its password', async (t) => {
  const token = await server.login('admin', ADMIN.password)
  const change = (old_password: string) =>
    server.request('POST', '/auth/change-password', {
      token,
      body: { old_password, new_password: 'another-secret-2' },
    })
  for (let attempt = 1; attempt <= 3; attempt++) t.equal((await change(WRONG)).status, 401)
  t.strictSame(statuses(await times(10, () => change(WRONG))).slice(0, 3), [401, 401, 429])
  t.equal((await change(ADMIN.password)).status, 429)
  t.equal((await logIn(server, 'admin', ADMIN.password)).status, 429)
})

t.test(`an address has ${PER_ADDRESS} failed sign-ins; others are not affected`, async (t) => {
  const from = (ip: string) => ({ 'x-forwarded-for': ip })
  const office = from('192.0.2.7')
  const right = amount({ short: PER_ADDRESS + 2, long: 60 })
  t.equal(count(await times(right, () => logIn(strict, 'admin', ADMIN.password, office)), 200), right)
  const wrong = amount({ short: PER_ADDRESS + 4, long: 40 })
  const guesses = await times(wrong, (index) => logIn(strict, `nobody-${index}`, WRONG, office))
  t.equal(count(guesses, 401), PER_ADDRESS)
  t.equal(count(guesses, 429), wrong - PER_ADDRESS)
  const limited = await logIn(strict, 'admin', ADMIN.password, office)
  t.match(limited.body.error, {
    code: 'RATE_LIMITED',
    message: 'Too many failed sign-ins from your network. Try again in 15 min.',
    details: { minutes: 15 },
  })
  t.equal(limited.headers.get('retry-after'), String(limited.body.error.details.retry_after_seconds))
  const elsewhere = await logIn(strict, 'admin', ADMIN.password, from('192.0.2.8'))
  t.equal(elsewhere.status, 200)
  const body = { old_password: ADMIN.password, new_password: 'another-secret-2' }
  const token = elsewhere.body.access_token
  const change = await strict.request('POST', '/auth/change-password', { token, body, headers: office })
  t.equal(change.status, 429, 'old passwords cannot be guessed there either')

  const network = (index: number) => from(`2001:db8:0:1::${index.toString(16)}`)
  const spread = await times(wrong, (index) => logIn(strict, `somebody-${index}`, WRONG, network(index)))
  t.equal(count(spread, 429), wrong - PER_ADDRESS, 'a /64 is one address')
  t.equal((await logIn(strict, 'admin', ADMIN.password, from('2001:db8:0:2::1'))).status, 200)
})

t.test('a limit below the concurrency refuses no right password', { skip: onlyLong }, async (t) => {
  const server = await startServer(t, { env: { SVC_LIMIT_SIGN_INS_PER_ADDRESS: '2' } })
  t.equal(count(await times(12, () => logIn(server, 'admin', ADMIN.password)), 200), 12)
  t.equal(count(await times(5, (index) => logIn(server, `nobody-${index}`, WRONG)), 401), 2)
  t.equal((await logIn(server, 'admin', ADMIN.password)).body.error.code, 'RATE_LIMITED')
})
