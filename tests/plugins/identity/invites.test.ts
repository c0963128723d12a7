import { createHash } from 'node:crypto'
import type { AuthCaller } from '../../../plugins/identity/auth/types.ts'
import type { Invites } from '../../../plugins/identity/invites/invites.ts'
import t from '../../run/file-test.ts'
import { createTestClock } from '../../support/clock.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import {
  BEHIND_PROXY,
  find,
  garden,
  invite,
  redeem,
  refusal,
  revoke,
  stored,
  validate,
} from './invite-calls.ts'

const DAY = 86_400

const clock = createTestClock()
const server = await startServer(t, { clock, env: BEHIND_PROXY, plugins: { garden } })

/** Advances the clock beyond the lifetime of tokens. */
const wait = async (seconds: number) => {
  clock.advance(seconds)
  server.admin.token = await server.login(server.admin.username, server.admin.password)
}

/** Reads the whole database as text. */
const dump = async ({ db }: TestServer) => {
  const collections = await db.listCollections().toArray()
  return JSON.stringify(
    await Promise.all(collections.map(({ name }) => db.collection(name).find().toArray())),
  )
}

t.test('an invite lasts seven days by default, and its code is shown once', async (t) => {
  const { code, invite_url, invite_path, ...row } = await invite(server)
  t.match(code, /^[\w-]{32}$/)
  t.equal(invite_url, null, 'no public URL is configured')
  t.equal(invite_path, `/invite?code=${code}`)
  t.strictSame(
    {
      ...row,
      id: typeof row.id,
      invite_id: row.invite_id === row.id,
      expires_at: row.expires_at - row.created_at,
      created_at: 0,
    },
    {
      id: 'string',
      invite_id: true,
      note: null,
      created_by: 'admin',
      created_at: 0,
      expires_at: 7 * DAY,
      used_at: null,
      used_by: null,
      revoked_at: null,
      status: 'pending',
      permissions: [],
      groups: [],
    },
  )
  t.strictSame((await server.request('GET', '/users/invites')).body, [row])

  const { expires_at, created_at, note } = await invite(server, { expires_in_days: 90, note: 'for Ada' })
  t.strictSame([expires_at - created_at, note], [90 * DAY, 'for Ada'])
  const third = await invite(server, { expires_in_days: 1 })
  const { body } = await server.request('GET', '/users/invites')
  t.strictSame([body.length, body[0].id, body[2].id], [3, third.id, row.id], 'the newest comes first')
})

t.test('an invite link leads to the public URL', async (t) => {
  const server = await startServer(t, { env: { SVC_PUBLIC_URL: 'https://agents.example/console/' } })
  const { code, invite_url } = await invite(server)
  t.equal(invite_url, `https://agents.example/console/invite?code=${code}`)
})

t.test('an invalid new invite is refused', async (t) => {
  const earlierCount = await stored(server).countDocuments()
  const wrong = [
    { expires_in_days: 0 },
    { expires_in_days: 91 },
    { expires_in_days: 1.5 },
    { expires_in_days: '7' },
    { note: 'n'.repeat(201) },
    { permissions: ['no_such_permission'] },
    { role: 'admin' },
  ]
  for (const body of wrong) {
    const reply = await server.request('POST', '/users/invites', { body })
    t.strictSame(refusal(reply), [422, 'VALIDATION_FAILED'], JSON.stringify(body))
  }
  t.equal(await stored(server).countDocuments(), earlierCount)
})

