import t from '../../run/file-test.ts'
import { ssoConfig, useIssuer } from '../../support/oidc-client.ts'
import { comeFrom, startOidcForger } from '../../support/oidc-forger.ts'
import { startServer } from '../../support/server.ts'
import { createBrowser, reasonIn } from '../../support/sso-browser.ts'

const PREVIEW = '/auth/oauth/providers/oidc/preview'

const [server, forger] = await Promise.all([startServer(t, { config: ssoConfig() }), startOidcForger()])
t.teardown(() => forger.close())
const sales = await server.call('POST', '/groups', { name: 'Sales' })
const rich = await server.call('POST', '/groups', { name: 'Rich', permissions: ['channels'] })
await server.call('POST', '/groups', { name: 'Other' })

const rules = [
  { claim: 'teams', value: 'sales', groups: ['SALES'] },
  { claim: 'teams', value: 'leads', groups: [rich.id, 'Sales'], permissions: ['knowledge_bases'] },
]
const signIn = async (claims: object) => {
  const browser = createBrowser(server)
  const page = await comeFrom(forger, browser, {
    claims: { sub: 'ada', preferred_username: 'ada', ...claims },
  })
  t.equal(reasonIn(page), null)
  return (await browser.exchange(page)).body
}
const groups = async () =>
  (await server.request('GET', '/users/ada')).body.groups.map(({ name }: { name: string }) => name)
const stored = async () => (await server.request('GET', '/auth/oidc/config')).body.rules

t.test('A sign-in joins and leaves the groups that rules name, and no others', async (t) => {
  await useIssuer(server, forger.url, { rules })
  t.match(await stored(), [{ groups: ['Sales'] }, { groups: ['Rich', 'Sales'] }], 'shown by their names')
  const { user } = await signIn({ teams: ['leads'] })
  t.strictSame(await groups(), ['everyone', 'Sales', 'Rich'])
  t.strictSame(user.permissions, ['channels', 'knowledge_bases'], 'from the first session on')
  await server.call('PUT', '/groups/other/members/ada')
  await signIn({ teams: ['sales'] })
  t.strictSame(await groups(), ['everyone', 'Sales', 'Other'])
  await signIn({ teams: 'leads', _claim_names: { teams: 'src1' } })
  t.strictSame(await groups(), ['everyone', 'Sales', 'Other', 'Rich'])
  await signIn({ _claim_names: { teams: 'src1' } })
  t.strictSame(
    await groups(),
    ['everyone', 'Sales', 'Other', 'Rich'],
    'a claim that was left out takes nothing',
  )
  await signIn({ teams: [] })
  t.strictSame(await groups(), ['everyone', 'Other'])
  await signIn({ teams: [] })

  const { body } = await server.request('GET', '/admin/audit-log?limit=50')
  const moves = body
    .filter(({ action }: { action: string }) => /^user\.sso_(create|update)/.test(action))
    .map(({ payload: { joined = [], left = [] } }: { payload: { joined?: string[]; left?: string[] } }) => [
      joined.length,
      left.length,
    ])
  t.strictSame(moves, [
    [0, 2],
    [1, 0],
    [0, 1],
    [2, 0],
  ])
})

t.test('A preview shows the groups, and those that do not exist', async (t) => {
  const ask = async (body: object) => (await server.request('POST', PREVIEW, { body })).body
  const withGone = [...rules, { claim: 'teams', value: 'sales', groups: ['Gone'] }]
  t.match(await ask({ claims: { teams: ['sales'] }, rules: withGone }), {
    groups: [{ id: sales.id, name: 'Sales' }],
    unknown_groups: ['Gone'],
    matched: [0, 2],
  })
  t.match(await ask({ claims: { teams: ['leads'] } }), {
    groups: [{ name: 'Sales' }, { name: 'Rich' }],
    unknown_groups: [],
  })
})

t.test('Rules name groups that exist, and grant what their writer holds', async (t) => {
  const put = (body: object, token?: string) => server.request('PUT', '/auth/oidc/config', { body, token })
  t.match(await put({ rules: [{ claim: 'a', value: 'b', groups: ['Sales', 'Nobody'] }] }), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/rules/0/groups/1', rule: 'group' }] } } },
  })
  const keeper = await server.createUser({ username: 'keeper', permissions: ['sso', 'knowledge_bases'] })
  const missing = { status: 403, body: { error: { details: { missing: ['channels'] } } } }
  t.match(await put({ scopes: 'openid' }, keeper.token), missing, 'the rules of somebody else')
  t.equal((await put({ rules: [rules[0]] }, keeper.token)).status, 200)
  t.match(await put({ rules }, keeper.token), missing)
})

t.test('A group that is gone is joined by nobody', async (t) => {
  const { id } = await server.call('POST', '/groups', { name: 'Brief' })
  await useIssuer(server, forger.url, { rules: [{ claim: 'teams', value: 'brief', groups: ['Brief'] }] })
  await server.call('DELETE', `/groups/${id}`)
  await signIn({ teams: ['brief'] })
  t.strictSame(await groups(), ['everyone', 'Other'])
  t.match(await stored(), [{ groups: [id] }])
  const { body } = await server.request('POST', PREVIEW, { body: { claims: { teams: ['brief'] } } })
  t.match(body, { groups: [], unknown_groups: [id] })
})
