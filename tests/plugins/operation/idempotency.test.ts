import t from '../../run/file-test.ts'
import { pluginSource } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'

const bench: { enter?: () => void; release?: () => void } = {}
Object.assign(globalThis, { bench })

/** A route that waits until the test lets it go, and one that fails. */
const slow = pluginSource(
  'slow',
  `host.routes([
    { method: 'POST', path: '/slow', summary: 'Wait', guard: 'user', audit: { none: 'a test' }, response: { 200: {} },
      handler: () => new Promise((done) => { bench.release = () => done({}); bench.enter() }) },
    { method: 'POST', path: '/broken', summary: 'Break', guard: 'user', audit: { none: 'a test' }, response: { 200: {} },
      handler() { throw new Error('half done') } },
  ])`,
  "depends: ['auth'],",
)

const server = await startServer(t, { plugins: { slow }, config: { limits: { idempotency_keys: 8 } } })
const ann = await server.createUser({ username: 'ann', permissions: ['users'] })
const ben = await server.createUser({ username: 'ben' })

const post = (path: string, key: string, body: object = {}, token = ann.token) =>
  server.request('POST', path, { token, body, headers: { 'Idempotency-Key': key } })

t.test('a repeated request makes one thing', async (t) => {
  const first = await post('/agents', 'make-1', { name: 'scout' })
  t.equal(first.status, 201)
  const second = await post('/agents', 'make-1', { name: 'scout' })
  t.strictSame([second.status, second.body], [201, first.body])
  t.equal(second.headers.get('idempotent-replayed'), 'true')
  const { body: agents } = await server.request('GET', '/agents', { token: ann.token })
  t.equal(agents.filter(({ name }: { name: string }) => name === 'scout').length, 1)
  t.equal(
    (await post('/agents', 'make-1', { name: 'scout' }, ben.token)).status,
    201,
    'keys are of an account',
  )
  t.match(await post('/agents', 'make-1', { name: 'other' }), {
    status: 422,
    body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
  })
})

t.test('a request that was refused may be repeated', async (t) => {
  const taken = await post('/agents', 'retry', { name: 'scout' })
  t.match(taken, { status: 409, body: { error: { code: 'AGENT_NAME_TAKEN' } } })
  t.equal((await post('/agents', 'retry', { name: 'runner' })).status, 201)
  t.equal((await post('/agents', 'invalid', { nam: 'runner' })).status, 422)
  t.equal((await post('/agents', 'invalid', { name: 'walker' })).status, 201)
})

t.test('a repetition does not overtake its first request, nor does it follow one that failed', async (t) => {
  const inUse = { status: 409, body: { error: { code: 'IDEMPOTENCY_KEY_IN_USE' } } }
  const entered = new Promise<void>((enter) => {
    bench.enter = enter
  })
  const first = post('/slow', 'slow')
  await entered
  const early = await post('/slow', 'slow')
  t.match(early, inUse)
  t.equal(early.headers.get('retry-after'), '1')
  bench.release?.()
  t.equal((await first).status, 200)
  t.equal((await post('/slow', 'slow')).status, 200)

  t.equal((await post('/broken', 'broken')).status, 500)
  const unknown = await post('/broken', 'broken')
  const details = { outcome: 'unknown' }
  t.match(unknown, { status: 409, body: { error: { code: 'IDEMPOTENCY_KEY_IN_USE', details } } })
  t.equal(unknown.headers.get('retry-after'), null, 'it may have had its effect')
})

t.test('a reply with a secret is sealed', async (t) => {
  const { body } = await post('/users/invites', 'invite', {})
  t.type(body.code, 'string')
  t.equal((await post('/users/invites', 'invite', {})).body.code, body.code)
  const rows = await server.db.collection('kept_replies').find().toArray()
  t.notMatch(JSON.stringify(rows), body.code)
})

t.test('keys are limited, last a day, survive a restart, and go with their account', async (t) => {
  const { body: me } = await server.request('GET', '/auth/me', { token: ann.token })
  t.strictSame(me.limits.idempotency_keys, { used: 6, max: 8 })
  for (const key of ['more-1', 'more-2']) t.equal((await post('/users/invites', key)).status, 201)
  const full = {
    status: 409,
    body: { error: { code: 'LIMIT_REACHED', details: { limit: 'idempotency_keys' } } },
  }
  t.match(await post('/users/invites', 'more-3'), full)
  t.equal((await post('/users/invites', 'more-2')).status, 201, 'known keys still work')

  await server.restart()
  t.equal((await post('/agents', 'make-1', { name: 'scout' })).headers.get('idempotent-replayed'), 'true')
  const [row] = await server.db.collection('kept_replies').find().toArray()
  const seconds = (row!.delete_at.getTime() - Date.now()) / 1000
  t.ok(seconds > 80_000 && seconds <= 86_400)

  t.equal((await server.request('DELETE', '/users/ann')).status, 204)
  t.equal(await server.db.collection('kept_replies').countDocuments({ account_id: ann.id }), 0)
})