t.test('only user managers invite, and grant only rights that they hold', async (t) => {
  const made = await invite(server)
  const plain = await server.createUser({ username: 'plain', permissions: ['digging'] })
  const calls = [
    ['GET', '/users/invites', undefined],
    ['POST', '/users/invites', {}],
    ['POST', `/users/invites/${made.id}/revoke`, undefined],
  ] as const
  for (const [method, path, body] of calls) {
    const refused = await server.request(method, path, { token: plain.token, body })
    t.match(refused, { status: 403, body: { error: { details: { permission: 'users' } } } })
    t.strictSame(refusal(await server.request(method, path, { token: null, body })), [401, 'AUTH_FAILED'])
  }
  t.match(await find(server, made), { status: 'pending' })

  const permissions = ['users', 'digging']
  const { token } = await server.createUser({ username: 'gardener', permissions })
  const body = { permissions: ['digging', 'mowing'] }
  const refused = await server.request('POST', '/users/invites', { token, body })
  t.strictSame(refusal(refused), [403, 'FORBIDDEN'])
  t.strictSame(refused.body.error.details.missing, ['mowing'])
  t.match(await invite(server, { permissions }, token), { created_by: 'gardener', permissions })
  t.match(await invite(server, body), { created_by: 'admin', permissions: body.permissions })
})

t.test('only a pending invite can be revoked, which prevents its redemption', async (t) => {
  const made = await invite(server)
  clock.advance(60)
  const { status, body } = await revoke(server, made)
  t.match({ status, body }, { status: 200, body: { id: made.id, status: 'revoked' } })
  t.ok(body.revoked_at >= made.created_at + 60)
  t.strictSame(await find(server, made), body)
  for (const reply of [await validate(server, made.code), await redeem(server, made.code, 'late')])
    t.strictSame(refusal(reply), [410, 'INVITE_REVOKED'])
  t.strictSame(refusal(await revoke(server, made)), [409, 'INVITE_INVALID'])
  t.strictSame(refusal(await revoke(server, { id: 'nothing' })), [404, 'NOT_FOUND'])

  const used = await invite(server)
  t.equal((await redeem(server, used.code, 'early')).status, 200)
  t.strictSame(refusal(await revoke(server, used)), [409, 'INVITE_INVALID'])
  t.match(await find(server, used), { status: 'used', revoked_at: null })
})

t.test('an invite expires after its days', async (t) => {
  const made = await invite(server, { expires_in_days: 2 })
  await wait(2 * DAY - 60)
  t.equal((await validate(server, made.code)).status, 200)
  clock.advance(60)
  t.match(await find(server, made), { status: 'expired', revoked_at: null })
  const { body } = await server.request('POST', '/auth/invite/validate', {
    token: null,
    body: { code: made.code },
    headers: { 'accept-language': 'zh-CN' },
  })
  t.match(body.error, { code: 'INVITE_EXPIRED', message: /过期/ })
  t.strictSame(refusal(await redeem(server, made.code, 'late')), [410, 'INVITE_EXPIRED'])
  t.strictSame(refusal(await revoke(server, made)), [409, 'INVITE_INVALID'])
})

t.test('the code is neither in the database nor in the log nor in audit rows', async (t) => {
  const records = server.db.collection('audit_log')
  const earlierCount = await records.countDocuments()
  const { id, code } = await invite(server, { note: 'for Ada' })
  await validate(server, code)
  await redeem(server, code, 'Ada', { display_name: 'Ada Lovelace' })
  await redeem(server, code, 'Bob')
  await revoke(server, { id })

  const auditRows = await records.find().sort({ _id: 1 }).skip(earlierCount).toArray()
  t.match(
    auditRows.map(({ actor, action, target, payload, status }) => [
      actor,
      action,
      target,
      JSON.parse(payload),
      status,
    ]),
    [
      ['admin', 'invite.create', id, { note: 'for Ada' }, 201],
      ['ada', 'auth.redeem_invite', null, { username: 'Ada', display_name: 'Ada Lovelace' }, 200],
      ['bob', 'auth.redeem_invite', null, { username: 'Bob' }, 409],
      ['admin', 'invite.revoke', id, null, 409],
    ],
  )
  t.equal(auditRows.length, 4, 'asking whether a code is good changes nothing')
  const kept = await dump(server)
  const hash = createHash('sha256').update(code).digest('base64url')
  t.ok(kept.includes(hash), 'the hash is kept')
  for (const [where, text] of Object.entries({
    kept,
    log: server.logged(),
    told: JSON.stringify(auditRows),
  })) {
    t.notOk(text.includes(code), `no code: ${where}`)
    t.notOk(text.includes('Ada-secret-1'), `no password: ${where}`)
  }
  t.notOk(JSON.stringify((await server.request('GET', '/users/invites')).body).includes(hash))
})

