import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'

const server = await startServer(t)
const ada = await server.createUser({ username: 'ada' })
const bob = await server.createUser({ username: 'bob' })
const mia = await server.createUser({ username: 'mia', permissions: ['users', 'channels'] })

const groups = (method: string, path = '', body?: object, token?: string) =>
  server.request(method, `/groups${path}`, { body, token })
const me = async (token: string) => (await server.request('GET', '/auth/me', { token })).body
const create = async (body: object): Promise<string> => {
  const reply = await groups('POST', '', body)
  if (reply.status !== 201)
    throw new Error(`the group was answered ${reply.status} ${JSON.stringify(reply.body)}`)
  return reply.body.id
}
const refusal = (status: number, code: string) => ({ status, body: { error: { code } } })

t.test('The first start makes the group that everybody is in', async (t) => {
  const { status, body } = await groups('GET')
  t.equal(status, 200)
  t.match(body, [{ name: 'everyone', is_default: true, permissions: [], token_quota: null, member_count: 4 }])
  t.match(await groups('DELETE', '/everyone'), refusal(409, 'GROUP_NEEDED'))
  const members = await groups('GET', '/everyone/members?limit=2')
  t.match(members.body, [{ username: 'ada' }, { username: 'admin' }])
  t.match(members.headers.get('link'), /rel="next"/)
})

t.test('Members have the permissions and the quota of their groups besides their own', async (t) => {
  const id = await create({ name: 'Sales', permissions: ['channels'], token_quota: 1000 })
  t.match(await groups('GET', '/sALES'), { status: 200, body: { id, member_count: 0 } })
  t.strictSame((await me(ada.token)).permissions, [])
  t.equal((await groups('PUT', '/sales/members/ada')).status, 204)
  t.equal((await groups('PUT', '/sales/members/ada')).status, 204)
  t.strictSame((await me(ada.token)).permissions, ['channels'])
  t.match(await server.request('GET', '/usage/summary', { token: ada.token }), {
    body: { quota: { token_quota: 1000 } },
  })
  const row = await server.request('GET', '/users/ada')
  t.match(row.body, { permissions: [], token_quota: null })

  await groups('PATCH', `/${id}`, { permissions: ['channels', 'knowledge_bases'] })
  t.strictSame((await me(ada.token)).permissions, ['channels', 'knowledge_bases'])
  const access = await server.request('GET', '/users/ada/access')
  t.match(access.body, {
    groups: [{ name: 'everyone' }, { id, name: 'Sales' }],
    permissions: [
      { key: 'channels', from: ['Sales'] },
      { key: 'knowledge_bases', from: ['Sales'] },
    ],
    token_quota: { value: 1000, from: ['Sales'] },
  })

  t.equal((await groups('DELETE', `/${id}/members/ada`)).status, 204)
  t.strictSame((await me(ada.token)).permissions, [])
  await groups('PUT', `/${id}/members/ada`)
  t.equal((await groups('DELETE', `/${id}`)).status, 204)
  t.strictSame((await me(ada.token)).permissions, [])
  t.match(await groups('GET', `/${id}`), refusal(404, 'GROUP_NOT_FOUND'))
})

t.test('New accounts join the default groups', async (t) => {
  const id = await create({ name: 'Beginners', permissions: ['channels'], is_default: true })
  const eve = await server.createUser({ username: 'eve' })
  t.strictSame((await me(eve.token)).permissions, ['channels'])
  t.strictSame((await me(ada.token)).permissions, [])
  await groups('DELETE', `/${id}`)
})

t.test('Nobody grants a group what they do not hold, or changes their own limits', async (t) => {
  const rich = await create({ name: 'Rich', permissions: ['sso'] })
  const limited = await create({ name: 'Limited', token_quota: 5 })
  await groups('PUT', `/${limited}/members/mia`)
  const asMia = (method: string, path: string, body?: object) => groups(method, path, body, mia.token)
  const missing = { status: 403, body: { error: { code: 'FORBIDDEN', details: { missing: ['sso'] } } } }
  t.match(await asMia('POST', '', { name: 'Mine', permissions: ['sso'] }), missing)
  t.match(await asMia('PUT', `/${rich}/members/bob`), missing)
  t.match(await asMia('PATCH', `/${rich}`, { permissions: [] }), missing)
  t.match(await asMia('DELETE', `/${rich}`), missing)
  t.match(await asMia('PATCH', `/${limited}`, { token_quota: 500 }), refusal(403, 'FORBIDDEN'))
  t.match(await asMia('DELETE', `/${limited}/members/mia`), refusal(403, 'FORBIDDEN'))
  t.match(await asMia('PUT', `/${limited}/members/admin`), refusal(403, 'FORBIDDEN'))
  t.equal((await asMia('PUT', `/${limited}/members/bob`)).status, 204)
  t.match(await groups('GET', '', undefined, bob.token), refusal(403, 'FORBIDDEN'))
  for (const id of [rich, limited]) await groups('DELETE', `/${id}`)
})

t.test('Groups are refused with what is wrong', async (t) => {
  const id = await create({ name: 'Élan' })
  t.match(await groups('POST', '', { name: 'e\u0301LAN' }), refusal(409, 'GROUP_NAME_TAKEN'))
  t.match(await groups('POST', '', { name: 'a;b' }), refusal(422, 'VALIDATION_FAILED'))
  t.match(await groups('POST', '', { name: ' ' }), refusal(422, 'VALIDATION_FAILED'))
  t.match(
    await groups('POST', '', { name: 'x', permissions: ['nothing'] }),
    refusal(422, 'VALIDATION_FAILED'),
  )
  t.match(await groups('PUT', `/${id}/members/nobody`), refusal(404, 'NOT_FOUND'))
  const { headers } = await groups('GET', `/${id}`)
  await groups('PATCH', `/${id}`, { description: 'Changed' })
  const late = await server.request('PATCH', `/groups/${id}`, {
    body: { description: 'Late' },
    headers: { 'if-match': headers.get('etag')! },
  })
  t.match(late, refusal(412, 'PRECONDITION_FAILED'))
  await groups('DELETE', `/${id}`)
})

t.test('Of the budgets of groups the largest counts, unless the account has its own', async (t) => {
  const small = await create({ name: 'Small', budget: { amount: 2, window: 'day' } })
  const large = await create({ name: 'Large', budget: { amount: 50, window: 'month' } })
  for (const id of [small, large]) await groups('PUT', `/${id}/members/bob`)
  const budgetOf = async () => (await me(bob.token)).budget
  t.match(await budgetOf(), { amount: 2, window: 'day', scope: 'group', spent: 0 })
  t.match((await server.request('GET', '/users/bob/access')).body.budget, {
    value: { amount: 2, window: 'day' },
    from: ['Small'],
  })
  await groups('PATCH', `/${large}`, { budget: { amount: 90, window: 'month' } })
  t.match(await budgetOf(), { amount: 90, window: 'month', scope: 'group' })
  await server.request('PATCH', '/users/bob', { body: { budget: { amount: 1, window: 'week' } } })
  t.match(await budgetOf(), { amount: 1, window: 'week', scope: 'account' })
  t.match((await server.request('GET', '/users/bob/access')).body.budget, { from: ['account'] })
  await server.request('PATCH', '/users/bob', { body: { budget: null } })
  for (const id of [small, large]) await groups('DELETE', `/${id}`)
  t.equal(await budgetOf(), null)
})
