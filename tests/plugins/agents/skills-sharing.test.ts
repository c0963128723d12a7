import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'
import { createSkillCalls, refusal, skillText } from './skill-calls.ts'

const server = await startServer(t)
const skills = createSkillCalls(server)
const permissions = ['skill_packages']
const ann = await server.createUser({ username: 'ann', permissions })
const ben = await server.createUser({ username: 'ben', permissions })
const cleo = await server.createUser({ username: 'cleo', permissions })
const { body: group } = await server.request('POST', '/groups', { body: { name: 'Team' } })
await server.request('PUT', `/groups/${group.id}/members/cleo`)

const share = (id: string, grants: object[], token = ann.token) =>
  server.request('PUT', `/skill-packages/${id}/grants`, { token, body: grants })

const isListed = async (id: string, token: string): Promise<boolean> =>
  (await server.request('GET', '/skill-packages?limit=200', { token })).body.some(
    (row: { id: string }) => row.id === id,
  )

/** Tries everything that can be done with a package; what succeeds leaves it as it is, unless its owner does it. */
async function tryAll(id: string, agent_id: string, token: string) {
  const call = async (method: string, path: string, body?: object) =>
    (await server.request(method, `/skill-packages/${id}${path}`, { token, body })).status
  return {
    listed: await isListed(id, token),
    read: [
      await call('GET', ''),
      await call('GET', '/skills/charts'),
      (await skills.copy(agent_id, id, ['charts'], { overwrite: true }, token)).status,
    ],
    change: [
      await call('PATCH', '', { description: 'Changed' }),
      (await skills.add(id, 'charts', { 'SKILL.md': skillText('x') }, { overwrite: true }, token)).status,
      (await skills.write(`skill-packages/${id}`, 'other', [{ path: 'SKILL.md', content: 'y' }], token))
        .status,
      (await skills.push(agent_id, 'charts', id, { overwrite: true }, token)).status,
      await call('DELETE', '/skills/other'),
      await call('GET', '/grants'),
    ],
    own: [await call('PUT', '/grants', []), await call('DELETE', '')],
  }
}

const all = (status: number, count: number) => Array.from({ length: count }, () => status)
const NOTHING = { listed: false, read: all(404, 3), change: all(404, 6), own: all(404, 2) }
const USE = { listed: true, read: all(200, 3), change: all(403, 6), own: all(403, 2) }
const EDIT = { listed: true, read: all(200, 3), change: [200, 201, 201, 201, 204, 200], own: all(403, 2) }

t.test('A package is everybody’s until it is shared with some', async (t) => {
  const id = await skills.createPackage(ann.token)
  await skills.add(id, 'charts', { 'SKILL.md': skillText('Draws charts') }, {}, ann.token)
  const agents = {
    ben: await skills.createAgent(ben.token),
    cleo: await skills.createAgent(cleo.token),
  }
  for (const agent_id of Object.values(agents))
    skills.writeSkill(agent_id, 'charts', { 'SKILL.md': skillText('Own charts') })
  const byBen = () => tryAll(id, agents.ben, ben.token)
  const byCleo = () => tryAll(id, agents.cleo, cleo.token)

  t.match((await server.request('GET', `/skill-packages/${id}/grants`, { token: ann.token })).body, [
    { everyone: true, access: 'use' },
  ])
  t.strictSame(await byBen(), USE)

  t.strictSame((await share(id, [])).body, [])
  t.strictSame(await byBen(), NOTHING)
  t.ok(await isListed(id, ann.token), 'its owner keeps it')
  t.ok(await isListed(id, server.admin.token), 'administrators see all')

  await share(id, [
    { user: 'ben', access: 'use' },
    { group: 'Team', access: 'edit' },
  ])
  t.strictSame(await byBen(), USE)
  t.strictSame(await byCleo(), EDIT)
  const row = async (token: string) => (await server.request('GET', `/skill-packages/${id}`, { token })).body
  t.match(await row(ben.token), { is_owner: false, can_edit: false })
  t.match(await row(cleo.token), { is_owner: false, can_edit: true })
  t.match(await row(ann.token), { is_owner: true, can_edit: true })
  t.match(await row(server.admin.token), { is_owner: false, can_edit: true })
  await server.request('PATCH', '/users/cleo', { body: { permissions: [] } })
  t.match(await row(cleo.token), { can_edit: false }, 'changing packages takes the permission')
  await server.request('PATCH', '/users/cleo', { body: { permissions } })

  const { body: access } = await server.request('GET', '/users/cleo/access')
  t.match(
    access.things.filter((thing: { id: string }) => thing.id === id),
    [{ kind: 'skill_package', access: 'edit', from: ['Team'] }],
  )

  await share(id, [{ everyone: true, access: 'use' }])
  t.strictSame([await byBen(), await byCleo()], [USE, USE])

  await share(id, [{ user: 'ben', access: 'use' }])
  t.strictSame(await byCleo(), NOTHING)
  t.ok('SKILL.md' in skills.readSkill(agents.cleo, 'charts'), 'what was copied stays')
  t.equal((await server.request('DELETE', '/users/ben')).status, 204)
  t.strictSame(await byCleo(), NOTHING, 'a list without anybody left is nobody')
  t.equal((await server.request('DELETE', `/skill-packages/${id}`, { token: ann.token })).status, 204)
})

t.test('Pages of packages are filled with those that may be read', async (t) => {
  const ids = []
  for (let index = 0; index < 6; index += 1) ids.push(await skills.createPackage(ann.token))
  for (const id of ids.filter((_, index) => index % 2 === 0)) await share(id, [])
  const { body, headers } = await server.request('GET', '/skill-packages?limit=3', { token: cleo.token })
  t.strictSame(
    body.map(({ id }: { id: string }) => id),
    ids.filter((_, index) => index % 2 === 1),
  )
  t.equal(headers.get('link'), null)
})

t.test('A package that was hidden while skills are copied says no more than one that is gone', async (t) => {
  const id = await skills.createPackage(ann.token)
  await share(id, [])
  const agent_id = await skills.createAgent(cleo.token)
  const missing = await skills.copy(agent_id, '01KABCDEFGHJKMNPQRSTVWXYZ0', ['charts'], {}, cleo.token)
  t.strictSame(refusal(await skills.copy(agent_id, id, ['charts'], {}, cleo.token)), refusal(missing))
  t.strictSame(refusal(missing), [404, 'SKILL_PACKAGE_NOT_FOUND'])
})