t.test('an address may validate and redeem twenty times a minute', async (t) => {
  const { code } = await invite(server)
  const ip = '192.0.2.1'
  for (let call = 0; call < 10; call++) {
    t.strictSame(refusal(await validate(server, `guess-${call}`, ip)), [400, 'INVITE_INVALID'])
    t.strictSame(refusal(await redeem(server, `guess-${call}`, 'cleo', { ip })), [400, 'INVITE_INVALID'])
  }
  for (const reply of [await validate(server, code, ip), await redeem(server, code, 'cleo', { ip })]) {
    t.strictSame(refusal(reply), [429, 'RATE_LIMITED'])
    t.ok(Number(reply.headers.get('retry-after')) > 0)
  }
  t.equal((await validate(server, code, '192.0.2.2')).status, 200)
})

t.test('an account that is deleted leaves no trace in invites', async (t) => {
  const manager = await server.createUser({ username: 'manager', permissions: ['users'] })
  const theirs = await invite(server, {}, manager.token)
  const made = await invite(server)
  const { user } = (await redeem(server, made.code, 'dora')).body
  for (const username of ['manager', 'dora'])
    t.equal((await server.request('DELETE', `/users/${username}`)).status, 204)

  t.strictSame(refusal(await validate(server, theirs.code)), [400, 'INVITE_INVALID'])
  t.equal(await find(server, theirs), undefined)
  t.match(await find(server, made), { status: 'used', used_at: Number, used_by: null })
  t.strictSame(refusal(await redeem(server, made.code, 'dora')), [409, 'INVITE_USED'])
  const kept = JSON.stringify(await stored(server).find().toArray())
  for (const trace of [manager.id, 'manager', user.id, 'dora']) t.notOk(kept.includes(trace), trace)
})

t.test('an invite that is stored after the deletion of its inviter is removed', async (t) => {
  const { invites } = server.server.runtime.cradleOf('invites') as never as { invites: Invites }
  const gone = { id: 'gone', username: 'gone', role: 'admin' } as AuthCaller
  await t.rejects(invites.create(gone, { expires_in_days: 7, permissions: [], groups: [] }), {
    code: 'AUTH_FAILED',
  })
  t.equal(await stored(server).countDocuments({ created_by_id: gone.id }), 0)
})

t.test('invites are kept for ninety days after their end', async (t) => {
  const index = (await stored(server).indexes()).find(({ key }) => key.delete_at)
  t.equal(index?.expireAfterSeconds, 0)
  const keptFor = async ({ id }: { id: string }, end: number) => {
    const { delete_at } = (await stored(server).findOne({ _id: id }))!
    return (delete_at.getTime() / 1000 - end) / DAY
  }
  const [used, revoked] = [await invite(server), await invite(server)]
  t.equal(await keptFor(used, used.expires_at), 90)
  await wait(3 * DAY)
  await redeem(server, used.code, 'emil')
  t.equal(await keptFor(used, (await find(server, used)).used_at), 90)
  t.equal(await keptFor(revoked, (await revoke(server, revoked)).body.revoked_at), 90)
})

t.test('The account of an invited person is in the language of the request', async (t) => {
  const { code } = await server.call('POST', '/users/invites', { expires_in_days: 1 })
  const reply = await server.request('POST', '/auth/invite/redeem', {
    token: null,
    headers: { 'accept-language': 'zh-CN' },
    body: { code, username: 'mei', password: 'quiet-lantern-93' },
  })
  t.equal(reply.status, 200)
  const { body: agents } = await server.request('GET', '/agents', { token: reply.body.access_token })
  t.match(agents[0], { name: 'assistant', description: /[\u4e00-\u9fff]/ })
})
