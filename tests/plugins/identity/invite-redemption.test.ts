import type { Users } from '../../../plugins/identity/users/users.ts'
import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { createTestClock } from '../../support/clock.ts'
import { startServer } from '../../support/server.ts'
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

const CLAIM_SECONDS = 10

/** A plugin that fails at the creation of one account. */
const grumpy = `export default {
  kernel: 1,
  name: 'grumpy', summary: 'Does not want everybody', depends: ['users'],
  setup(host) {
    host.extend('users.creation', ({ username }) => { if (username === 'unwanted') throw new Error('no') })
  },
}`

const clock = createTestClock()
const server = await startServer(t, { clock, env: BEHIND_PROXY, plugins: { garden, grumpy } })

const { users } = server.server.runtime.cradleOf('users') as never as { users: Users }

const exists = async (username: string) => (await users.findByUsername(username)) !== null

/** Leaves an invite in the state of a redemption whose process died. */
const abandon = ({ id }: { id: string }) =>
  stored(server).updateOne({ _id: id }, { $set: { claimed_until: clock.now() + CLAIM_SECONDS * 1000 } })

/** Creates the account of an invite without recording that the invite is used. */
const makeAccount = async ({ id }: { id: string }, username: string) => {
  const { user_id } = (await stored(server).findOne({ _id: id }))!
  return users.create({ id: user_id!, username, password: `${username}-secret-1` })
}

t.test('a page that redeems an invite may ask for the cookie', async (t) => {
  const { code } = await invite(server)
  const { status, headers } = await redeem(server, code, 'cora', { cookie: true })
  t.equal(status, 200)
  t.match(headers.get('set-cookie'), /^svc_refresh=.*; HttpOnly/)
})

t.test('redeeming creates a regular account with an assistant and logs in to it', async (t) => {
  const made = await invite(server)
  const good = await validate(server, made.code)
  t.strictSame([good.status, good.body], [200, { ok: true, expires_at: made.expires_at }])

  const { status, body } = await redeem(server, made.code, 'Ada', { display_name: 'Ada Lovelace' })
  t.match({ status, body }, { status: 200, body: { token_type: 'Bearer', expires_in: 86_400 } })
  t.match(body.user, { username: 'ada', display_name: 'Ada Lovelace', role: 'user', permissions: [] })
  const me = await server.request('GET', '/auth/me', { token: body.access_token })
  const { limits, budget, ...account } = me.body
  t.strictSame(account, body.user)
  const agents = await server.request('GET', '/agents', { token: body.access_token })
  t.match(agents.body, [{ name: 'assistant' }])
  t.ok(await server.login('ada', 'Ada-secret-1'))

  t.match(await find(server, made), { status: 'used', used_at: Number, used_by: 'ada', created_by: 'admin' })
  for (const reply of [await validate(server, made.code), await redeem(server, made.code, 'bob')])
    t.strictSame(refusal(reply), [409, 'INVITE_USED'])
  t.strictSame(refusal(await validate(server, 'no-such-code')), [400, 'INVITE_INVALID'])
})

t.test('a failed redemption does not use the invite up', async (t) => {
  const made = await invite(server)
  const { code } = made
  t.strictSame(refusal(await redeem(server, code, 'ADMIN')), [409, 'USERNAME_TAKEN'])
  t.strictSame(refusal(await redeem(server, 'no-such-code', 'admin')), [400, 'INVITE_INVALID'])
  const weak = await redeem(server, code, 'carl', { password: 'password1' })
  t.strictSame(refusal(weak), [400, 'PASSWORD_TOO_WEAK'])
  for (const name of ['-carl', 'c arl', 'carl/../bob', 'c'.repeat(65), '']) {
    const reply = await redeem(server, code, name, { password: 'carl-secret-1' })
    t.strictSame(refusal(reply), [422, 'VALIDATION_FAILED'])
  }
  t.match(await find(server, made), { status: 'pending', used_by: null })
  t.notOk(await exists('carl'))
  t.equal((await redeem(server, code, 'carl')).status, 200)
})

const REDEMPTIONS = amount({ short: 10, long: 50 })

t.test(`of ${REDEMPTIONS} parallel redemptions on two servers, one creates an account`, async (t) => {
  const second = await startServer(t, { home: server.home, env: BEHIND_PROXY })
  const made = await invite(server)
  const replies = await Promise.all(
    Array.from({ length: REDEMPTIONS }, (_, index) =>
      redeem(index % 2 ? server : second, made.code, `guest-${index}`),
    ),
  )
  const won = replies.filter(({ status }) => status === 200)
  t.equal(won.length, 1)
  const lost = replies.filter(({ status }) => status !== 200).map(refusal)
  t.strictSame(lost, Array(REDEMPTIONS - 1).fill([409, 'INVITE_USED']))
  const { id, username } = won[0]!.body.user
  t.match(await find(server, made), { status: 'used', used_by: username })
  const { rows } = await users.list({}, 'username', { limit: 200 })
  const guests = rows.filter((user) => user.username.startsWith('guest-'))
  t.strictSame([guests.length, guests[0]!._id], [1, id])
  t.equal(await server.db.collection('agents').countDocuments({ owner_id: id }), 1)
})

t.test('a redemption that waits for a failing one succeeds', async (t) => {
  const made = await invite(server)
  const replies = await Promise.all(
    Array.from({ length: amount({ short: 9, long: 20 }) }, (_, index) =>
      redeem(server, made.code, index === 7 ? 'patient' : `-${index}`, { password: 'patient-secret-1' }),
    ),
  )
  t.equal(replies[7]!.status, 200)
  t.match(await find(server, made), { used_by: 'patient' })
})

