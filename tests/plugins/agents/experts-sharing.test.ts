import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'

const server = await startServer(t)
const ann = await server.createUser({ username: 'ann' })
const ben = await server.createUser({ username: 'ben' })
const cleo = await server.createUser({ username: 'cleo' })
const { body: group } = await server.request('POST', '/groups', { body: { name: 'Team' } })
await server.request('PUT', `/groups/${group.id}/members/cleo`)

async function publish(name: string): Promise<{ id: string; slug: string }> {
  const agent = await server.call('POST', '/agents', { name, system_prompt: 'Be brief.' }, ann.token)
  return server.call('POST', `/agents/${agent.id}/publish-expert`, {}, ann.token)
}

const share = (key: string, grants: object[]) =>
  server.request('PUT', `/experts/published/${key}/grants`, { token: ann.token, body: grants })

const listNames = async (token: string, limit = 200): Promise<string[]> =>
  (await server.request('GET', `/experts/published?limit=${limit}`, { token })).body.map(
    ({ name }: { name: string }) => name,
  )

let installed = 0

/** Tries everything that can be done with an expert; what succeeds leaves it to others. */
async function tryAll({ id, slug }: { id: string; slug: string }, name: string, token: string) {
  const call = async (method: string, path: string, body?: object, key = id) =>
    (await server.request(method, `/experts/published/${key}${path}`, { token, body })).status
  installed += 1
  return {
    listed: (await listNames(token)).includes(name),
    read: [
      await call('GET', ''),
      await call('GET', '', undefined, slug),
      await call('POST', '/install', { name: `installed-${installed}` }),
    ],
    change: [
      await call('PATCH', '', { description: `Changed ${installed}` }),
      await call('PATCH', '', { description: 'By slug' }, slug),
      await call('GET', '/grants'),
    ],
    own: [await call('PUT', '/grants', []), await call('DELETE', '', undefined, slug)],
  }
}

const NOTHING = { listed: false, read: [404, 404, 404], change: [404, 404, 404], own: [404, 404] }
const USE = { listed: true, read: [200, 200, 201], change: [403, 403, 403], own: [403, 403] }
const EDIT = { listed: true, read: [200, 200, 201], change: [200, 200, 200], own: [403, 403] }

t.test('A published expert is everybody’s until it is shared with some', async (t) => {
  const expert = await publish('guide')
  const byBen = () => tryAll(expert, 'guide', ben.token)
  const byCleo = () => tryAll(expert, 'guide', cleo.token)
  t.strictSame(await byBen(), USE)

  t.strictSame((await share(expert.slug, [])).body, [])
  t.strictSame(await byBen(), NOTHING)
  t.ok((await listNames(ann.token)).includes('guide'), 'its publisher keeps it')
  t.ok((await listNames(server.admin.token)).includes('guide'), 'administrators see all')

  await share(expert.id, [
    { user: 'ben', access: 'use' },
    { group: 'Team', access: 'edit' },
  ])
  t.strictSame(await byBen(), USE)
  t.strictSame(await byCleo(), EDIT)
  const row = async (token: string) =>
    (await server.request('GET', `/experts/published/${expert.id}`, { token })).body
  t.match(await row(ben.token), { is_owner: false, can_edit: false })
  t.match(await row(cleo.token), { is_owner: false, can_edit: true })
  t.match(await row(ann.token), { is_owner: true, can_edit: true })
  const { body: access } = await server.request('GET', '/users/cleo/access')
  t.match(
    access.things.filter((thing: { id: string }) => thing.id === expert.id),
    [{ kind: 'expert', access: 'edit', from: ['Team'] }],
  )

  await server.request('DELETE', `/groups/${group.id}/members/cleo`)
  t.strictSame(await byCleo(), NOTHING, 'with the membership the right is gone')
  await server.request('PUT', `/groups/${group.id}/members/cleo`)
  await share(expert.id, [{ everyone: true, access: 'use' }])
  t.strictSame([await byBen(), await byCleo()], [USE, USE])

  await share(expert.id, [{ user: 'ben', access: 'use' }])
  t.strictSame(await byCleo(), NOTHING)
  const agents = await server.request('GET', '/agents?limit=200', { token: cleo.token })
  t.ok(
    agents.body.some(({ name }: { name: string }) => name.startsWith('installed-')),
    'what was installed stays',
  )
  const removed = await server.request('DELETE', `/experts/published/${expert.slug}`, { token: ann.token })
  t.equal(removed.status, 204)
})

t.test('Pages of experts are filled with those that may be seen', async (t) => {
  const names = ['page-0', 'page-1', 'page-2', 'page-3']
  for (const [index, name] of names.entries()) {
    const { id } = await publish(name)
    if (index % 2 === 0) await share(id, [])
  }
  t.strictSame(await listNames(ben.token, 2), ['page-1', 'page-3'])
})

t.test('Agents are installed with the settings that an expert was given last', async (t) => {
  const { id } = await publish('changed')
  const change = (body: object) =>
    server.request('PATCH', `/experts/published/${id}`, { token: ann.token, body })
  t.match(await change({ name: ' Renamed ', system_prompt: 'Be kind.', config: { temperature: 0.5 } }), {
    status: 200,
    body: { name: 'Renamed', files: [] },
  })
  t.match(await change({ description: 'Helps' }), { status: 200, body: { description: 'Helps' } })
  t.match(await server.call('POST', `/experts/published/${id}/install`, {}, ben.token), {
    name: 'Renamed',
    description: 'Helps',
    system_prompt: 'Be kind.',
    config: { temperature: 0.5 },
  })
  t.match(await change({ default_model: 'nothing:m' }), {
    status: 400,
    body: { error: { code: 'PROVIDER_NOT_VISIBLE' } },
  })
  t.match(await change({ system_prompt: 'The key is sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z' }), {
    status: 422,
    body: { error: { code: 'SECRET_IN_SETTINGS', details: { field: 'system_prompt' } } },
  })
  t.match(await change({ slug: 'other' }), { status: 422 }, 'its slug stays, since others may have kept it')
})
