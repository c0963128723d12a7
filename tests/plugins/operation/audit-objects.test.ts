import t from '../../run/file-test.ts'
import { ADMIN, startServer } from '../../support/server.ts'

const server = await startServer(t)

const readRows = async (query = '') =>
  (await server.request('GET', `/admin/audit-log${query}`)).body as {
    action: string
    object: string | null
    object_exists: boolean
  }[]
const objectsOf = async (action: string) =>
  (await readRows(`?action=${action}`)).map(({ object, object_exists }) => [object, object_exists])

t.test(
  'Rows name their object, by its present name, and when it is gone by the name that it had',
  async (t) => {
    const { body: agent } = await server.request('POST', '/agents', { body: { name: 'numbers' } })
    const path = `/agents/${agent.id}`
    const { body: schedule, status } = await server.request('POST', `${path}/cron`, {
      body: { name: 'Weekly report', prompt: 'Report', schedule: { cron: '0 8 * * 1', timezone: 'UTC' } },
    })
    t.equal(status, 201, JSON.stringify(schedule))
    t.same(await objectsOf('agent.create'), [['numbers', true]])
    t.same(await objectsOf('schedule.create'), [['numbers / Weekly report', false]])
    await server.request('PATCH', `${path}/cron/${schedule.id}`, { body: { name: 'Monday report' } })
    t.same(await objectsOf('schedule.update'), [['numbers / Monday report', true]])

    await server.request('PATCH', path, { body: { name: 'figures' } })
    t.same(await objectsOf('agent.update'), [['figures', true]])
    t.same(await objectsOf('agent.create'), [['figures', true]], 'as it is called now')

    t.equal((await server.request('DELETE', `${path}/cron/${schedule.id}`)).status, 204)
    t.same(await objectsOf('schedule.delete'), [['figures / Monday report', false]])
    t.equal((await server.request('DELETE', path)).status, 204)
    t.same(await objectsOf('agent.delete'), [['figures', false]])
    t.same(await objectsOf('schedule.delete'), [['Monday report', false]])

    const { body: bob } = await server.request('POST', '/users', {
      body: { username: 'bob', password: 'quiet-lantern-93' },
    })
    t.same(await objectsOf('user.create'), [['bob', false]])
    t.equal((await server.request('DELETE', `/users/${bob.id}`)).status, 204)
    t.same(await objectsOf('user.delete'), [['bob', false]])
  },
)

t.test('The titles of conversations are not shown', async (t) => {
  const { body: agents } = await server.request('GET', '/agents')
  const { body: thread } = await server.request('POST', `/agents/${agents[0].id}/threads`, { body: {} })
  const path = `/agents/${agents[0].id}/threads/${thread.thread_id}`
  t.equal((await server.request('PATCH', path, { body: { title: 'My salary' } })).status, 200)
  t.notMatch(JSON.stringify(await objectsOf('thread.update')), /salary/)
})

t.test('The matching rows are exported as CSV, whose cells no spreadsheet runs', async (t) => {
  await server.request('POST', '/agents', { body: { name: '=SUM(1,2) "x"' } })
  const reply = await server.request('GET', '/admin/audit-log/export?action=agent.create')
  t.equal(reply.status, 200)
  t.match(reply.headers.get('content-disposition'), /attachment; filename="?audit-log\.csv/)
  t.match(reply.headers.get('content-type'), /^text\/csv/)
  const lines = String(reply.body)
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')
  t.equal(lines[0], 'id,time,actor,action,object,target,status,ip,credential,request_id,hash')
  t.equal(lines.length, 3)
  t.ok(lines[1]!.includes(`,${ADMIN.username},agent.create,"'=SUM(1,2) ""x""",`), lines[1]!)
  const all = await server.request('GET', '/admin/audit-log/export')
  t.equal(
    String(all.body).trimEnd().split('\r\n').length - 1,
    await server.db.collection('audit_log').countDocuments(),
  )
  const bob = await server.createUser({ username: 'rob' })
  t.match(await server.request('GET', '/admin/audit-log/export', { token: bob.token }), { status: 403 })
  t.match(await server.request('GET', '/admin/audit-log/export?who=x'), { status: 422 })
})
