import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'
import { BEHIND_PROXY, find, invite, redeem } from './invite-calls.ts'

const server = await startServer(t, { env: BEHIND_PROXY })
const mia = await server.createUser({ username: 'mia', permissions: ['users', 'channels'] })
const sales = await server.call('POST', '/groups', { name: 'Sales', permissions: ['channels'] })
const groupsOf = async (username: string) =>
  (await server.request('GET', `/users/${username}`)).body.groups.map(({ name }: { name: string }) => name)

t.test('A new account joins the groups of its invite', async (t) => {
  const made = await invite(server, { groups: ['SALES', sales.id] })
  const groups = [{ id: sales.id, name: 'Sales' }]
  t.strictSame(made.groups, groups)
  t.strictSame((await find(server, made)).groups, groups)
  const { body } = await redeem(server, made.code, 'ada')
  t.strictSame(await groupsOf('ada'), ['everyone', 'Sales'])
  t.strictSame(body.user.permissions, ['channels'])
})

t.test('Groups that are gone, or that the inviter could no longer assign, are left out', async (t) => {
  const { id } = await server.call('POST', '/groups', { name: 'Brief' })
  await server.call('POST', '/groups', { name: 'Plain' })
  const made = await invite(server, { groups: ['Brief', 'Sales', 'Plain'] }, mia.token)
  await server.call('DELETE', `/groups/${id}`)
  t.match((await find(server, made)).groups, [{ name: 'Sales' }, { name: 'Plain' }])
  await server.call('PATCH', '/users/mia', { permissions: ['users'] })
  t.equal((await redeem(server, made.code, 'bob')).status, 200)
  t.strictSame(await groupsOf('bob'), ['everyone', 'Plain'])
})

t.test('An invite names groups that exist and that its creator could give', async (t) => {
  const ask = (groups: string[], token?: string) =>
    server.request('POST', '/users/invites', { body: { groups }, token })
  t.match(await ask(['Plain', 'Nobody']), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/groups/1', rule: 'group' }] } } },
  })
  t.match(await ask(['Sales'], mia.token), {
    status: 403,
    body: { error: { code: 'FORBIDDEN', details: { missing: ['channels'] } } },
  })
})