t.test('a claim from a crash before the account was created expires', async (t) => {
  const made = await invite(server)
  const { user_id } = (await stored(server).findOne({ _id: made.id }))!
  await abandon(made)
  t.equal((await validate(server, made.code)).status, 200)
  const redeeming = redeem(server, made.code, 'next')
  clock.advance(CLAIM_SECONDS + 1)
  const { status, body } = await redeeming
  t.strictSame([status, body.user?.id], [200, user_id], 'the account has the id that was chosen for it')
  t.match(await stored(server).findOne({ _id: made.id }), { used_by: 'next', claimed_until: 0 })

  const withdrawn = await invite(server)
  await abandon(withdrawn)
  t.match(await find(server, withdrawn), { status: 'pending' })
  const revoking = revoke(server, withdrawn)
  clock.advance(CLAIM_SECONDS + 1)
  t.match(await revoking, { status: 200, body: { status: 'revoked' } })
})

t.test('an invite whose account was created before a crash is recorded as used', async (t) => {
  type Made = { id: string; code: string }
  const looks: ((made: Made) => Promise<unknown>)[] = [
    async ({ code }) => t.strictSame(refusal(await redeem(server, code, 'again')), [409, 'INVITE_USED']),
    async ({ code }) => t.strictSame(refusal(await validate(server, code)), [409, 'INVITE_USED']),
    async (made) => t.match(await find(server, made), { status: 'used' }),
    async (made) => t.strictSame(refusal(await revoke(server, made)), [409, 'INVITE_INVALID']),
  ]
  for (const [index, look] of looks.entries()) {
    const made = await invite(server)
    const username = `cut-off-${index}`
    await makeAccount(made, username)
    await abandon(made)
    clock.advance(CLAIM_SECONDS + 1)
    await look(made)
    const row = await stored(server).findOne({ _id: made.id })
    t.match(row, { used_by: username, used_at: Number, claimed_until: 0 })
  }
  t.notOk(await exists('again'))
})

t.test('a redemption that outlasts its claim and is still first is the only one', async (t) => {
  const made = await invite(server)
  await makeAccount(made, 'slow')
  t.strictSame(refusal(await redeem(server, made.code, 'quick')), [409, 'INVITE_USED'])
  t.match(await find(server, made), { status: 'used', used_by: 'slow' })
  t.notOk(await exists('quick'))
})

t.test('the invite of an account that was deleted before its use was recorded is used', async (t) => {
  const made = await invite(server)
  const { _id } = await makeAccount(made, 'brief')
  await abandon(made)
  t.equal((await server.request('DELETE', '/users/brief')).status, 204)
  t.strictSame(refusal(await redeem(server, made.code, 'brief')), [409, 'INVITE_USED'])
  t.notOk(JSON.stringify(await stored(server).find().toArray()).includes(_id))
})

t.test('a created account counts even if a plugin failed at its creation', async (t) => {
  const made = await invite(server)
  t.strictSame(refusal(await redeem(server, made.code, 'unwanted')), [500, 'INTERNAL_ERROR'])
  t.match(await find(server, made), { status: 'used', used_by: 'unwanted' })
  t.ok(await server.login('unwanted', 'unwanted-secret-1'))
})

t.test('the new account gets only permissions that its inviter holds then', async (t) => {
  const permissions = ['digging', 'mowing']
  const inviter = await server.createUser({ username: 'inviter', permissions: ['users', ...permissions] })
  const first = await invite(server, { permissions }, inviter.token)
  const change = { body: { permissions: ['users', 'mowing'] } }
  t.equal((await server.request('PATCH', '/users/inviter', change)).status, 200)
  t.strictSame((await redeem(server, first.code, 'helper')).body.user.permissions, ['mowing'])

  const second = await invite(server, { permissions })
  await stored(server).updateOne({ _id: second.id }, { $push: { permissions: 'of_a_plugin_that_is_off' } })
  t.strictSame((await redeem(server, second.code, 'aide')).body.user.permissions, permissions)
})

t.test('an invite is invalid once its inviter may no longer invite', async (t) => {
  const ways: Record<string, (username: string) => Promise<unknown>> = {
    disabled: (username) => server.request('PATCH', `/users/${username}`, { body: { enabled: false } }),
    demoted: (username) => server.request('PATCH', `/users/${username}`, { body: { permissions: [] } }),
    gone: (username) => server.db.collection('users').deleteOne({ username }),
  }
  for (const [username, end] of Object.entries(ways)) {
    const { token } = await server.createUser({ username, permissions: ['users'] })
    const made = await invite(server, {}, token)
    await end(username)
    t.strictSame(refusal(await validate(server, made.code)), [410, 'INVITE_REVOKED'], username)
    t.match(await find(server, made), { status: 'pending' }, 'asking changes nothing')
    t.strictSame(refusal(await redeem(server, made.code, 'orphan')), [410, 'INVITE_REVOKED'], username)
    t.match(await find(server, made), { status: 'revoked', revoked_at: Number, used_by: null })
  }
  t.notOk(await exists('orphan'))
})

t.test('redeeming has the reply of a login, also in the OpenAPI document', async (t) => {
  const { paths } = (await server.request('GET', '/openapi.json')).body
  const answers = ['/auth/login', '/auth/invite/redeem'].map(
    (path) => paths[path].post.responses[200].content,
  )
  t.strictSame(answers[1], answers[0])
  t.match(answers[0], { 'application/json': { schema: { $ref: '#/components/schemas/Login' } } })
})
