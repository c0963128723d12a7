import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { createFrozenClock } from '../../support/clock.ts'
import { readPages, startServer } from '../../support/server.ts'

const FIVE_MINUTES = 300

const clock = createFrozenClock()
const server = await startServer(t, { clock })
const people = [
  { username: 'user10', display_name: 'Zoë 2', email: 'ten@example.com' },
  { username: 'user2', display_name: 'zoe 10' },
  { username: 'user02', display_name: null },
  { username: 'bo', display_name: 'Élan (a.b)' },
]
for (const person of people) {
  await server.call('POST', '/users', { ...person, password: 'another-secret-2' })
  clock.advance(1)
}
const { body: sales } = await server.request('POST', '/groups', { body: { name: 'Sales' } })
await server.call('PUT', '/groups/sales/members/bo')
await server.call('PUT', '/groups/sales/members/user2')

const list = (query = '') => server.request('GET', `/users?${query}`)
const namesIn = (rows: { username: string }[]) => rows.map(({ username }) => username)
const names = async (query?: string) => namesIn((await list(query)).body)
const find = async (username: string) =>
  (await list()).body.find((row: { username: string }) => row.username === username)

t.test('Names are sorted as people expect, and pages keep the order', async (t) => {
  const byName = ['admin', 'bo', 'user02', 'user2', 'user10']
  const sorted = await names()
  t.strictSame([sorted[0], sorted[1], ...sorted.slice(2, 4).sort(), sorted[4]], byName)
  t.strictSame(await names('sort=-username'), [...sorted].reverse())
  t.strictSame(await names('sort=display_name'), ['admin', 'bo', 'user02', 'user10', 'user2'])
  t.strictSame(await names('sort=created_at'), ['admin', 'user10', 'user2', 'user02', 'bo'])
  for (const sort of ['username', '-display_name', 'created_at', '-created_at', 'last_seen', '-last_seen']) {
    const pages = await readPages(server, `/users?limit=2&sort=${sort}`)
    t.equal(pages.length, 3)
    t.strictSame(namesIn(pages.flatMap(({ body }) => body)), await names(`sort=${sort}`), sort)
  }
  t.match(await list('sort=email'), { status: 422 })
  t.match(await list('cursor=x'), { status: 422 })
})

t.test('A new display name is sorted at its new place', async (t) => {
  await server.call('PATCH', '/users/bo', { display_name: 'zoe 1' })
  t.strictSame(await names('sort=display_name&q=zo'), ['bo', 'user10', 'user2'])
  await server.call('PATCH', '/users/bo', { display_name: null })
  t.strictSame((await names('sort=display_name')).slice(0, 2), ['admin', 'bo'])
  await server.call('PATCH', '/users/bo', { display_name: 'Élan (a.b)' })
})

t.test('The list finds a part of a name or an address, and the members of a group', async (t) => {
  t.strictSame(await names('q=USER1'), ['user10'])
  t.strictSame(await names('q=élan'), ['bo'])
  t.strictSame(await names('q=N@EX'), ['user10'])
  t.strictSame(await names('q=(a.b)'), ['bo'], 'as a text, not as a pattern')
  t.strictSame(await names('q=.*'), [])
  t.strictSame(await names('group=SALES'), ['bo', 'user2'])
  t.strictSame(await names(`group=${sales.id}&q=user`), ['user2'])
  t.strictSame(await names('role=admin'), ['admin'])
  t.strictSame(await names('enabled=false'), [])
  t.match(await list('group=nobody'), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/group', rule: 'group' }] } } },
  })
  const first = await list('q=user&limit=1')
  t.equal(first.headers.get('x-total-count'), '3')
  const [, second] = await readPages(server, '/users?q=user&limit=1')
  t.equal(second!.headers.get('x-total-count'), null, 'counted with the first page only')
})

t.test('Rows have the groups of their accounts', async (t) => {
  t.match((await find('bo')).groups, [{ name: 'everyone' }, { id: sales.id, name: 'Sales' }])
  t.match((await server.request('GET', '/users/bo')).body.groups, [{ name: 'everyone' }, { name: 'Sales' }])
  const { body } = await server.request('POST', '/groups', { body: { name: 'Brief' } })
  await server.call('PUT', '/groups/brief/members/bo')
  await server.call('DELETE', `/groups/${body.id}`)
  t.strictSame(
    (await find('bo')).groups.map(({ name }: { name: string }) => name),
    ['everyone', 'Sales'],
  )
})

t.test('A row tells when its account was last used, which is rarely written', async (t) => {
  const eve = await server.createUser({ username: 'eve' })
  const signedIn = (await find('eve')).last_seen
  t.equal(signedIn, (await find('eve')).last_login_at)
  const use = () => server.request('GET', '/auth/me', { token: eve.token })
  const stored = () =>
    server.db.collection<{ _id: string; last_seen_at: number }>('users').findOne({ _id: eve.id })
  clock.advance(FIVE_MINUTES)
  const now = clock.seconds()
  await Promise.all(Array.from({ length: 20 }, use))
  await eventually('the time of the request', async () => (await stored())?.last_seen_at === now)
  t.equal((await find('eve')).last_login_at, signedIn)

  clock.advance(FIVE_MINUTES - 1)
  await use()
  await server.restart()
  t.equal((await stored())!.last_seen_at, now, 'a second request within five minutes is not written')
  clock.advance(1)
  await use()
  await server.stop()
  await server.restart()
  t.equal((await stored())!.last_seen_at, now + FIVE_MINUTES, 'what waits is written at the end')
  await server.call('POST', '/users', { username: 'new', password: 'another-secret-2' })
  t.equal((await find('new')).last_seen, null)
})
